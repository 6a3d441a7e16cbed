// From page to page: one document for all of them, and back and forward lead to what was there before.

import { type Locator, type Page } from "@playwright/test";
import { DESK, PHONE } from "../looks";
import { expect, holdBack, open, openLive, tab, test } from "../fixtures";
import { kinds, openSaleOf } from "../kinds";

const link = (page: Page, name: string) => page.getByRole("navigation").getByRole("link", { name, exact: true });
const heading = (page: Page) => page.getByRole("heading", { level: 1 });
const scrolled = (page: Page) => page.evaluate(() => window.scrollY);

/** Follows a link where the page is: for the mouse, the page would be scrolled to the link first. */
const follow = (to: Locator) => to.dispatchEvent("click");

/** The documents that the page asks the server for from now on. */
function documents(page: Page): string[] {
  const asked: string[] = [];
  page.on("request", (request) => {
    if (request.isNavigationRequest()) asked.push(request.url());
  });
  return asked;
}

/** Another strategy and other users, by the form of the stepper. */
async function choosePlay(page: Page): Promise<void> {
  await page.getByLabel("Strategy").selectOption({ value: "pipeline" });
  await page.locator(".chooser").getByLabel("Attempts").selectOption({ value: "123" });
  await page.getByRole("button", { name: "Show", exact: true }).click();
}

test("all pages lead to each other, back and forth, without loading a document", async ({ page, post }) => {
  const sales = [];
  for (const kind of kinds) sales.push(await openSaleOf(kind, post));
  const [sale] = sales;
  await open(page, "/");
  const asked = documents(page);

  type Step = [path: string | RegExp, go: () => Promise<void>];
  const visits = sales.map(({ id, path }): Step => [path, () => page.getByRole("link", { name: id }).click()]);
  const back: Step = ["/", () => link(page, "Sales").click()];
  const way: Step[] = [
    visits[0],
    back,
    visits[1],
    ["/ledger", () => link(page, "Ledger").click()],
    [`/ledger?sale=${sale.id}`, () => page.getByLabel("Sale", { exact: true }).fill(sale.id).then(() => page.keyboard.press("Enter"))],
    ["/audit", () => link(page, "Audit").click()],
    ["/lab", () => link(page, "Lab").click()],
    ["/lab/faults", () => page.getByRole("link", { name: "Rehearse an outage" }).click()],
    ["/lab", () => link(page, "Lab").click()],
    [/\/lab\/step\?.*schedule=/, () => page.getByRole("link", { name: /^Oversold: happens/ }).first().click()],
    [/\/lab\/step\?strategy=pipeline&users=123$/, () => choosePlay(page)],
    ["/api", () => link(page, "API").click()],
    ["/", () => page.getByRole("banner").getByRole("link", { name: "Stampede" }).click()],
    ...visits.slice(2).flatMap((visit) => [visit, back]).slice(0, -1),
  ];
  const headings: (string | null)[] = [];
  for (const [path, go] of way) {
    await go();
    await expect(page).toHaveURL(path);
    await expect(heading(page)).toBeVisible();
    headings.push(await heading(page).textContent());
  }
  const last = way.length - 1;
  const isAt = async (place: number) => {
    await expect(page).toHaveURL(way[place][0]);
    await expect(heading(page)).toHaveText(headings[place]!);
  };
  for (let place = last - 1; place >= 0; place--) {
    await page.goBack();
    await isAt(place);
  }
  for (let place = 1; place <= last; place++) {
    await page.goForward();
    await isAt(place);
  }
  await test.step("and on, to a page that was there before", async () => {
    await page.goBack();
    await page.goForward();
    await isAt(last);
    await link(page, "Ledger").click();
    await isAt(3);
    await page.goBack();
    await isAt(last);
  });
  expect(asked, "documents that were loaded").toEqual([]);
});

