// The seat map: choosing, holding, paying, giving back, and losing a race.

import { type Locator, type Page } from "@playwright/test";
import { expect, open, openLive, post, tab, test, withoutFont } from "../fixtures";
import { expectLeft, listed } from "../list";
import { DESK, PHONE, clean, fitsEverywhere } from "../looks";
import { keepRedis, run } from "../server";

type Answer = { outcome: string; order: string; seats: string[] };

const way = (page: Page) => page.getByRole("region", { name: "By section and row" });
const choice = (page: Page) => page.getByRole("region", { name: "Select seats" });
const orders = (page: Page) => page.getByRole("region", { name: "Your orders" });

/** A seat of the row that is open in the list. */
const seat = (page: Page, row: number, number: number) =>
  way(page).getByRole("button", { name: new RegExp(`^Row ${row}, seat ${number},`) });

/** Chooses seats of the first row by the list. */
async function choose(page: Page, ...seats: number[]): Promise<void> {
  for (const number of seats) await seat(page, 1, number).click();
}

/** Holds what is chosen. */
const hold = (page: Page) => choice(page).getByRole("button", { name: "Hold these seats" }).click();

test("seats are chosen, held, given back after a question, and paid, and are there again after a reload", async ({ openTickets, page, post }) => {
  const sale = await openTickets();
  await openLive(page, sale.path);
  await test.step("clearing the selection takes back what was said of it", async () => {
    await choose(page, 3);
    await expect(choice(page).getByText("S-01-03 selected, ¥88.00.")).toBeVisible();
    await choice(page).getByRole("button", { name: "Clear" }).click();
    await expect(page.getByRole("heading", { name: "Your selection" }), "the focus stays there").toBeFocused();
    await expect(choice(page).getByRole("listitem")).toHaveCount(0);
    await expect(page.getByText(/^S-01-03 selected/)).toHaveCount(0);
  });
  await test.step("held seats are given back", async () => {
    await choose(page, 1);
    await hold(page);
    await orders(page).getByRole("button", { name: "Cancel" }).click();
    await expect(orders(page).getByRole("button", { name: "Yes, give them up" })).toBeFocused();
    await orders(page).getByRole("button", { name: "Keep them" }).click();
    await expect(orders(page).getByText("Held for you")).toBeVisible();
    await orders(page).getByRole("button", { name: "Cancel" }).click();
    await orders(page).getByRole("button", { name: "Yes, give them up" }).click();
    await expect(orders(page).getByText("Cancelled")).toBeVisible();
    await expect(orders(page).getByText("The seats are free again."), "what became of it has the focus").toBeFocused();
    await expect(seat(page, 1, 1)).toHaveAccessibleName(/free/);
    await orders(page).getByRole("button", { name: "Dismiss" }).click();
    await expect(orders(page).getByText("No orders yet.")).toBeVisible();
    await expect(orders(page).getByRole("heading"), "the heading has the focus").toBeFocused();
  });

  await choose(page, 3, 4);
  await expect(choice(page).getByRole("listitem")).toHaveText([/S-01-03/, /S-01-04/]);
  await expect(choice(page).getByText("2 seats, ¥176.00")).toBeVisible();
  await hold(page);
  const order = orders(page).getByRole("listitem").filter({ hasText: "Held for you" });
  await expect(order).toContainText("S-01-03");
  await expect(order.getByRole("timer")).toContainText(/00:(10:00|0[89]:\d\d) left/);
  await expect(seat(page, 1, 3)).toHaveAccessibleName(/Yours/);
  await expect(page.getByRole("meter", { name: "stalls" })).toHaveAttribute("aria-valuetext", "341 of 343 free, 2 held, 0 sold");

  await page.reload();
  await order.getByRole("button", { name: "Pay ¥176.00" }).click();
  await expect(orders(page).getByText("These are your tickets.")).toBeVisible();
  await expect(page.getByRole("meter", { name: "stalls" })).toHaveAttribute("aria-valuetext", "341 of 343 free, 0 held, 2 sold");
  const { state } = await post<{ state: string }>("/api/ticket/seat", { sale: sale.id, seat: "S-01-03" });
  expect(state).toBe("sold");
});

