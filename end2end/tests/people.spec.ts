// What somebody has who calls: found from every page, a user's page, an order's page, and what can be done there.

import { type Locator, type Page } from "@playwright/test";
import { definition, expect, open, openLive, test, type TicketSale } from "../fixtures";
import { clean, english, fitsEverywhere } from "../looks";

const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true });
const box = (page: Page) => page.getByRole("combobox", { name: "User, sale, order" });
const reason = (region: Locator) => region.getByRole("textbox", { name: "Reason, for the ledger" });
const finder = (page: Page) => page.getByRole("dialog", { name: "Find" });

test.describe("a user with an order, units and a coupon", () => {
  let sale: TicketSale;
  let user: string;
  let order: string;
  let code: string;
  let stock: string;
  let coupons: string;

  test.beforeEach(async ({ openTickets, post, inLedger }) => {
    // Other tests of the worker have users of their own.
    user = `Mei ${crypto.randomUUID().slice(0, 8)}`;
    sale = await openTickets();
    const holders = ["Wang Wei", "Li Na"];
    const held = { sale: sale.id, user, request_id: `hold ${user}`, seats: ["S-01-03", "S-01-04"], holders };
    ({ order } = await post<{ order: string }>("/api/ticket/reserve", held));
    stock = (await post<{ sale: string }>("/api/stock/open", { quantity: 50 })).sale;
    for (const nth of [1, 2]) await post("/api/stock/deduct", { sale: stock, user, request_id: `${user} ${nth}`, quantity: 3 });
    await post("/api/stock/give-back", { sale: stock, request_id: `${user} 2` });
    coupons = (await post<{ sale: string }>("/api/coupon/open", { total: 9 })).sale;
    ({ code } = await post<{ code: string }>("/api/coupon/claim", { sale: coupons, user, request_id: `claim ${user}` }));
    await inLedger(sale, 3);
    await inLedger({ id: stock }, 4);
    await inLedger({ id: coupons }, 2);
  });

  test("is found by the beginning of the name, and the page says what the user has and had", async ({ page }) => {
    await open(page, "/lab");
    await page.keyboard.press("/");
    await expect(box(page)).toBeFocused();
    await expect(finder(page).getByRole("option", { name: "Ledger" }), "before anything is typed, the pages").toBeVisible();
    await box(page).fill(user.slice(0, 10));
    const option = finder(page).getByRole("option", { name: user, exact: true });
    await expect(option).toHaveAttribute("aria-selected", "true");
    await expect(box(page)).toHaveAttribute("aria-activedescendant", (await option.getAttribute("id"))!);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(`/users/${encodeURIComponent(user)}`);
    await expect(finder(page)).toBeHidden();
    await expect(page.getByRole("main"), "the page has the focus").toBeFocused();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`User ${user}`);

    const now = card(page, "Has now");
    const entries = now.getByRole("listitem").filter({ has: page.getByRole("heading") });
    await expect(entries).toHaveCount(3);
    await expect(entries.filter({ hasText: sale.id })).toContainText("S-01-03 (Wang Wei), S-01-04 (Li Na)");
    await expect(entries.filter({ hasText: sale.id })).toContainText("Held");
    await expect(entries.filter({ hasText: stock })).toContainText(`${user} 1`);
    await expect(entries.filter({ hasText: stock })).not.toContainText(`${user} 2`);
    await expect(entries.filter({ hasText: code })).toContainText("Claimed");
    await expect(card(page, "History").getByText("6 rows")).toBeVisible();
    await expect(card(page, "Totals").getByRole("row").filter({ hasText: "Given back" })).toContainText("3");

    await now.getByRole("link", { name: order }).click();
    await expect(page).toHaveURL(`/orders/${order}?sale=${sale.id}`);
  });

  test("has an order that an operator refunds after a question, in every window", async ({ page, visitor, post }) => {
    await post("/api/ticket/pay", { sale: sale.id, order, request_id: `pay ${user}` });
    await open(page, `/orders/${order}`);
    const other = await visitor();
    await open(other, `/users/${encodeURIComponent(user)}`);
    const now = card(page, "State now");
    await expect(now.getByText("Paid", { exact: true })).toBeVisible();
    await expect(definition(now, "Total")).toHaveText("¥176.00");
    await expect(card(page, "Seats").getByRole("row")).toContainText(["Seat", "Wang Wei", "Li Na"]);
    await now.getByRole("button", { name: "Refund order" }).click();
    await expect(now.getByText("Refund ¥176.00 and release the seats?")).toBeVisible();
    await expect(reason(now), "the first thing to answer has the focus").toBeFocused();
    await reason(now).fill("Mei called: not this");
    await now.getByRole("button", { name: "Leave it" }).click();
    await expect(now.getByText("Paid", { exact: true })).toBeVisible();
    await now.getByRole("button", { name: "Refund order" }).click();
    await expect(reason(now)).toHaveValue("");
    await reason(now).fill("Mei called: her train is late");
    await now.getByRole("button", { name: "Yes, do it" }).click();
    const done = now.getByRole("status").filter({ hasText: "The order is refunded. Its seats are free again." });
    await expect(done, "what was done has the focus").toBeFocused();
    await expect(now.getByText("Refunded", { exact: true })).toBeVisible();
    await expect(now.getByRole("button")).toHaveCount(0);
    const lines = card(page, "History").getByRole("listitem");
    await expect(lines).toContainText([/Refunded.*Mei called: her train is late/, /Paid/, /Held/]);
    await expect(card(page, "History").getByText("Mei called"), "of one change only").toHaveCount(1);
    const { state } = await post<{ state: string }>("/api/ticket/seat", { sale: sale.id, seat: "S-01-03" });
    expect(state).toBe("free");
    await expect(card(other, "Has now").getByText(sale.id), "without a reload").toHaveCount(0);
    await expect(card(other, "History").getByRole("listitem").first()).toContainText("Refunded");
    await definition(now, "User").getByRole("link", { name: user }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`User ${user}`);
  });

  test("has an order of which an operator gives one seat back, and the other stays", async ({ page, post, inLedger }) => {
    await post("/api/ticket/pay", { sale: sale.id, order, request_id: `pay ${user}` });
    await inLedger(sale, 5);
    await open(page, `/orders/${order}`);
    const [now, seats] = [card(page, "State now"), card(page, "Seats")];
    await expect(now.getByRole("button", { name: "Refund selected seats" })).toHaveCount(0);
    await seats.getByRole("checkbox", { name: "Select S-01-03" }).check();
    await now.getByRole("button", { name: "Refund selected seats" }).click();
    await expect(now.getByText("Refund ¥88.00 for S-01-03, and keep the other seats?")).toBeVisible();
    await now.getByRole("button", { name: "Yes, do it" }).click();
    const done = now.getByText("¥88.00 refunded for S-01-03. The order keeps the other seats.");
    await expect(done, "what was done has the focus").toBeFocused();
    await expect(now.getByText("Paid", { exact: true })).toBeVisible();
    await expect(definition(now, "Total")).toHaveText("¥88.00");
    await expect(seats.getByRole("row").filter({ hasText: "S-01-03" })).toContainText("Returned");
    await expect(seats.getByRole("checkbox"), "the last seat comes back with the order").toHaveCount(0);
    const part = card(page, "History").getByRole("listitem").first();
    await expect(part).toContainText(/Refunded.*S-01-03.*¥88\.00/);
    await expect(part).not.toContainText("S-01-04");
    const { state } = await post<{ state: string }>("/api/ticket/seat", { sale: sale.id, seat: "S-01-03" });
    expect(state).toBe("free");
    await open(page, `/users/${encodeURIComponent(user)}`);
    await expect(card(page, "Has now").getByText("S-01-04")).toBeVisible();
    await expect(card(page, "Has now").getByText("S-01-03")).toHaveCount(0);
  });

  test("has an order that an operator releases, reached from the ledger", async ({ page }) => {
    await open(page, `/ledger?sale=${sale.id}`);
    const row = page.getByRole("rowgroup").last().getByRole("row").first();
    await expect(row.getByRole("link", { name: user })).toHaveAttribute("href", `/users/${encodeURIComponent(user)}`);
    await row.getByRole("link", { name: order }).click();
    const now = card(page, "State now");
    await expect(definition(now, "Held until")).not.toBeEmpty();
    await now.getByRole("button", { name: "Release seats" }).click();
    await now.getByRole("button", { name: "Yes, do it" }).click();
    await expect(now.getByText("The order is cancelled. Its seats are free again.")).toBeVisible();
    await expect(now.getByText("Cancelled", { exact: true })).toBeVisible();
  });

  test("is found by order, request and code, by keyboard alone", async ({ page, context }) => {
    await open(page, "/");
    const find = async (text: string, name: string) => {
      await page.keyboard.press("Control+k");
      await box(page).fill(text);
      await expect(finder(page).getByRole("option", { name }).first()).toBeVisible();
    };
    await find(order.slice(0, 30), order);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Order");
    await find(code.toLowerCase(), code);
    await page.keyboard.press("Enter");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText(`User ${user}`);
    await find(`hold ${user}`, `hold ${user}`);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/^[^?]*\/ledger\?request_id=hold/);
    await find(sale.id.slice(0, 20), sale.id);
    // The order of the results is the same whichever way one goes through them.
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(sale.path);

    await find("le", "Ledger");
    await box(page).fill("nothing begins with this");
    await expect(finder(page).getByText("Nothing begins with this.")).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(finder(page)).toBeHidden();
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keys" });
    await expect(keys).toContainText("Present a sale or a duel");
    await page.keyboard.press("f");
    await expect(page, "keys of the page do nothing below a dialog").not.toHaveURL(/present/);
    await page.keyboard.press("Escape");
    await expect(keys).toBeHidden();

    // Where nothing had the focus before, the box of a dialog that was closed keeps it until the next frame.
    await page.evaluate(() => (document.activeElement as HTMLElement).blur());
    await page.keyboard.press("Control+k");
    await expect(box(page)).toBeFocused();
    await page.evaluate(() => {
      document.querySelector<HTMLDialogElement>("dialog[open]")?.close();
      const { activeElement } = document;
      activeElement?.dispatchEvent(new KeyboardEvent("keydown", { key: "?", bubbles: true, cancelable: true }));
    });
    await expect(keys).toBeVisible();
    await page.keyboard.press("Escape");
    await expect(keys).toBeHidden();

    // Those who dictate press letters without meaning to.
    await page.getByRole("button", { name: "Single-key shortcuts" }).click();
    await page.keyboard.press("/");
    await expect(finder(page)).toBeHidden();
    await page.keyboard.press("Control+k");
    await expect(finder(page)).toBeVisible();
    await context.clearCookies({ name: "keys" });
  });

  test("has pages that axe finds nothing in, on every screen and in both languages", async ({ page, post, inLedger, visitor, baseURL }) => {
    const long = "W".repeat(64);
    await post("/api/ticket/reserve", { sale: sale.id, user: long, request_id: long, seats: ["S-02-03"], holders: [long] });
    await inLedger(sale, 4);
    const pages = [`/users/${encodeURIComponent(user)}`, `/users/${long}`, `/orders/${order}`, "/users/nobody%20at%20all"];
    for (const path of pages) {
      await open(page, path);
      await fitsEverywhere(page);
      await clean(page);
    }
    await open(page, "/");
    await page.getByRole("button", { name: "Find" }).click();
    await box(page).fill("W");
    await expect(finder(page).getByRole("option", { name: long }).first()).toBeVisible();
    await fitsEverywhere(page);
    await clean(page);
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await clean(page);

    const chinese = await visitor({ locale: "zh-CN", baseURL });
    const names = [user, sale.id, stock, coupons, order, code, "S-01-03", "S-01-04", "Wang Wei", "Li Na", "nobody at all", "hold", "claim"];
    for (const path of [pages[0], pages[2], pages[3]]) {
      await open(chinese, path);
      expect.soft(await english(chinese.getByRole("main"), ...names), path).toEqual([]);
    }
  });

  test("can be read without JavaScript", async ({ visitor }) => {
    const page = await visitor({ javaScriptEnabled: false });
    await page.goto(`/users/${encodeURIComponent(user)}`);
    await expect(card(page, "Has now")).toContainText("S-01-03 (Wang Wei)");
    await card(page, "Has now").getByRole("link", { name: order }).click();
    await expect(card(page, "Seats")).toContainText("Li Na");
  });
});