test("a link that goes with its page hands the focus on to the page that it leads to, and one that stays keeps it", async ({ page, sale }) => {
  await open(page, "/");
  await page.getByRole("link", { name: sale.id }).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(sale.path);
  await expect(page.getByRole("main")).toBeFocused();
  await link(page, "Ledger").focus();
  await page.keyboard.press("Enter");
  await expect(heading(page)).toHaveText("Ledger");
  await expect(link(page, "Ledger")).toBeFocused();
});

test("a place on the first page takes the focus along, and the links to the page lead to its top again", async ({ openSale, page }) => {
  await Promise.all(Array.from({ length: 10 }, () => openSale()));
  await page.setViewportSize(PHONE);
  await open(page, "/ledger");
  await link(page, "Sales").click();
  await page.getByRole("link", { name: "Open a sale" }).click();
  await expect(page).toHaveURL("/#open-title");
  await expect(page.getByRole("heading", { name: "Open a sale" })).toBeFocused();
  await expect.poll(() => scrolled(page)).toBeGreaterThan(500);
  await link(page, "Sales").click();
  await expect(page).toHaveURL("/");
  await expect.poll(() => scrolled(page)).toBe(0);
});

/** Chooses settings of the lab, which changes the address alone. */
const chooseSettings = (page: Page, name: RegExp) => follow(page.getByRole("link", { name }));

test("after a step back that changes only what a page shows, keys scroll it to a place that is kept", async ({ page }) => {
  await page.setViewportSize(PHONE);
  await open(page, "/lab");
  await chooseSettings(page, /^Slow network/);
  await expect(page).toHaveURL(/delay_ms=5/);
  await page.goBack();
  await expect(page).toHaveURL("/lab");
  // The step back scrolls in the next frame.
  await page.evaluate(() => new Promise(requestAnimationFrame));
  // Not to the end, which is further down once another run is kept.
  const ended = page.evaluate(() => new Promise<void>((end) => document.addEventListener("scrollend", () => end(), { once: true })));
  await page.keyboard.press("PageDown");
  await ended;
  const before = await scrolled(page);
  expect(before).toBeGreaterThan(500);
  await follow(link(page, "Audit"));
  await expect(heading(page)).toHaveText("Audit");
  await page.goBack();
  await expect(page).toHaveURL("/lab");
  await expect.poll(() => scrolled(page)).toBe(before);
});