test("a hold is extended once where the sale allows it, and a part that comes back leaves the order at once", async ({ openTickets, page, post }) => {
  const sale = await openTickets({ extendable: true });
  await openLive(page, sale.path);
  await expect(page.getByText("10 min, can be extended once")).toBeAttached();
  await choose(page, 3, 4);
  await hold(page);
  const order = orders(page).getByRole("listitem").filter({ hasText: "Held for you" });
  await expect(order.getByRole("timer")).toContainText(/00:(10:00|0[89]:\d\d) left/);
  await order.getByRole("button", { name: "Extend hold" }).click();
  await expect(order.getByRole("timer")).toContainText(/00:(20:00|1[89]:\d\d) left/);
  await expect(order.getByRole("button", { name: "Extend hold" })).toHaveCount(0);
  await expect(order.getByText("Pay before the time is up to get these tickets."), "the focus stays in the order").toBeFocused();
  await page.reload();
  await expect(order.getByRole("timer")).toContainText(/00:(20:00|1[89]:\d\d) left/);
  await expect(order.getByRole("button", { name: "Extend hold" })).toHaveCount(0);

  const details = await order.getByRole("link", { name: "Order details" }).getAttribute("href");
  const id = decodeURIComponent(details!.split("/orders/")[1].split("?")[0]);
  await post("/api/ticket/cancel", { sale: sale.id, order: id, seats: ["S-01-03"], request_id: `part ${id}` });
  await expect(order.getByRole("listitem"), "without a reload").toHaveText(["S-01-04"]);
  await expect(seat(page, 1, 3)).toHaveAccessibleName(/free/);
  await order.getByRole("button", { name: "Pay ¥88.00" }).click();
  await expect(orders(page).getByText("These are your tickets.")).toBeVisible();
});

test("a buyer gives one seat of an order back, before and after paying, and keeps the others", async ({ openTickets, page, post }) => {
  const sale = await openTickets();
  await openLive(page, sale.path);
  await choose(page, 3, 4, 5);
  await hold(page);
  const order = orders(page).getByRole("listitem").filter({ hasText: "Held for you" });
  const seats = (of: Locator) => of.getByRole("listitem");
  await expect(seats(order)).toHaveText(["S-01-03", "S-01-04", "S-01-05"]);
  await order.getByRole("button", { name: "Give some seats back" }).click();
  const choiceOf = (of: Locator) => of.getByRole("group", { name: "Which seats do you give back?" });
  await expect(choiceOf(order).getByRole("checkbox", { name: "S-01-03" })).toBeFocused();
  await expect(choiceOf(order).getByRole("button", { name: "Give selected seats back" })).toHaveCount(0);
  await clean(page);
  await fitsEverywhere(page);
  await choiceOf(order).getByRole("button", { name: "Keep all seats" }).click();
  await expect(order.getByRole("button", { name: "Give some seats back" })).toBeFocused();

  await order.getByRole("button", { name: "Give some seats back" }).click();
  await choiceOf(order).getByRole("checkbox", { name: "S-01-05" }).check();
  await choiceOf(order).getByRole("checkbox", { name: "S-01-04" }).check();
  await choiceOf(order).getByRole("checkbox", { name: "S-01-05" }).uncheck();
  await choiceOf(order).getByRole("button", { name: "Give selected seats back" }).click();
  await expect(order.getByText("Give up S-01-04? Someone else may take them at once.")).toBeVisible();
  await order.getByRole("button", { name: "Yes, give them up" }).click();
  await expect(seats(order)).toHaveText(["S-01-03", "S-01-05"]);
  await expect(order.getByText("Pay before the time is up to get these tickets."), "the focus stays in the order").toBeFocused();
  await expect(seat(page, 1, 4)).toHaveAccessibleName(/free/);

  await order.getByRole("button", { name: "Pay ¥176.00" }).click();
  const paid = orders(page).getByRole("listitem").filter({ hasText: "These are your tickets." });
  await paid.getByRole("button", { name: "Give some seats back" }).click();
  await choiceOf(paid).getByRole("checkbox", { name: "S-01-03" }).check();
  await choiceOf(paid).getByRole("button", { name: "Give selected seats back" }).click();
  await expect(paid.getByText("Return S-01-03 and get ¥88.00 back?")).toBeVisible();
  await paid.getByRole("button", { name: "Yes, give them up" }).click();
  await expect(seats(paid)).toHaveText(["S-01-05"]);
  await expect(paid.getByText("¥88.00")).toBeVisible();
  await expect(paid.getByRole("button", { name: "Give some seats back" }), "one seat has no parts").toHaveCount(0);
  const { state } = await post<{ state: string }>("/api/ticket/seat", { sale: sale.id, seat: "S-01-03" });
  expect(state).toBe("free");
  await page.reload();
  await expect(seats(paid)).toHaveText(["S-01-05"]);
});