test("the reader's own order leads to its page", async ({ page, openTickets }) => {
  const sale = await openTickets();
  await openLive(page, sale.path);
  await page.getByRole("region", { name: "Select seats" }).getByRole("button", { name: "Hold best available" }).click();
  await page.getByRole("region", { name: "Your orders" }).getByRole("link", { name: "Order details" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Order");
  await expect(card(page, "State now").getByText("Held", { exact: true })).toBeVisible();
});

test("an operator extends a hold, and the ledger says why", async ({ page, openTickets, post, inLedger }) => {
  const sale = await openTickets({ extendable: true });
  const held = { sale: sale.id, user: "Mei", seats: ["S-01-03"] };
  const { order } = await post<{ order: string }>("/api/ticket/reserve", held);
  await open(page, `/orders/${order}?sale=${sale.id}`);
  const now = card(page, "State now");
  await now.getByRole("button", { name: "Extend hold" }).click();
  await expect(now.getByText("That can be done once.")).toBeVisible();
  await reason(now).fill("  Card trouble  ");
  await now.getByRole("button", { name: "Yes, do it" }).click();
  await expect(now.getByText("The hold is extended.")).toBeFocused();
  await expect(now.getByRole("button", { name: "Extend hold" })).toHaveCount(0);
  await expect(card(page, "History").getByRole("listitem").first()).toContainText(/Hold extended.*Card trouble/);

  await inLedger(sale, 3);
  await open(page, `/ledger?sale=${sale.id}&outcome=extended`);
  await page.getByRole("rowgroup").last().getByRole("row").first().getByRole("cell").last().getByRole("link").click();
  const details = page.getByRole("region", { name: "Row details" });
  await expect(definition(details, "Reason")).toHaveText("Card trouble");
});

test("an operator takes a redemption and a coupon back, and says why", async ({ page, post, inLedger }) => {
  const user = `Mei ${crypto.randomUUID().slice(0, 8)}`;
  const { sale } = await post<{ sale: string }>("/api/coupon/open", { total: 9 });
  const { code } = await post<{ code: string }>("/api/coupon/claim", { sale, user });
  await post("/api/coupon/redeem", { sale, code, request_id: "till" });
  await inLedger({ id: sale }, 3);
  await open(page, `/users/${encodeURIComponent(user)}`);
  const now = card(page, "Has now");
  await now.getByRole("button", { name: "Take back" }).click();
  await expect(now.getByText(`Take the redemption of ${code} back?`)).toBeVisible();
  await reason(now).fill("Rung up twice");
  await now.getByRole("button", { name: "Take it back" }).click();
  await expect(now.getByText(`The redemption of ${code} is taken back.`), "what was done has the focus").toBeFocused();
  const lines = card(page, "History").getByRole("listitem");
  await expect(lines.first()).toContainText(/Redemption taken back.*Rung up twice/);

  await now.getByRole("button", { name: "Give back" }).click();
  await reason(now).fill("Moved away");
  await now.getByRole("button", { name: "Give it back" }).click();
  await expect(now.getByText(`${code} is given back.`)).toBeFocused();
  await expect(lines.first()).toContainText(/Moved away/);
  await expect(now.getByText("Nothing at the moment.")).toBeVisible();
});

test("an operator confirms a reservation and gives units back, and says why", async ({ page, post, inLedger }) => {
  const user = `Mei ${crypto.randomUUID().slice(0, 8)}`;
  const { sale } = await post<{ sale: string }>("/api/stock/open", { quantity: 50, hold_s: 600 });
  const plain = (await post<{ sale: string }>("/api/stock/open", { quantity: 50 })).sale;
  for (const id of [sale, plain]) await post("/api/stock/deduct", { sale: id, user, quantity: 3, request_id: `${user} ${id}` });
  await inLedger({ id: sale }, 2);
  await inLedger({ id: plain }, 2);
  await open(page, `/users/${encodeURIComponent(user)}`);
  const now = card(page, "Has now");
  const entry = (id: string) => now.getByRole("listitem").filter({ has: page.getByRole("heading") }).filter({ hasText: id });
  await entry(sale).getByRole("button", { name: "Confirm" }).click();
  await reason(entry(sale)).fill("Paid in cash");
  await entry(sale).getByRole("button", { name: "Yes, do it" }).click();
  await expect(now.getByText("Confirmed: 3.")).toBeFocused();
  const history = card(page, "History");
  await expect(history.getByRole("listitem").first()).toContainText(/Confirmed.*Paid in cash/);
  await expect(entry(sale).getByRole("button", { name: "Confirm" }), "it is confirmed").toHaveCount(0);
  await expect(entry(plain).getByRole("button", { name: "Confirm" }), "it needs no confirmation").toHaveCount(0);

  await entry(sale).getByRole("button", { name: "Give one back" }).click();
  await reason(entry(sale)).fill("One is broken");
  await entry(sale).getByRole("button", { name: "Yes, do it" }).click();
  await expect(now.getByText("Given back: 1. The user keeps 2.")).toBeFocused();
  await expect(history.getByRole("listitem").first()).toContainText(/One is broken/);
  await entry(plain).getByRole("button", { name: "Give it back" }).click();
  await entry(plain).getByRole("button", { name: "Yes, do it" }).click();
  await expect(entry(plain)).toHaveCount(0);
  await clean(page);
  await fitsEverywhere(page);
});