test("a choice that leaves the page where it is has that place, too", async ({ page }) => {
  await page.setViewportSize(PHONE);
  await open(page, "/lab");
  await page.mouse.wheel(0, 600);
  await expect.poll(() => scrolled(page)).toBe(600);
  for (const [name, address] of [[/^The article's table/, /users=10000/], [/^Slow network/, /delay_ms=5/]] as const) {
    await chooseSettings(page, name);
    await expect(page).toHaveURL(address);
  }
  expect(await scrolled(page)).toBe(600);
  await follow(link(page, "Audit"));
  await expect(heading(page)).toHaveText("Audit");
  await page.goBack();
  await expect(page).toHaveURL(/delay_ms=5/);
  await expect.poll(() => scrolled(page)).toBe(600);
  await page.goBack();
  await expect(page).toHaveURL(/users=10000/);
  await expect.poll(() => scrolled(page)).toBe(600);
});

test("two steps forward from another document lead to where the reader was", async ({ page, sale }) => {
  await page.setViewportSize(PHONE);
  await page.goto("about:blank");
  await open(page, "/");
  await page.getByRole("link", { name: sale.id }).click();
  await expect(heading(page)).toContainText("Red packets");
  await page.mouse.wheel(0, 400);
  await expect.poll(() => scrolled(page)).toBe(400);
  await page.goBack();
  await expect(page).toHaveURL("/");
  await page.goBack();
  await expect(page).toHaveURL("about:blank");
  await page.evaluate(() => history.go(2));
  await expect(page).toHaveURL(sale.path);
  await expect.poll(() => scrolled(page)).toBe(400);
});

test("what changes only the address of a sale loads no document, whatever its id", async ({ openSale, page }) => {
  const sale = await openSale({ id: `红包 会场 ${crypto.randomUUID().slice(0, 8)}` });
  await openLive(page, sale.path);
  const asked = documents(page);
  await tab(page, "Audit");
  await expect(page).toHaveURL(`${sale.path}?tab=audit`);
  await page.getByRole("link", { name: "Present", exact: true }).click();
  await expect(page).toHaveURL(`${sale.path}?tab=audit&present=1`);
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(`${sale.path}?tab=audit`);
  expect(asked, "documents that were loaded").toEqual([]);
});

test("back to the list of sales leads to where the reader was in it", async ({ openSale, page, post }) => {
  // The first of them is the last of the list.
  const sales = [await openSale(), ...(await Promise.all(Array.from({ length: 44 }, () => openSale())))];
  // Rows are higher while the ledger is behind.
  const recorded = async () => {
    const { sales: listed } = await post<{ sales: { sale: string; lag_events: number | null }[] }>("/api/sales", {});
    return listed.filter(({ sale, lag_events }) => lag_events === 0 && sales.some(({ id }) => id === sale)).length;
  };
  await expect.poll(recorded).toBe(sales.length);
  await page.setViewportSize(PHONE);
  await open(page, "/");
  const asked = documents(page);
  const entry = page.getByRole("link", { name: sales[0].id });
  await entry.scrollIntoViewIfNeeded();
  const before = await scrolled(page);
  expect(before).toBeGreaterThan(1_000);
  await entry.click();
  await expect(page).toHaveURL(sales[0].path);
  await expect(heading(page)).toBeInViewport();
  expect(await scrolled(page)).toBe(0);
  await page.goBack();
  await expect(entry).toBeInViewport();
  expect(await scrolled(page)).toBe(before);
  await page.goForward();
  await expect(page).toHaveURL(sales[0].path);
  await expect(heading(page)).toBeInViewport();
  await page.goBack();
  await expect(entry).toBeInViewport();
  await link(page, "Sales").click();
  await expect(heading(page)).toBeInViewport();
  expect(asked, "documents that were loaded").toEqual([]);
});

test("back leads to the top of a page that was never scrolled, and to where it was after a reload", async ({ openSale, page }) => {
  await Promise.all(Array.from({ length: 30 }, () => openSale()));
  await page.setViewportSize(PHONE);
  await open(page, "/");
  const asked = documents(page);
  await test.step("the list before it was filtered", async () => {
    const search = page.getByRole("search");
    await search.getByLabel("Kind").selectOption("red_packet");
    await expect(page).toHaveURL("/?kind=red_packet");
    await page.mouse.wheel(0, 900);
    await expect.poll(() => scrolled(page)).toBeGreaterThan(500);
    await page.goBack();
    await expect.poll(() => scrolled(page)).toBe(0);
  });
  await test.step("a place on the first page", async () => {
    await page.getByRole("link", { name: "Open a sale" }).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => scrolled(page)).toBeGreaterThan(500);
    await expect(page.getByRole("heading", { name: "Open a sale" })).toBeFocused();
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => document.querySelector("[aria-labelledby=open-title]")?.contains(document.activeElement))).toBe(true);
    await page.goBack();
    await expect.poll(() => scrolled(page)).toBe(0);
  });
  await test.step("a place on the same page", async () => {
    await open(page, "/api?group=tickets");
    await page.getByRole("region", { name: "Tickets" }).getByRole("listitem").getByRole("link", { name: "/api/ticket/cancel" }).click();
    await expect(page).toHaveURL(/#/);
    await expect.poll(() => scrolled(page)).toBeGreaterThan(1_000);
    // Its place is remembered with the next frame.
    const below = await page.evaluate(() => new Promise<number>((read) => requestAnimationFrame(() => read(window.scrollY))));
    await page.goBack();
    // Near the top, where the link is: the mouse may have had to scroll to it.
    await expect.poll(() => scrolled(page)).toBeLessThan(1_000);
    await page.goForward();
    await expect.poll(() => scrolled(page)).toBe(below);
  });
  expect(asked.filter((url) => !url.endsWith("/api?group=tickets")), "documents that were loaded").toEqual([]);
  await test.step("a document that was loaded again", async () => {
    await open(page, "/");
    await page.mouse.wheel(0, 900);
    await expect.poll(() => scrolled(page)).toBe(900);
    const before = await scrolled(page);
    await follow(link(page, "Audit"));
    await expect(page).toHaveURL("/audit");
    await page.reload();
    // Before the program runs, back is another matter: see below.
    await expect(page.getByRole("banner").getByRole("button").last()).toBeEnabled();
    await page.goBack();
    await expect(page).toHaveURL("/");
    await expect.poll(() => scrolled(page)).toBe(before);
  });
});