test("the best are held together, as many as one may have, and seats that were chosen by hand stay chosen", async ({ openTickets, page }) => {
  const sale = await openTickets({ limit_per_user: 7 });
  await openLive(page, sale.path);
  const held = orders(page).getByRole("listitem").filter({ hasText: "Held for you" });
  // The best two are S-01-09 and S-01-10.
  await choose(page, 1, 9);
  await choice(page).getByRole("button", { name: "Hold best available" }).click();
  await expect(held).toContainText("S-01-09");
  await expect(choice(page).getByRole("listitem")).toHaveText([/S-01-01/]);
  await expect(page.getByText(/was just taken/), "it is the reader who has it").toHaveCount(0);

  const pick = choice(page).getByRole("form", { name: "Best available" });
  await pick.getByLabel("How many").selectOption("4");
  await pick.getByLabel("Category").selectOption("Circle · ¥58.00");
  await pick.getByRole("button", { name: "Hold best available" }).click();
  const best = held.getByText(/^C-01-\d\d$/);
  await expect(best).toHaveCount(4);
  const seats = (await best.allTextContents()).map((id) => Number(id.slice(-2)));
  expect(seats.map((seat) => seat - seats[0])).toEqual([0, 1, 2, 3]);
  await pick.getByRole("button", { name: "Hold best available" }).click();
  await expect(choice(page).getByText("You can hold 1 more seat. No seats were held.")).toBeVisible();
});

test("a group that must sit side by side gets no other seats, and one that is split is told", async ({ openTickets, page, post }) => {
  const sale = await openTickets({ hall: undefined, layout: { categories: ["floor"], sections: [{ id: "A", category: "floor", rows: [5] }] }, prices: { floor: 100 } });
  await post("/api/ticket/reserve", { sale: sale.id, user: "bob", seats: ["A-01-03"] });
  await openLive(page, sale.path);
  const pick = choice(page).getByRole("form", { name: "Best available" });
  await pick.getByLabel("How many").selectOption("4");
  await pick.getByLabel("Seating").selectOption("Side by side or none");
  await pick.getByRole("button", { name: "Hold best available" }).click();
  await expect(choice(page).getByText("No seats were held: at most 2 seats are side by side in floor. Try fewer, or another seating.")).toBeVisible();
  await pick.getByLabel("Seating").selectOption("Side by side if possible");
  await pick.getByRole("button", { name: "Hold best available" }).click();
  const held = orders(page).getByRole("listitem").filter({ hasText: "Held for you" });
  await expect(held.getByText(/^A-01-\d\d$/)).toHaveText(["A-01-01", "A-01-02", "A-01-04", "A-01-05"]);
  await expect(held).toContainText("Not all of these seats are side by side.");
});

test("chosen seats stay when the page changes its language, but for those that are taken meanwhile", async ({ openTickets, page, post }) => {
  const sale = await openTickets();
  await openLive(page, sale.path);
  await choose(page, 3, 4);
  await expect(choice(page).getByRole("listitem")).toHaveText([/S-01-03/, /S-01-04/]);
  await page.getByRole("button", { name: "中文" }).click();
  await expect(page.getByText("实时", { exact: true })).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: /S-01-0[34]/ })).toHaveCount(2);
  await page.goto("about:blank");
  await post("/api/ticket/reserve", { sale: sale.id, user: "Mei", seats: ["S-01-03"] });
  await page.goBack();
  await expect(page.getByRole("listitem").filter({ hasText: /S-01-0[34]/ })).toHaveText([/S-01-04/]);
});

test("the map, its filter and the fields beside it stay when the page changes its language", async ({ complaints, openTickets, page }) => {
  const sale = await openTickets();
  // As on a first visit, where the font often comes too late: what it is laid out like must not matter.
  const bringFont = await withoutFont(page, complaints);
  await openLive(page, sale.path);
  const { frame, zoomIn } = { frame: page.locator(".overview .frame"), zoomIn: page.getByRole("button", { name: "Zoom in" }) };
  for (let times = 0; times < 4; times++) await zoomIn.click();
  await page.getByRole("application", { name: "Seat map" }).press("Shift+ArrowRight");
  await page.getByRole("button", { name: "Demand" }).click();
  await page.getByRole("group", { name: "Show only these categories" }).getByRole("button", { name: /^Balcony/ }).click();
  // The list goes to the first section that is shown.
  await expect(way(page).getByLabel("Section", { exact: true })).not.toHaveValue("0");
  await way(page).getByLabel("Row", { exact: true }).selectOption({ index: 2 });
  const best = page.getByRole("form", { name: "Best available" });
  await best.getByLabel("How many").selectOption("3");
  await best.getByLabel("Category").selectOption("balcony");
  await best.getByLabel("Seating").selectOption("Anywhere");
  const was = { frame: await frame.getAttribute("style"), section: await way(page).getByLabel("Section", { exact: true }).inputValue() };

  await bringFont();
  await page.getByRole("button", { name: "中文" }).click();
  await expect(page.getByText("实时", { exact: true })).toBeVisible();
  await expect(frame).toHaveAttribute("style", was.frame!);
  await expect(page.getByRole("button", { name: "热度" })).toHaveAttribute("aria-pressed", "true");
  await expect(page.getByRole("group", { name: "只显示这些票价区" }).locator("[aria-pressed=true]")).toHaveCount(1);
  const list = page.getByRole("region", { name: "按区和排选座" });
  await expect(list.getByLabel("区", { exact: true })).toHaveValue(was.section);
  await expect(list.getByLabel("排", { exact: true })).toHaveValue("2");
  await expect(page.getByLabel("张数", { exact: true })).toHaveValue("3");
  await expect(page.locator("#pick-category")).toHaveValue("balcony");
  await expect(page.locator("#pick-seating")).toHaveValue("anywhere");
});

