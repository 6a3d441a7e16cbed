// The board of audits, and the ledger on a sale's own page.

import { type Page } from "@playwright/test";
import { expect, open, openLive, post, test } from "../fixtures";
import { PHONE, clean, fitsEverywhere } from "../looks";
import { redisCli } from "../server";

/** Sales without an id of their own have a readable name before it. */
const card = (page: Page, sale: string) =>
  page.getByRole("listitem").filter({ has: page.getByRole("link", { name: new RegExp(`(^| )${sale}$`) }) });

test("a sale's card says whether it holds, and how far the ledger is behind", async ({ page, sale, post }) => {
  await post("/api/red-packet/claim", { sale: sale.id, user: "Mei" });
  await open(page, "/");
  await page.getByRole("navigation").getByRole("link", { name: "Audit" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Audit");
  await expect(page.getByRole("navigation").getByRole("link", { name: "Audit" })).toHaveAttribute("aria-current", "page");
  await expect(page.getByText("Ledger writer:")).toBeVisible();
  const mine = card(page, sale.id);
  await expect(mine.getByRole("definition").nth(0)).toHaveText("Red packets");
  await expect(mine.getByRole("definition").nth(1)).toContainText(String(new Date().getFullYear()));
  await expect(mine.getByRole("definition").nth(2)).toHaveText("0 events, 0.0 s");
  await expect(mine.getByRole("definition").last()).toHaveText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);

  await mine.getByRole("button", { name: "Audit now" }).click();
  await expect(page.getByRole("status").filter({ hasText: new RegExp(`\\w+ \\w+ \\(${sale.id}\\): Holds`) })).toBeVisible();
  await expect(mine.getByText("Holds", { exact: true }).first()).toBeVisible();
  await expect(mine.getByText("Checked").getByRole("button", { name: /^(just now|1 min ago)$/ })).toBeVisible();
  await expect(mine.getByRole("table")).toBeHidden();
  await mine.getByText("Invariants", { exact: true }).first().click();
  await expect(mine.getByRole("row", { name: /All packets accounted for 100 100 Holds/ })).toBeVisible();
  await expect(mine.getByRole("row", { name: /Every win is in the ledger 1 1 Holds/ })).toBeVisible();
  // It stays unfolded while the board is asked again.
  await page.waitForResponse(/api\/audit\/board/);
  await expect(mine.getByRole("table")).toBeVisible();
});

test("all can be audited at once, and how many hold is said first; kind and verdict are filtered by the address", async ({ page, openSale, openTickets, visitor }) => {
  const [packets, tickets] = [await openSale(), await openTickets()];
  await open(page, "/audit");
  for (const { id } of [packets, tickets]) await expect(card(page, id)).toBeVisible();
  await page.getByRole("button", { name: "Audit these" }).click();
  for (const { id } of [packets, tickets]) await expect(card(page, id).getByText("Holds", { exact: true }).first()).toBeVisible();
  await expect(page.getByText(/^(\d+) of \1 hold$/)).toBeVisible();

  const filter = page.getByRole("search");
  await filter.getByLabel("Kind").selectOption("Tickets");
  await filter.getByRole("button", { name: "Filter" }).click();
  await expect(page).toHaveURL("/audit?kind=ticket");
  await expect(card(page, tickets.id)).toBeVisible();
  await expect(card(page, packets.id)).toHaveCount(0);
  await filter.getByLabel("Verdict").selectOption("Broken");
  await filter.getByRole("button", { name: "Filter" }).click();
  await expect(page).toHaveURL("/audit?kind=ticket&verdict=broken");
  await expect(page.getByText("No matches. Change or clear the filter.")).toBeVisible();
  await page.goBack();
  await expect(card(page, tickets.id)).toBeVisible();
  await expect(filter.getByLabel("Verdict")).toHaveValue("");
  await filter.getByRole("link", { name: "Clear filter" }).click();
  await expect(card(page, packets.id)).toBeVisible();

  const still = await visitor({ javaScriptEnabled: false });
  await still.goto("/audit?verdict=holds");
  await expect(card(still, packets.id)).toBeVisible();
  await still.getByLabel("Kind").selectOption("Tickets");
  await still.getByRole("button", { name: "Filter" }).click();
  await expect(card(still, tickets.id)).toBeVisible();
  await expect(card(still, packets.id)).toHaveCount(0);
  await still.goto("/audit?verdict=fine");
  await expect(still.getByText("This filter is not valid")).toBeVisible();
});

test("the board is whole before it wakes up", async ({ visitor, sale }) => {
  const page = await visitor({ javaScriptEnabled: false });
  await page.goto("/audit");
  await expect(card(page, sale.id)).toContainText("Lag");
  await expect(card(page, sale.id).getByRole("button", { name: "Audit now" })).toBeDisabled();
});

test("what is broken comes first, unfolded; what Redis lost says what to do", async ({ page, request, alone }) => {
  const { server, store } = alone;
  const sale = async (id: string) => {
    await post(request, `${server.url}/api/red-packet/open`, { id, total_cents: 400, count: 4, splitter: "equal" });
    await post(request, `${server.url}/api/red-packet/claim`, { sale: id, user: "Mei" });
    const total = async () => (await post<{ total: number }>(request, `${server.url}/api/ledger/search`, { sale: id })).total;
    await expect.poll(total).toBe(2);
  };
  for (const id of ["robbed", "lost", "sound"]) await sale(id);
  await redisCli(store, "LPOP", "{red_packet:robbed}:pending");
  const keys = await redisCli(store, "KEYS", "{red_packet:lost}:*");
  await redisCli(store, "DEL", ...keys.split("\n"));

  await open(page, `${server.url}/audit`);
  await page.getByRole("button", { name: "Audit these" }).click();
  const robbed = card(page, "robbed");
  await expect(robbed.getByText("Broken", { exact: true }).first()).toBeVisible();
  await expect(robbed.getByRole("row", { name: /All packets accounted for 4 3 Broken/ })).toBeVisible();
  await expect(card(page, "lost").getByText(/This sale is in the ledger but not in Redis. To recover it, run stampede recover --redis \S+ --data-dir \S+ lost$/)).toBeVisible();
  await expect(card(page, "sound").getByRole("table")).toBeHidden();
  await expect(card(page, "sound")).toHaveCount(1);
  await expect(page.getByRole("listitem").filter({ has: page.getByRole("link") }).last()).toContainText("sound");
  await expect(page.getByRole("listitem").filter({ has: page.getByRole("link") }).first()).toContainText(/robbed|lost/);
  await expect(page.getByText("1 of 3 hold")).toBeVisible();
  await page.goto(`${server.url}/audit?verdict=broken`);
  await expect(card(page, "sound")).toHaveCount(0);
  await expect(robbed).toBeVisible();
  await clean(page);
  await fitsEverywhere(page);
});

test("a sale's own page says how far the ledger is behind, and leads to its history", async ({ page, sale, post, inLedger }) => {
  await openLive(page, sale.path);
  await post("/api/red-packet/claim", { sale: sale.id, user: "Mei" });
  await inLedger(sale, 2);
  await expect(page.getByRole("meter", { name: "Claimed" })).toHaveAttribute("aria-valuenow", "1");
  const ledger = page.getByRole("region", { name: "Ledger" });
  await expect(ledger.getByRole("definition").first()).toHaveText("0 events, 0.0 s");
  const shown = await page.getByRole("main").getAttribute("data-event-id");
  await expect(ledger.getByRole("definition").last().getByTitle(shown!)).toHaveText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  await ledger.getByRole("link", { name: "History" }).click();
  await expect(page).toHaveURL(`/ledger?sale=${sale.id}`);
  await expect(page.getByRole("main").getByRole("status")).toHaveText("2 rows");
});

test("nothing moves on a phone when times become the reader's own", async ({ own, request, visitor }) => {
  // A board of its own: elsewhere, audits of other sales change it meanwhile.
  const { url } = await own.serve();
  const terms = { total_cents: 10_000, count: 100, splitter: "equal" };
  const { sale } = await post<{ sale: string }>(request, `${url}/api/red-packet/open`, terms);
  const recorded = async () => (await post<{ total: number }>(request, `${url}/api/ledger/search`, { sale })).total;
  await expect.poll(recorded).toBe(1);
  await post(request, `${url}/api/audit/now`, { kind: "red_packet", sale });
  const page = await visitor({ timezoneId: "Asia/Tokyo", viewport: PHONE });
  await page.addInitScript(() => {
    const moved: string[] = [];
    type Shift = PerformanceEntry & { sources: { node?: Element }[] };
    const note = (shifts: Shift[]) =>
      moved.push(...shifts.flatMap(({ sources }) => sources.map(({ node }) => node?.outerHTML?.slice(0, 100) ?? "")));
    const shifts = new PerformanceObserver((list) => note(list.getEntries() as Shift[]));
    shifts.observe({ type: "layout-shift", buffered: true });
    Object.assign(window, { moved: () => (note(shifts.takeRecords() as Shift[]), moved) });
  });
  await open(page, `${url}/audit`);
  await expect(card(page, sale).getByRole("definition").getByRole("time").first()).toHaveText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await page.evaluate(() => (window as unknown as { moved: () => string[] }).moved())).toEqual([]);
});