test("two steps back at once lead to where the reader was, and forth again, too", async ({ page }) => {
  await open(page, "/api?group=tickets");
  const endpoints = page.getByRole("region", { name: "Tickets" }).getByRole("listitem");
  const places = [];
  for (const name of ["/api/ticket/reserve", "/api/ticket/cancel"]) {
    await follow(endpoints.getByRole("link", { name, exact: true }));
    await expect.poll(() => scrolled(page)).not.toBe(places.at(-1) ?? 0);
    places.push(await scrolled(page));
  }
  await follow(page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Ledger" }));
  await expect(heading(page)).toHaveText("Ledger");
  await page.evaluate(() => {
    history.back();
    addEventListener("popstate", () => history.back(), { once: true });
  });
  await expect.poll(() => scrolled(page)).toBe(places[0]);
  await page.goForward();
  await expect.poll(() => scrolled(page)).toBe(places[1]);
});

test("back before the program of a reloaded page runs leads to the page before", async ({ page }) => {
  await open(page, "/");
  await link(page, "Audit").click();
  await expect(page).toHaveURL("/audit");
  const arrive = await holdBack(page);
  await page.reload({ waitUntil: "commit" });
  await expect(heading(page)).toHaveText("Audit");
  await page.evaluate(() => history.back());
  await expect(page).toHaveURL("/");
  arrive();
  await expect(heading(page)).toHaveText("Every item sold exactly once");
  await link(page, "Ledger").click();
  await expect(page).toHaveURL("/ledger");
  await expect(heading(page)).toHaveText("Ledger");
});

test("the list is filtered while one types, by any part of an id, and a pause is no step back", async ({ openSale, openTickets, page }) => {
  const day = Date.now();
  const [packets, tickets] = [await openSale({ id: `launch-packets-${day}` }), await openTickets({ id: `launch-seats-${day}` })];
  await open(page, "/audit");
  await open(page, "/");
  const entry = (sale: { id: string }) => page.getByRole("link", { name: sale.id });
  const ids = page.getByLabel("ID or title contains");
  await ids.pressSequentially("AUNCH-s");
  await expect(entry(packets)).toHaveCount(0);
  await expect(entry(tickets)).toBeVisible();
  await expect(ids).toBeFocused();
  await expect(ids).toHaveValue("AUNCH-s");
  await ids.fill("");
  await expect(page).toHaveURL("/");
  await page.getByRole("search").getByLabel("Kind").selectOption("red_packet");
  await expect(page).toHaveURL("/?kind=red_packet");
  await expect(entry(tickets)).toHaveCount(0);
  await page.goBack();
  await expect(page).toHaveURL("/");
  await page.goBack();
  await expect(page).toHaveURL("/audit");
});

test("what is typed stays while the list is filtered and paged", async ({ openSale, openTickets, page }) => {
  const [packets, tickets] = [await openSale(), await openTickets()];
  await open(page, "/");
  const entry = (sale: { id: string }) => page.getByRole("link", { name: sale.id });
  await expect(entry(packets)).toBeVisible();
  const typed = page.getByRole("form", { name: "Open a red packet sale" }).getByLabel("Packets");
  await typed.fill("123");
  const search = page.getByRole("search");
  await expect(search.getByRole("button", { name: "Filter" }), "what is chosen acts at once").toBeHidden();
  await search.getByLabel("Kind").focus();
  await search.getByLabel("Kind").selectOption("ticket");
  await expect(page, "what was chosen, and nothing else").toHaveURL("/?kind=ticket");
  await expect(entry(packets)).toBeHidden();
  await expect(entry(tickets)).toBeVisible();
  await expect(typed).toHaveValue("123");
  await expect(search.getByLabel("Kind")).toBeFocused();
  await page.goBack();
  await expect(entry(packets)).toBeVisible();
  await expect(search.getByLabel("Kind")).toHaveValue("");
  await expect(typed).toHaveValue("123");
  await page.goForward();
  await expect(search.getByLabel("Kind")).toHaveValue("ticket");
  await search.getByLabel("Kind").selectOption("");
  await expect(page).toHaveURL("/");
});

test("what was typed into the form that opens a sale is there on the way back, until the sale is open", async ({ page }) => {
  await open(page, "/");
  const form = page.getByRole("region", { name: "Open a sale" });
  await form.getByRole("button", { name: "Stock" }).click();
  const quantity = form.getByLabel("Quantity", { exact: true });
  await quantity.fill("20");
  await link(page, "Audit").click();
  await expect(page).toHaveURL("/audit");
  await link(page, "Sales").click();
  await expect(quantity).toHaveValue("20");
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(page).toHaveURL(/\/stock\/.+/);
  await link(page, "Sales").click();
  await expect(quantity).toHaveValue("10000");
  await page.reload();
  await expect(page.getByRole("banner").getByRole("button").last()).toBeEnabled();
  await expect(quantity).toHaveValue("10000");
});

test("the kind chosen last comes back with the page, over what was typed for another", async ({ page }) => {
  await open(page, "/");
  await page.getByLabel("Packets", { exact: true }).fill("77");
  const forms = page.getByRole("region", { name: "Open a sale" });
  await forms.getByRole("button", { name: "Tickets" }).click();
  await expect(forms.getByRole("form", { name: "Open a ticket sale" })).toBeVisible();
  await open(page, "/");
  await expect(forms.getByRole("form", { name: "Open a ticket sale" })).toBeVisible();
  // The whole page still works.
  await forms.getByRole("button", { name: "Red packets" }).click();
  await expect(page.getByLabel("Packets", { exact: true })).toHaveValue("77");
});

test("a sale that is of another kind than the address says is a click away", async ({ complaints, page, sale }) => {
  complaints.forgive(/404 \(Not Found\)/);
  await open(page, sale.path.replace("/red-packets/", "/tickets/"));
  await expect(heading(page)).toHaveText("Sale not found");
  await expect(page.getByText("Other kinds of sale with this ID:")).toBeVisible();
  await page.getByRole("main").getByRole("link", { name: "Red packets" }).click();
  await expect(page).toHaveURL(sale.path);
  await expect(heading(page)).toHaveText(/Red packets/);
  // The same without a document of its own.
  const asked = documents(page);
  await page.goBack();
  await expect(page.getByText("Other kinds of sale with this ID:")).toBeVisible();
  expect(asked, "documents that were loaded").toEqual([]);
});

test("where an address asks for what there is not, the sales are listed all the same", async ({ page, sale }) => {
  const notice = page.getByText("This filter is not valid");
  const entry = page.getByRole("link", { name: sale.id });
  await open(page, "/?state=sunk&kind=boat");
  await expect(notice).toBeVisible();
  await expect(entry).toBeVisible();
  await page.getByRole("link", { name: "Clear filter" }).click();
  await expect(notice).toHaveCount(0);
  // What is typed cannot be longer; and what is known to be wrong is not asked for again.
  const ids = page.getByLabel("ID or title contains");
  await ids.fill("x".repeat(101));
  await expect(ids).toHaveValue("x".repeat(100));
  await open(page, `/?id=${"x".repeat(101)}`);
  await expect(notice).toBeVisible();
  await expect(entry).toBeVisible();
  const answers: number[] = [];
  page.on("response", (response) => answers.push(response.status()));
  await expect.poll(() => answers.length, "it is refreshed").toBeGreaterThan(1);
  expect(answers).not.toContain(400);
});

test("back to the ledger leads to the search and to the rows of before", async ({ inLedger, openSale, page, startCrowd }) => {
  const sale = await openSale({ count: 1_000, total_cents: 100_000, splitter: "equal" });
  await startCrowd(sale, { users: 1_000 });
  await inLedger(sale, 1_001);
  await page.setViewportSize(DESK);
  await open(page, `/ledger?sale=${sale.id}`);
  const asked = documents(page);
  await page.getByLabel("Outcome").selectOption("won");
  await page.getByRole("button", { name: "Search" }).click();
  await expect(page.getByRole("main").getByRole("status")).toHaveText("1,000 rows");

  const row = page.getByRole("rowgroup").last().getByRole("row");
  await page.getByRole("link", { name: "Older rows" }).click();
  await expect(page).toHaveURL(/after=/);
  await expect(page.getByRole("heading", { name: "History", exact: true })).toBeFocused();
  const user = await row.nth(80).getByRole("cell").nth(2).textContent();
  const place = row.filter({ has: page.getByRole("cell", { name: user!, exact: true }) });
  await place.scrollIntoViewIfNeeded();
  const before = await scrolled(page);
  expect(before).toBeGreaterThan(1_000);

  await place.getByRole("link", { name: sale.id }).click();
  await expect(page).toHaveURL(sale.path);
  await page.goBack();
  await expect(place).toBeInViewport();
  await expect.poll(() => scrolled(page)).toBe(before);
  await expect(page.getByLabel("Outcome")).toHaveValue("won");

  await test.step("the pages before begin at their newest rows, and forward leads back to the place", async () => {
    await page.goBack();
    await expect(place).toHaveCount(0);
    await page.goBack();
    await expect(page.getByRole("main").getByRole("status")).toHaveText("1,001 rows");
    await expect(page.getByLabel("Outcome")).toHaveValue("");
    await page.goForward();
    await expect(page.getByRole("main").getByRole("status")).toHaveText("1,000 rows");
    await page.goForward();
    await expect(place).toBeInViewport();
    await expect.poll(() => scrolled(page)).toBe(before);
  });
  await test.step("a step back before the first frame of the next page leads there too", async () => {
    await page.evaluate(() => {
      const frame = window.requestAnimationFrame;
      const held: FrameRequestCallback[] = [];
      window.requestAnimationFrame = (callback) => held.push(callback);
      window.addEventListener("popstate", () => {
        window.requestAnimationFrame = frame;
        for (const callback of held) callback(performance.now());
      }, { once: true });
    });
    await place.getByRole("link", { name: sale.id }).click();
    await expect(heading(page)).toContainText("Red packets");
    await page.goBack();
    await expect(place).toBeInViewport();
    await expect.poll(() => scrolled(page)).toBe(before);
  });
  await test.step("a link leads to the newest rows", async () => {
    await link(page, "Audit").click();
    await link(page, "Ledger").click();
    await expect(page).toHaveURL("/ledger");
    await expect.poll(() => scrolled(page)).toBe(0);
  });
  expect(asked, "documents that were loaded").toEqual([]);
});