test("a seat that another takes leaves the choice, before or at one's own attempt, and the page says so", async ({ openTickets, page, post, visitor }) => {
  const sale = await openTickets();
  const other = await visitor();
  await openLive(page, sale.path);
  await openLive(other, sale.path);
  await choose(page, 7, 8);
  await choose(other, 7);
  await hold(other);
  await expect(orders(other).getByText("Held for you")).toBeVisible();
  await expect(choice(page).getByRole("status").filter({ hasText: "S-01-07 was just taken. Choose another." })).toBeVisible();
  await expect(choice(page).getByRole("listitem")).toHaveText([/S-01-08/]);
  await expect(seat(page, 1, 7)).toHaveAccessibleName(/held/);
  await seat(page, 1, 7).click();
  await expect(choice(page).getByText("S-01-07 is held by someone else. It may become free again.")).toBeVisible();

  await choose(page, 8, 5);
  await expect(choice(page).getByRole("listitem")).toHaveText([/S-01-05/]);
  // The page does not hear of it before its own attempt.
  await page.route("**/api/ticket/reserve", async (route) => {
    await post("/api/ticket/reserve", { sale: sale.id, user: "Lan", seats: ["S-01-05"] });
    await route.continue();
  });
  await hold(page);
  await expect(choice(page).getByText("S-01-05 is taken. No seats were held.")).toBeVisible();
  await expect(choice(page).getByText(/May be free again at \d\d:\d\d:\d\d/)).toBeVisible();
  await expect(choice(page).getByText("No seats selected.")).toBeVisible();
  // What was true before the attempt is not said beside it.
  await expect(choice(page).getByText(/^S-01-05 selected/)).toHaveCount(0);
});

test("an answer that never came is asked for again, and nothing is held twice", async ({ openTickets, page, complaints }) => {
  complaints.forgive(/ERR_FAILED/);
  const sale = await openTickets();
  await openLive(page, sale.path);
  // Not only the first attempt.
  await choose(page, 3);
  await hold(page);
  await expect(orders(page).getByText("Held for you")).toHaveCount(1);
  await choose(page, 9);
  // It reaches the server; the way back is cut.
  await page.route("**/api/ticket/reserve", async (route) => {
    await route.fetch();
    await route.abort();
  }, { times: 1 });
  await hold(page);
  await expect(choice(page).getByRole("alert")).toContainText("the outcome is unknown");
  // Somebody holds the seat, and it may be this reader: it stays in the choice.
  await expect(seat(page, 1, 9)).toHaveAccessibleName(/held/);
  await expect(choice(page).getByRole("listitem")).toHaveText([/S-01-09/]);
  // Also while other seats are chosen and not.
  await choose(page, 10);
  await expect(choice(page).getByRole("listitem")).toHaveText([/S-01-09/, /S-01-10/]);
  await choose(page, 10);
  await expect(choice(page).getByRole("listitem")).toHaveText([/S-01-09/]);
  await hold(page);
  await expect(orders(page).getByText("Held for you")).toHaveCount(2);
  await expect(page.getByRole("meter", { name: "stalls" })).toHaveAttribute("aria-valuetext", "341 of 343 free, 2 held, 0 sold");
});

test("whoever leaves while paying breaks nothing, and finds the tickets later", async ({ openTickets, page }) => {
  const sale = await openTickets();
  await openLive(page, sale.path);
  await choose(page, 1);
  await hold(page);
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/api/ticket/pay", async (route) => {
    const response = await route.fetch();
    await answered;
    await route.fulfill({ response });
  });
  await orders(page).getByRole("button", { name: /^Pay/ }).click();
  await page.getByRole("navigation").getByRole("link", { name: "Sales", exact: true }).click();
  await expect(page.getByRole("region", { name: "Your sales" })).toBeVisible();
  const heard = page.waitForResponse("**/api/ticket/pay");
  answer();
  await (await heard).finished();
  await page.goBack();
  await expect(orders(page).getByText("These are your tickets.")).toBeVisible();
});

test("the tabs of a browser share the reader's orders", async ({ openTickets, page, context }) => {
  const sale = await openTickets();
  const other = await context.newPage();
  const tabs = [page, other];
  for (const tab of tabs) await openLive(tab, sale.path);
  const order = (tab: Page, seat: string) =>
    orders(tab).getByRole("listitem").filter({ has: tab.getByRole("button") }).filter({ hasText: seat });

  // Neither forgets what the other holds.
  await choose(page, 3);
  await hold(page);
  await expect(order(page, "S-01-03")).toContainText("Held for you");
  await choose(other, 7);
  await hold(other);
  for (const tab of tabs) {
    await expect(order(tab, "S-01-03")).toContainText("Held for you");
    await expect(order(tab, "S-01-07")).toContainText("Held for you");
    await expect(seat(tab, 1, 3)).toHaveAccessibleName(/Yours/);
  }

  // What becomes of an order in one shows in the other.
  await order(page, "S-01-07").getByRole("button", { name: "Pay ¥88.00" }).click();
  await expect(order(other, "S-01-07")).toContainText("These are your tickets.");
  await order(other, "S-01-03").getByRole("button", { name: "Cancel" }).click();
  await order(other, "S-01-03").getByRole("button", { name: "Yes, give them up" }).click();
  await expect(order(page, "S-01-03")).toContainText("Cancelled");

  await other.close();
  await page.reload();
  await expect(order(page, "S-01-07")).toContainText("These are your tickets.");
  await expect(orders(page).getByText("S-01-03")).toHaveCount(0);
});

for (const [wrong, minutes] of [["fast", 11], ["slow", -11]] as const) {
  test(`the time left goes by the server's clock: the reader's is ${wrong}`, async ({ openTickets, page }) => {
    const sale = await openTickets();
    await page.clock.install({ time: Date.now() + minutes * 60_000 });
    await openLive(page, sale.path);
    await choose(page, 2);
    await hold(page);
    const timer = orders(page).getByRole("timer");
    await expect(timer).toContainText(/00:(10:00|0[89]:\d\d) left/);
    // Somebody sets it while the page is open.
    await page.clock.fastForward("20:00");
    await expect(timer).toContainText(/00:0[89]:\d\d left/);
    await orders(page).getByRole("button", { name: /^Pay/ }).click();
    await expect(orders(page).getByText("These are your tickets.")).toBeVisible();
  });
}

test("a refusal stands below the button that was pressed, in view", async ({ openTickets, page }) => {
  const sale = await openTickets({ limit_per_user: 2 });
  await page.setViewportSize(DESK);
  await openLive(page, sale.path);
  await choose(page, 2, 3);
  await hold(page);
  await orders(page).getByRole("button", { name: /^Pay/ }).click();
  const best = page.getByRole("form", { name: "Best available" });
  await best.getByLabel("How many").selectOption("1");
  const button = best.getByRole("button", { name: "Hold best available" });
  await button.click();
  const answer = choice(page).locator(".answer");
  await expect(answer).toBeInViewport({ ratio: 1 });
  expect((await answer.boundingBox())!.y).toBeGreaterThan((await button.boundingBox())!.y);
});

test("on a phone, what is held can be paid at once, beside its price and the time left", async ({ openTickets, page }) => {
  await page.setViewportSize(PHONE);
  const sale = await openTickets();
  await openLive(page, sale.path);
  await page.getByRole("form", { name: "Best available" }).getByRole("button").click();
  await expect(orders(page).getByText("Held for you")).toBeVisible();
  const bar = page.locator(".at-hand").filter({ has: page.getByRole("timer") });
  await expect(bar).toBeInViewport({ ratio: 1 });
  await expect(bar.getByRole("timer")).toContainText(/00:(10:00|0[89]:\d\d) left/);
  await bar.getByRole("button", { name: /^Pay ¥/ }).click();
  await expect(orders(page).getByText("These are your tickets.")).toBeVisible();
  await expect(bar).toHaveCount(0);
});

test("a sale with held seats is closed from a menu, by its id, and is not sold out while they may come back", async ({ openTickets, page, post }) => {
  const sale = await openTickets({ limit_per_user: 40 });
  await post("/api/ticket/reserve", { sale: sale.id, user: "Mei", pick: [{ category: "stalls", count: 3 }] });
  await openLive(page, sale.path);
  await page.locator(".more > summary").click();
  await page.getByRole("button", { name: "Close sale" }).click();
  const yes = page.getByRole("button", { name: "Yes, close it" });
  await expect(yes).toBeDisabled();
  await expect(page.getByLabel(/^3 held\./)).toBeFocused();
  await page.keyboard.type(sale.id);
  await yes.click();
  await expect(page.getByRole("button", { name: "Archive" })).toBeVisible();
});

test("a hold that has run out is over on the server too, and says so", async ({ openTickets, page }) => {
  const sale = await openTickets({ hold_s: 1 });
  await openLive(page, sale.path);
  await choose(page, 2);
  await hold(page);
  await expect(orders(page).getByText("Hold expired")).toBeVisible();
  await expect(orders(page).getByText("The seats are free again. Choose new ones.")).toBeVisible();
  await expect(seat(page, 1, 2)).toHaveAccessibleName(/free/);
});

test("an order that Redis has lost is back on its page after a recovery", async ({ page, request, complaints, alone }) => {
  complaints.forgive(/404 \(Not Found\)|503 \(Service Unavailable\)/);
  const { server, store, path } = alone;
  const stores = ["--redis", store.url, "--data-dir", path];
  const { sale } = await post<{ sale: string }>(request, `${server.url}/api/ticket/open`, { hall: "theatre" });
  await openLive(page, `${server.url}/tickets/${sale}`);
  const setBack = await keepRedis(path);
  await choose(page, 3);
  await hold(page);
  await expect(orders(page).getByText("Held for you")).toBeVisible();
  const rows = async () => (await post<{ total: number }>(request, `${server.url}/api/ledger/search`, { sale })).total;
  await expect.poll(rows, { message: "opened, and held" }).toBe(2);

  alone.store = await setBack(store);
  await expect(page.getByText("Suspended", { exact: true })).toBeVisible();
  await expect(page.getByText(`stampede recover --redis ${store.url} --data-dir ${path} ${sale}`)).toBeVisible();
  await expect(seat(page, 1, 3)).toHaveAccessibleName(/free/);

  await run("recover", sale, ...stores);
  await expect(page.getByText("Suspended", { exact: true })).toBeHidden();
  await expect(orders(page).getByText("Held for you")).toBeVisible();
  await expect(seat(page, 1, 3)).toHaveAccessibleName(/Yours/);
});

test("tickets are bought by keyboard alone", async ({ openTickets, page }) => {
  const sale = await openTickets();
  await openLive(page, sale.path);
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  const tabTo = async (name: RegExp) => {
    const focused = () => page.evaluate(() => {
      const at = document.activeElement;
      return at?.getAttribute("aria-label") ?? (at instanceof HTMLSelectElement ? at.id : at?.textContent ?? "");
    });
    for (let steps = 0; steps < 80 && !name.test(await focused()); steps++) await press("Tab");
    expect(await focused()).toMatch(name);
  };
  await tabTo(/^seat-list-section$/);
  await press("ArrowDown");
  await tabTo(/^Row 1, seat 1,/);
  await press("ArrowRight", "ArrowRight", "ArrowDown");
  await expect(seat(page, 2, 3)).toBeFocused();
  await press("Enter");
  await expect(seat(page, 2, 3)).toHaveAttribute("aria-pressed", "true");
  await expect(choice(page).getByRole("status").filter({ hasText: "C-02-03 selected" })).toBeVisible();
  await choice(page).getByLabel("Your name").focus();
  await tabTo(/^Hold these seats$/);
  await press("Enter");
  await expect(orders(page).getByText("Held for you")).toBeVisible();
  await tabTo(/^Pay/);
  await press("Enter");
  await expect(orders(page).getByText("These are your tickets."), "what became of it has the focus").toBeFocused();
});

/** The map, and where on the page it is. */
async function map(page: Page) {
  const canvas = page.getByRole("application", { name: "Seat map" });
  await expect(page.locator("canvas.seats[data-event-id]")).toBeAttached();
  await canvas.scrollIntoViewIfNeeded();
  return { canvas, box: (await canvas.boundingBox())! };
}

/** Different colours among the map's pixels. */
const colours = (page: Page) =>
  page.locator("canvas.seats").evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    return new Set(new Uint32Array(data.buffer)).size;
  });

test("the map is pressed, dragged, zoomed and steered", async ({ openTickets, page }) => {
  await page.setViewportSize(DESK);
  const sale = await openTickets({ hall: "stadium" });
  await openLive(page, sale.path);
  const { canvas, box } = await map(page);
  expect(await colours(page)).toBeGreaterThan(20);
  const middle = { x: box.width / 2, y: box.height / 2 };
  const card = page.getByRole("region", { name: "Seat map" }).getByRole("status");

  // From afar, a press comes closer; from near, it chooses.
  await canvas.click({ position: { x: middle.x, y: box.height * 0.9 } });
  await canvas.hover({ position: middle });
  await expect(card).toContainText(/C01-\d\d-\d\d.*Category 5.*free/s);
  await canvas.click({ position: middle });
  await expect(choice(page).getByRole("listitem")).toHaveText([/C01-/]);
  await canvas.click({ position: middle });
  await expect(choice(page).getByRole("listitem")).toHaveCount(0);

  // Dragging does not choose.
  await page.mouse.move(box.x + middle.x, box.y + middle.y);
  await page.mouse.down();
  await page.mouse.move(box.x + middle.x + 40, box.y + middle.y + 30, { steps: 4 });
  await page.mouse.up();
  await expect(choice(page).getByRole("listitem")).toHaveCount(0);
  await canvas.hover({ position: { x: middle.x + 40, y: middle.y + 30 } });
  await expect(card).toContainText(/C01-/);

  // By keys: all of it, and the seat nearest to the middle, from near.
  await canvas.focus();
  await page.keyboard.press("Home");
  for (let press = 0; press < 2; press++) await page.keyboard.press("Enter");
  await expect(choice(page).getByRole("listitem")).toHaveCount(1);
  await expect(card).toContainText(/selected/i);
});

test.describe("by fingers", () => {
  test.use({ hasTouch: true, viewport: PHONE });

  test("the map is tapped, and pinched larger and smaller", async ({ openTickets, page, complaints }) => {
    complaints.forgive(/willReadFrequently/);
    const sale = await openTickets({ hall: "stadium" });
    await openLive(page, sale.path);
    const { box } = await map(page);
    const card = page.getByRole("region", { name: "Seat map" }).getByRole("status");
    // In the middle of the stand at the bottom: the ring is as wide as the map.
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2 + box.width * 0.195];
    const fingers = await page.context().newCDPSession(page);
    /** Two fingers, one on each side of a point, from so far apart to so far. */
    const pinch = async (from: number, to: number) => {
      const at = (apart: number) => [-1, 1].map((side, id) => ({ x: x + (side * apart) / 2, y, id }));
      const send = (type: "touchStart" | "touchMove" | "touchEnd", touchPoints: { x: number; y: number; id: number }[]) =>
        fingers.send("Input.dispatchTouchEvent", { type, touchPoints });
      await send("touchStart", at(from));
      for (let step = 1; step <= 5; step++) await send("touchMove", at(from + ((to - from) * step) / 5));
      await send("touchEnd", []);
    };

    const whole = await colours(page);
    for (let times = 0; times < 3; times++) await pinch(40, 160);
    await expect.poll(() => colours(page)).not.toBe(whole);
    // No pinch has chosen anything, and seats are large enough for a finger now.
    await expect(choice(page).getByRole("listitem")).toHaveCount(0);
    await page.touchscreen.tap(x, y);
    await expect(choice(page).getByRole("listitem")).toHaveText([/B01-\d\d-13/]);
    // The card stays when the finger is gone.
    await expect(card).toContainText(/B01-\d\d-13.*¥.*selected/is);
    await page.touchscreen.tap(x, y);
    await expect(choice(page).getByRole("listitem")).toHaveCount(0);
    for (let times = 0; times < 4; times++) await pinch(160, 40);
    await expect.poll(() => colours(page)).toBe(whole);
  });
});

test("what is held says how long; refused attempts, demand, the audit and the script are shown", async ({ openTickets, page, post }) => {
  const sale = await openTickets();
  await openLive(page, sale.path);
  for (const user of ["Mei", "Lan", "Bo"]) await post("/api/ticket/reserve", { sale: sale.id, user, seats: ["S-01-09"] });
  await expect(seat(page, 1, 9)).toHaveAccessibleName(/held/);
  await seat(page, 1, 9).click();
  await way(page).getByRole("button", { name: "Show on map" }).click();
  const card = page.getByRole("region", { name: "Seat map" }).getByRole("status");
  await expect(card).toContainText(/S-01-09.*Stalls · ¥88\.00.*held.*free again in 00:/s);
  await page.getByRole("button", { name: "Demand" }).click();
  await expect(page.getByRole("button", { name: "Demand" })).toHaveAttribute("aria-pressed", "true");
  await tab(page, "Attempts");
  const attempts = page.getByRole("region", { name: "Attempts", exact: true });
  await expect(attempts.getByRole("row", { name: /Bo Seat taken/ })).toBeVisible();
  // What is over is forgotten within seconds: somebody goes on trying until it is seen.
  const demanded = page.getByRole("region", { name: "Sections in demand" }).getByRole("listitem");
  await expect.poll(async () => {
    await post("/api/ticket/reserve", { sale: sale.id, user: "Bo", seats: ["S-01-09"] });
    return demanded.allTextContents();
  }).toEqual([expect.stringMatching(/^S/)]);
  await tab(page, "Audit");
  const audit = page.getByRole("region", { name: "Audit" });
  await audit.getByRole("button", { name: "Audit now" }).click();
  await expect(audit.getByText("Holds").first()).toBeVisible();
  await expect(audit.getByRole("cell", { name: "Broken" })).toHaveCount(0);
  await tab(page, "Script");
  const script = await post<{ source: string; sha: string }>("/api/ticket/script", {});
  const source = page.getByRole("region", { name: "Script", exact: true });
  await source.getByText("Show script").click();
  await expect(source).toContainText(script.sha);
  const shown = source.getByRole("region", { name: "Script source" });
  await expect(shown).toBeVisible();
  expect((await shown.textContent())?.trim()).toBe(script.source.trim());
});

test("the list leads to a sale whose map has its colours, and the form opens another", async ({ openTickets, page, complaints }) => {
  complaints.forgive(/willReadFrequently/);
  const sale = await openTickets();
  await open(page, "/?kind=ticket");
  const entry = listed(page, sale.id);
  await expect(entry).toContainText("Theater");
  await expectLeft(entry, "596 of 596 left");
  await entry.getByRole("link", { name: sale.id }).click();
  await expect(page).toHaveURL(sale.path);
  // Of the seats, their categories and the floor; one that was drawn before it was on the page is black.
  const colours = () =>
    page.locator("canvas.seats").evaluate((canvas: HTMLCanvasElement) => {
      if (canvas.width === 0 || canvas.height === 0) return 0;
      const pixels = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data;
      return new Set(new Uint32Array(pixels.buffer)).size;
    });
  await expect.poll(colours).toBeGreaterThan(3);
  await page.goBack();
  const price = (category: string) => page.getByRole("group", { name: "Seat prices" }).getByLabel(category, { exact: true });
  await expect(price("Balcony")).toHaveValue("38.00");
  await page.getByLabel("Hall").selectOption("Arena");
  await expect(price("Balcony")).toHaveCount(0);
  await expect(price("Floor")).toHaveValue("128.00");
  const openSale = page.getByRole("button", { name: "Open sale" });
  for (const wrong of ["much", "-5", "1000000.01"]) {
    await price("Floor").fill(wrong);
    await openSale.click();
    await expect(page.getByText("Enter an amount with up to two decimals, or those of its currency, at most 1,000,000.")).toBeVisible();
    await expect(price("Floor")).toHaveAttribute("aria-invalid", "true");
    await expect(page.getByRole("alert").filter({ hasText: /./ })).toHaveCount(0);
  }
  await price("Floor").fill("99.5");
  await openSale.click();
  await expect(page).toHaveURL(/\/tickets\/.+/);
  await expect(page.getByText("12,000").first()).toBeVisible();
  await expect(page.getByRole("meter", { name: "floor" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Availability", exact: true })).toContainText("¥99.50");
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("what is left, for how much, is readable", async ({ openTickets, page, post }) => {
    const sale = await openTickets();
    await post("/api/ticket/reserve", { sale: sale.id, user: "Mei", pick: [{ category: "circle", count: 3 }] });
    const answer = await page.goto(sale.path);
    expect(answer?.status()).toBe(200);
    // By its readable name, and the id beside it.
    await expect(page).toHaveTitle(/^Tickets \w+ \w+ · Stampede$/);
    await expect(page.getByText(sale.id, { exact: true })).toBeVisible();
    await expect(page.getByRole("meter", { name: "circle" })).toHaveAttribute("aria-valuetext", "157 of 160 free, 3 held, 0 sold");
    // Not by its text: that of a noscript element is skipped.
    await expect(page.locator(".hall .empty")).toHaveText(/^The map needs JavaScript\./);
    await expect(page.locator(".hall .empty")).toBeVisible();
    await expect(way(page).getByRole("option", { name: "C · Circle · ¥58.00 · 157 free" })).toBeAttached();
    await expect(choice(page).getByRole("button", { name: "Hold best available" })).toBeEnabled();
    await expect(choice(page).getByRole("button", { name: "Hold these seats" })).toBeDisabled();
  });
});

test("seats that are chosen, held and paid are clean and fit every screen", async ({ openTickets, page, post }) => {
  const sale = await openTickets();
  for (const user of ["Mei", "Lan"]) await post<Answer>("/api/ticket/reserve", { sale: sale.id, user, seats: ["S-01-09"] });
  await openLive(page, sale.path);
  await choose(page, 1);
  await hold(page);
  await orders(page).getByRole("button", { name: "Pay ¥88.00" }).click();
  await expect(orders(page).getByText("These are your tickets.")).toBeVisible();
  await choose(page, 2);
  await hold(page);
  await orders(page).getByRole("button", { name: "Cancel" }).click();
  await choose(page, 4, 5);
  await expect(choice(page).getByRole("listitem")).toHaveCount(2);
  await fitsEverywhere(page);
  await clean(page);
});
