// The history: searched, shared by its address, paged through, taken along.

import { type Locator, type Page } from "@playwright/test";
import { expect, look, open, test, type Sale } from "../fixtures";
import { DESK, PHONE } from "../looks";

const history = (sale: Sale) => `/ledger?sale=${encodeURIComponent(sale.id)}`;
const found = (page: Page) => page.getByRole("main").locator(".found");
const sums = (page: Page) => page.getByRole("group", { name: "Sums", exact: true });

/** Rows in the document, without the head. */
const rows = (page: Page | Locator) => page.getByRole("rowgroup").last().getByRole("row");

/** Mei and Lan each win a packet of a fresh sale of ten. */
test.describe("a sale with two winners", () => {
  let sale: Sale;

  test.beforeEach(async ({ openSale, post, inLedger }) => {
    sale = await openSale({ count: 10, total_cents: 1_000, splitter: "equal" });
    await post("/api/red-packet/claim", { sale: sale.id, user: "Mei", request_id: "mei-1" });
    await post("/api/red-packet/claim", { sale: sale.id, user: "Lan", request_id: "lan-1" });
    await inLedger(sale, 3);
  });

  test("whatever changed is in its history, newest first, and can be taken along", async ({ page, request }) => {
    await open(page, history(sale));
    await expect(found(page)).toHaveText("3 rows");
    await expect(sums(page)).toHaveText("Opened 1 (¥10.00) · Won 2 (¥2.00)");
    await expect(rows(page)).toHaveCount(3);
    const [lan, mei, opened] = await rows(page).all();
    await expect(lan).toContainText(/Won\s*Lan\s*#2\s*¥1\.00/);
    await expect(lan).toContainText("lan-1");
    await expect(mei).toContainText(/Won\s*Mei\s*#1\s*¥1\.00/);
    await expect(opened).toContainText(/Opened\s*¥10\.00/);
    await expect(lan.getByRole("cell").last()).toHaveText(/^\d+-\d+$/);
    await expect(page.getByRole("navigation").getByRole("link", { name: "Ledger" })).toHaveAttribute("aria-current", "page");
    await page.getByLabel("Outcome").selectOption("won");
    await page.getByRole("button", { name: "Search" }).click();
    await expect(found(page)).toHaveText("2 rows");
    await expect(sums(page)).toHaveText("Won 2 (¥2.00)");
    const file = async (name: string) => {
      const answer = await request.get((await page.getByRole("link", { name }).getAttribute("href"))!);
      expect(answer.status()).toBe(200);
      return (await answer.text()).trim().split(/\r?\n/);
    };
    const csv = await file("Export as CSV");
    // The names of the columns, the rows, and the end.
    expect(csv).toHaveLength(4);
    expect(csv.join()).toContain("mei-1");
    const jsonl = await file("Export as JSON Lines");
    expect(JSON.parse(jsonl.pop()!)).toEqual({ end: true, rows: 2 });
    expect(jsonl.map((line) => JSON.parse(line).user).sort()).toEqual(["Lan", "Mei"]);
    await mei.getByRole("link", { name: sale.id }).click();
    await expect(page).toHaveURL(sale.path);
  });

  test("a search is in the address, and the way back leads to the one before", async ({ page }) => {
    await open(page, history(sale));
    const user = page.getByLabel("User", { exact: true });
    const outcome = page.getByLabel("Outcome");
    const search = page.getByRole("button", { name: "Search" });
    await expect(page.getByLabel("Sale", { exact: true })).toHaveValue(sale.id);

    await user.fill("Mei");
    await search.click();
    await expect(found(page)).toHaveText("1 row");
    await expect(rows(page)).toContainText(["Mei"]);
    expect(new URL(page.url()).search).toBe(`?sale=${sale.id}&user=Mei`);

    await user.fill("");
    await outcome.selectOption("Opened");
    await search.press("Enter");
    await expect(rows(page)).toContainText(["Opened"]);
    expect(new URL(page.url()).search).toBe(`?sale=${sale.id}&outcome=opened`);

    await page.goBack();
    await expect(rows(page)).toContainText(["Mei"]);
    await expect(user).toHaveValue("Mei");
    await expect(outcome).toHaveValue("");
    await page.goBack();
    await expect(found(page)).toHaveText("3 rows");
    await expect(user).toHaveValue("");

    await page.getByLabel("Request ID").fill("lan-1");
    await page.keyboard.press("Enter");
    await expect(rows(page)).toContainText(["Lan"]);
    await expect(found(page)).toHaveText("1 row");
    await page.reload();
    await expect(rows(page)).toContainText(["Lan"]);
    await expect(page.getByLabel("Request ID")).toHaveValue("lan-1");

    await page.getByLabel("Request ID").fill("nobody's");
    await page.keyboard.press("Enter");
    await expect(page.getByText("No matches.")).toBeVisible();
    await expect(found(page)).toHaveText("0 rows");
  });

  test("what cannot be searched for is refused, each beside its field", async ({ page, complaints }) => {
    complaints.forgive(/400 \(Bad Request\)/);
    await open(page, history(sale));
    await page.getByLabel("User", { exact: true }).fill("W".repeat(65));
    await page.getByRole("button", { name: "Search" }).click();
    await expect(page.getByLabel("User", { exact: true })).toHaveAccessibleDescription(/Up to 64 visible characters/);
    const alert = page.getByRole("alert").filter({ hasText: "could not process" });
    await expect(alert).toBeVisible();
    await expect(alert).toContainText("`user` is 65 bytes long; at most 64 are allowed.");
    await expect(rows(page)).toHaveCount(0);

    const refused = async (query: string, label: string, sentence: string | RegExp) => {
      const answer = await page.goto(`${history(sale)}&${query}`);
      expect(answer?.status()).toBe(400);
      await expect(page.getByLabel(label, { exact: true })).toHaveAccessibleDescription(sentence);
      await expect(rows(page)).toHaveCount(0);
    };
    await refused("kind=raffle", "Kind", "There is no such kind. Choose one from the list.");
    await refused("outcome=Won", "Outcome", "There is no such outcome. Choose one from the list.");
    await refused("from=2026-02-02T00:00&to=2026-02-01T00:00", "To", /later than the start/);
    await refused("from=yesterday", "From", /Enter a time from 1970 to 9999/);
    // Typed into the page, it is refused likewise, and stays to be mended.
    const to = page.getByLabel("To", { exact: true });
    await open(page, history(sale));
    await to.fill("tomorrow");
    await page.getByRole("button", { name: "Search" }).click();
    await expect(to).toHaveAccessibleDescription(/Enter a time later than the start/);
    await expect(to).toHaveValue("tomorrow");
    await page.getByLabel("From", { exact: true }).fill("yesterday");
    await page.getByRole("button", { name: "Search" }).click();
    for (const times of [() => {}, () => page.reload()]) {
      await times();
      await expect(page.getByLabel("From", { exact: true })).toHaveAccessibleDescription(/Enter a time from 1970/);
      await expect(page.getByLabel("From", { exact: true })).toHaveValue("yesterday");
      await expect(to).toHaveAccessibleDescription(/Enter a time later/);
      await expect(to).toHaveValue("tomorrow");
    }
  });

  test("a search keeps its range, also where clocks change", async ({ visitor }) => {
    const range = (page: Page) => {
      const parameters = new URL(page.url()).searchParams;
      return [parameters.get("from"), parameters.get("to")];
    };
    const zones = [
      // Clocks are put back: 01:30 comes twice.
      ["America/New_York", "2026-11-01T05:30:00.000Z", "2026-11-01T06:30:00.000Z", "2026-11-01 01:30:00"],
      // They are put forward: after 01:59:59.5 comes 03:30.
      ["America/New_York", "2026-03-08T06:59:59.500Z", "2026-03-08T07:30:00.000Z", "2026-03-08 03:30:00"],
      // By half an hour: 01:45 comes twice.
      ["Australia/Lord_Howe", "2026-04-04T14:45:00.000Z", "2026-04-04T15:15:00.000Z", "2026-04-05 01:45:00"],
      ["Asia/Kolkata", "2026-11-01T05:30:00.000Z", "2026-11-01T06:30:00.000Z", "2026-11-01 12:00:00"],
    ];
    for (const [timezoneId, from, to, shown] of zones) {
      const page = await visitor({ timezoneId });
      await open(page, `${history(sale)}&from=${encodeURIComponent(from)}&to=${encodeURIComponent(to)}`);
      await expect(page.getByLabel("To", { exact: true })).toHaveValue(shown);
      for (const user of ["Mei", "Lan"]) {
        await page.getByLabel("User", { exact: true }).fill(user);
        await page.getByRole("button", { name: "Search" }).click();
        await expect(page).toHaveURL(new RegExp(`user=${user}`));
        expect(range(page)).toEqual([from, to]);
      }
      await page.context().close();
    }
  });

  test("a time that no clock shows is the one that clocks show instead", async ({ visitor }) => {
    const page = await visitor({ timezoneId: "America/New_York" });
    const [from, search] = [page.getByLabel("From", { exact: true }), page.getByRole("button", { name: "Search" })];
    await open(page, history(sale));
    await from.fill("2026-03-08 02:30");
    for (const user of ["Mei", "Lan"]) {
      await page.getByLabel("User", { exact: true }).fill(user);
      await search.click();
      await expect(page).toHaveURL(new RegExp(`user=${user}.*from=${encodeURIComponent("2026-03-08T07:30:00.000Z")}`));
      await expect(from).toHaveValue("2026-03-08 03:30:00");
    }
  });

  test("times are the reader's own, and the address says the same to everybody", async ({ visitor }) => {
    const page = await visitor({ timezoneId: "Asia/Tokyo" });
    const inTokyo = (at: number) => new Date(at + 9 * 3_600_000).toISOString().slice(0, 19).replace("T", " ");
    const [from, to] = [page.getByLabel("From", { exact: true }), page.getByLabel("To", { exact: true })];
    const search = page.getByRole("button", { name: "Search" });
    const hour = Math.floor(Date.now() / 3_600_000) * 3_600_000;
    await open(page, history(sale));
    await expect(from).toHaveAccessibleDescription("Recorded at or after, in Asia/Tokyo");

    await from.fill(inTokyo(hour - 3_600_000));
    await search.click();
    await expect(page).toHaveURL(new RegExp(`from=${encodeURIComponent(new Date(hour - 3_600_000).toISOString())}$`));
    await expect(found(page)).toHaveText("3 rows");
    await to.fill(inTokyo(hour - 1_800_000));
    await search.click();
    await expect(found(page)).toHaveText("0 rows");
    await page.reload();
    await expect(found(page)).toHaveText("0 rows");
    await expect(from).toHaveValue(inTokyo(hour - 3_600_000));
    await page.goBack();
    await expect(found(page)).toHaveText("3 rows");
    await expect(to).toHaveValue("");
    const csv = await page.getByRole("link", { name: "Export as CSV" }).getAttribute("href");
    expect(new URLSearchParams(csv!.split("?")[1]).get("from")).toBe(String(hour - 3_600_000));
  });

  test("on a phone, the search is folded, so that rows are seen at once", async ({ page, complaints }) => {
    complaints.forgive(/400 \(Bad Request\)/);
    await page.setViewportSize(PHONE);
    await open(page, `${history(sale)}&outcome=won`);
    const user = page.getByLabel("User", { exact: true });
    await expect(user).toBeHidden();
    await expect(rows(page).first()).toBeInViewport({ ratio: 1 });
    await page.getByText("Search · 2 filters set").click();
    await user.fill("Mei");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await expect(page.getByText("Search · 3 filters set")).toBeVisible();
    await expect(rows(page)).toHaveCount(1);
    // A field at fault is shown.
    await open(page, "/ledger?from=yesterday");
    await expect(page.getByLabel("From", { exact: true })).toBeInViewport();
    await page.setViewportSize(DESK);
    await open(page, history(sale));
    await expect(user).toBeVisible();
    await expect(page.getByText("Search · 1 filter set")).toBeHidden();
  });

  test("what was typed and not sent is still there after the zone of the times has changed", async ({ visitor }) => {
    const page = await visitor({ timezoneId: "Asia/Kolkata" });
    await open(page, "/ledger");
    const [saleField, user, outcome] = [page.getByLabel("Sale", { exact: true }), page.getByLabel("User", { exact: true }), page.getByLabel("Outcome")];
    await saleField.fill(sale.id);
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await expect(found(page)).toHaveText("3 rows");
    await user.fill("Mei");
    await outcome.selectOption("won");
    const zone = (name: string) => page.getByRole("banner").getByRole("button", { name, exact: true });
    await zone("UTC+5:30").click();
    await expect(zone("UTC")).toBeEnabled();
    await expect(user).toHaveValue("Mei");
    await expect(outcome).toHaveValue("won");
    await expect(found(page)).toHaveText("3 rows");
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await expect(found(page)).toHaveText("1 row");
    // It was for that search alone.
    await open(page, history(sale));
    await expect(user).toHaveValue("");
    await open(page, "/ledger");
    await expect(saleField).toHaveValue("");
  });

  test("a page names one zone for its times, and shows them in UTC if asked to", async ({ visitor }) => {
    const page = await visitor({ timezoneId: "Asia/Kolkata" });
    await open(page, history(sale));
    const time = rows(page).first().getByRole("time");
    const at = Date.parse((await time.getAttribute("datetime"))!);
    const text = (lead: number) => new Date(at + lead * 60_000).toISOString().slice(0, 19).replace("T", " ");
    const zone = (name: string) => page.getByRole("banner").getByRole("button", { name, exact: true });
    await expect(zone("UTC+5:30")).toHaveAttribute("title", /Asia\/(Kolkata|Calcutta)/);
    await expect(time).toHaveText(text(330));

    await zone("UTC+5:30").click();
    await expect(zone("UTC")).toBeEnabled();
    await expect(time).toHaveText(text(0));
    const from = page.getByLabel("From", { exact: true });
    await expect(from).toHaveAccessibleDescription("Recorded at or after, in UTC");
    await from.fill(text(0));
    await page.getByRole("button", { name: "Search" }).click();
    await expect(page).toHaveURL(new RegExp(`from=${encodeURIComponent(`${text(0).replace(" ", "T")}.000Z`)}$`));
    await expect(from).toHaveValue(text(0));
    // The server knows the choice, too.
    const answer = await page.request.get(page.url());
    expect(await answer.text()).toContain(text(0));

    await zone("UTC").click();
    await expect(zone("UTC+5:30")).toBeEnabled();
    await expect(from).toHaveValue(text(330));
  });

  test("rows stand still until the newest are asked for, or come by themselves while they are followed, but not while the reader reads", async ({ page, post, inLedger }) => {
    await page.clock.install();
    await open(page, history(sale));
    let asked = 0;
    page.on("request", (request) => (asked += Number(request.url().endsWith("/api/ledger/search"))));
    const claim = async (user: string, total: number) => {
      await post("/api/red-packet/claim", { sale: sale.id, user });
      await inLedger(sale, total);
    };
    const follow = page.getByRole("button", { name: "Follow" });
    await expect(follow).toHaveAttribute("aria-pressed", "false");
    await claim("Al", 4);
    await page.clock.runFor(5_000);
    expect(asked).toBe(0);
    await expect(rows(page)).toHaveCount(3);
    await page.getByRole("link", { name: "Newest" }).click();
    await expect(rows(page)).toHaveCount(4);
    await expect(rows(page).first()).toContainText("Al");
    // Nothing was loaded anew: this is still the same place in the reader's way.
    expect(new URL(page.url()).search).toBe(`?sale=${sale.id}`);
    await follow.click();
    await expect(follow).toHaveAttribute("aria-pressed", "true");
    await expect(page.getByText("Following", { exact: true })).toBeVisible();
    await claim("Bo", 5);
    await page.clock.runFor(1_000);
    await expect(rows(page).first()).toContainText("Bo");
    await expect(found(page)).toHaveText("5 rows");

    const stands = async () => {
      const before = asked;
      await page.clock.runFor(5_000);
      expect(asked).toBe(before);
    };
    await test.step("while the reader points at the rows", async () => {
      await rows(page).first().hover();
      await expect(page.getByText(/^Paused\./)).toBeVisible();
      await claim("Li", 6);
      await stands();
      await expect(rows(page)).toHaveCount(5);
      await follow.hover();
      await page.clock.runFor(1_000);
      await expect(rows(page).first()).toContainText("Li");
    });
    await test.step("while the keyboard is in them", async () => {
      await rows(page).first().getByRole("link").last().focus();
      await stands();
      await follow.focus();
      await expect(page.getByText("Following", { exact: true })).toBeVisible();
    });
    await test.step("while the tab is hidden", async () => {
      await look(page, "hidden");
      await stands();
      await look(page, "visible");
    });
    await follow.click();
    await expect(follow).toHaveAttribute("aria-pressed", "false");
    await stands();
  });

  test("a search on its way and the rows that are followed do not take each other's place", async ({ page }) => {
    await page.clock.install();
    await open(page, history(sale));
    await page.getByRole("button", { name: "Follow" }).click();
    await expect(page.getByText("Following", { exact: true })).toBeVisible();
    const user = page.getByLabel("User", { exact: true });
    const search = async (name: string) => {
      await user.fill(name);
      await page.getByRole("button", { name: "Search" }).click();
    };
    // Answers about the users named here wait; "" is what is followed at first.
    const waiting = new Map<string, Promise<void>>();
    const hold = (name: string) => {
      let release = () => {};
      waiting.set(name, new Promise((released) => (release = released)));
      return () => {
        waiting.delete(name);
        release();
      };
    };
    const asked: string[] = [];
    const asks = (name: string) => expect.poll(() => asked.includes(name)).toBe(true);
    await page.route("**/api/ledger/search", async (route) => {
      const { user = "" } = route.request().postDataJSON() as { user?: string };
      asked.push(user ?? "");
      await waiting.get(user ?? "");
      await route.continue();
    });

    await test.step("rows that come after the search was answered are of another", async () => {
      const release = hold("");
      await page.clock.runFor(1_000);
      await asks("");
      await search("Mei");
      await expect(found(page)).toHaveText("1 row");
      // The next poll waits as well, so what is there now stays.
      const releaseNext = hold("Mei");
      const late = page.waitForResponse((answer) => !answer.request().postDataJSON()?.user);
      release();
      await (await late).finished();
      await page.evaluate(() => fetch("/favicon.svg").then((answer) => answer.text()));
      await expect(found(page)).toHaveText("1 row");
      await expect(rows(page)).toContainText(["Mei"]);
      releaseNext();
    });
    await test.step("no rows are asked for while the search is on its way", async () => {
      const release = hold("Lan");
      await search("Lan");
      await asks("Lan");
      const before = asked.length;
      await page.clock.runFor(5_000);
      expect(asked.length).toBe(before);
      release();
      await expect(rows(page)).toContainText(["Lan"]);
      await page.clock.runFor(1_000);
      await expect.poll(() => asked.slice(before)).toContain("Lan");
    });
  });

  test("where the ledger does not answer, it is said since when the rows stand", async ({ page, complaints }) => {
    complaints.forgive(/503 \(Service Unavailable\)/);
    await open(page, history(sale));
    await page.getByRole("button", { name: "Follow" }).click();
    await expect(page.getByText("Following", { exact: true })).toBeVisible();
    const error = { error: { code: "ledger_unavailable", message: "The ledger did not answer.", field: null } };
    await page.route("**/api/ledger/search", (route) => route.fulfill({ status: 503, json: error }));
    const alert = page.getByRole("alert").filter({ hasText: /The ledger is unreachable.*Figures as of \d\d:\d\d:\d\d/ });
    await expect(alert).toBeVisible();
    await expect(rows(page)).toHaveCount(3);
    await page.unroute("**/api/ledger/search");
    await expect(alert).toBeHidden();
  });

  test("rows that could not be loaded come by themselves", async ({ page, complaints }) => {
    complaints.forgive(/503 \(Service Unavailable\)/);
    await open(page, "/");
    const error = { error: { code: "ledger_unavailable", message: "The ledger did not answer.", field: null } };
    await page.route("**/api/ledger/search", (route) => route.fulfill({ status: 503, json: error }));
    await page.getByRole("navigation").getByRole("link", { name: "Ledger" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "The ledger did not answer." })).toBeVisible();
    await page.unroute("**/api/ledger/search");
    await expect(rows(page).first()).toBeVisible();
    await expect(page.getByRole("alert").filter({ hasText: "The ledger did not answer." })).toBeHidden();
  });
});

test.describe("a paid order", () => {
  let sale: { id: string };
  let order: string;

  test.beforeEach(async ({ openTickets, post, inLedger }) => {
    sale = await openTickets();
    const held = { sale: sale.id, user: "Mei", request_id: "hold-1", pick: [{ category: "stalls", count: 2, adjacent: true }] };
    ({ order } = await post<{ order: string }>("/api/ticket/reserve", held));
    await post("/api/ticket/pay", { sale: sale.id, order, request_id: "pay-1" });
    await inLedger(sale, 5);
  });

  test("a name leads to its user's page and from there to all that the user did, an id can be copied, and the search is cleared by a link", async ({ page }) => {
    await open(page, `/ledger?sale=${sale.id}`);
    await rows(page).first().getByRole("link", { name: "Mei" }).click();
    await expect(page).toHaveURL("/users/Mei");
    await page.getByRole("link", { name: "View in the ledger" }).first().click();
    await expect(page).toHaveURL("/ledger?user=Mei");
    await rows(page).first().getByRole("cell").last().getByRole("link").click();
    const details = page.getByRole("region", { name: "Row details" });
    await expect(details.getByRole("button", { name: "Copy order ID" })).toBeVisible();
    await page.getByRole("link", { name: "Clear search" }).click();
    await expect(page).toHaveURL("/ledger");
    await expect(page.getByRole("link", { name: "Clear search" })).toHaveCount(0);
  });

  test("a row has details, and leads to the others of its order", async ({ page }) => {
    await open(page, `/ledger?sale=${sale.id}`);
    const paid = rows(page).first();
    await expect(paid).toContainText("Paid");
    await expect(paid).toContainText("pay-1");
    await expect(paid.getByRole("link", { name: order })).toBeVisible();
    await paid.getByRole("cell").last().getByRole("link").click();
    const details = page.getByRole("region", { name: "Row details" });
    await expect(details.getByRole("heading")).toBeFocused();
    await expect(paid, "the open row is marked").toHaveAttribute("aria-current", "true");
    await expect(page.locator("[aria-current=true]"), "no other one is").toHaveCount(1);
    for (const [name, value] of [
      ["Outcome", "Paid"],
      ["User", "Mei"],
      ["Request ID", "pay-1"],
      ["Kind", "Tickets"],
      ["Sale", sale.id],
      ["Event ID", /^\d+-\d+$/],
      ["Recorded", /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/],
      ["Item", /S-/],
      ["Amount", /¥/],
    ] as const) {
      const definition = details.locator("div").filter({ has: page.getByRole("term").getByText(name, { exact: true }) }).getByRole("definition");
      await expect(definition, name).toHaveText(value);
    }
    // The rows did not move, and the address can be shared.
    await expect(found(page)).toHaveText("5 rows");
    await details.getByRole("link", { name: "Close" }).click();
    await expect(details).toBeHidden();
    await expect(page.getByRole("heading", { name: "History", exact: true }), "the focus goes on from the rows").toBeFocused();
    await page.goBack();
    await expect(details).toBeVisible();
    await open(page, page.url());
    await expect(details).toContainText("pay-1");
    await page.goBack();
    await expect(details).toBeHidden();
    await page.goForward();
    await details.getByRole("link", { name: "All rows of this order" }).click();
    await expect(found(page)).toHaveText("4 rows");
    await expect(details).toBeHidden();
    await expect(page.getByLabel("Order", { exact: true })).toHaveValue(order);
    await expect(rows(page)).toContainText([/Paid/, /Paid/, /hold-1/, /hold-1/]);
  });

  test("without JavaScript too", async ({ visitor }) => {
    const page = await visitor({ javaScriptEnabled: false });
    await page.goto(`/ledger?sale=${sale.id}&user=Mei`);
    await expect(found(page)).toHaveText("4 rows");
    await rows(page).first().getByRole("cell").last().getByRole("link").click();
    const details = page.getByRole("region", { name: "Row details" });
    await expect(details).toContainText("pay-1");
    await details.getByRole("link", { name: "Close" }).click();
    await expect(details).toHaveCount(0);
    // What is typed is UTC, as the field says.
    await expect(page.getByLabel("From", { exact: true })).toHaveAccessibleDescription("Recorded at or after, in UTC");
    await page.getByLabel("To", { exact: true }).fill("2020-01-01T00:00:00");
    await page.getByRole("button", { name: "Search" }).click();
    await expect(found(page)).toHaveText("0 rows");
    await expect(page.getByLabel("To", { exact: true })).toHaveValue("2020-01-01 00:00:00");
  });
});

test("older rows are a page away, and the newest too", async ({ openSale, page, startCrowd, inLedger }) => {
  const sale = await openSale({ count: 250, total_cents: 25_000, splitter: "equal" });
  await startCrowd(sale, { users: 250 });
  await inLedger(sale, 251);
  await open(page, history(sale));
  const older = page.getByRole("link", { name: "Older rows" });
  // Its event: the text of its time changes once the page is painted.
  const event = rows(page).first().getByRole("cell").last();
  const newest = await event.textContent();
  await expect(found(page)).toHaveText("251 rows");
  await expect(rows(page)).toHaveCount(100);

  await test.step("by keyboard, down to the oldest", async () => {
    await older.press("Enter");
    await expect(page).toHaveURL(/after=/);
    await expect(event).not.toHaveText(newest!);
    await expect(rows(page)).toHaveCount(100);
    await expect(page.getByRole("heading", { name: "History", exact: true })).toBeFocused();
    await older.click();
    await expect(rows(page)).toHaveCount(51);
    await expect(rows(page).last()).toContainText("Opened");
    await expect(older).toHaveCount(0);
    await expect(found(page)).toHaveText("251 rows");
  });
  await test.step("they are followed only on the first page", async () => {
    await page.getByRole("button", { name: "Follow" }).click();
    await expect(page.getByText(/^Paused\./)).toBeVisible();
  });
  await test.step("and back to the newest", async () => {
    await page.getByRole("link", { name: "Newest" }).click();
    await expect(page).toHaveURL(history(sale));
    await expect(event).toHaveText(newest!);
    await page.goBack();
    await expect(rows(page)).toHaveCount(51);
  });
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the form searches, and a link leads to older rows", async ({ openSale, page, startCrowd, inLedger }) => {
    const sale = await openSale({ count: 150, total_cents: 15_000, splitter: "equal" });
    await startCrowd(sale, { users: 150 });
    await inLedger(sale, 151);
    const answer = await page.goto("/ledger");
    expect(answer?.status()).toBe(200);
    await page.getByLabel("Sale", { exact: true }).fill(sale.id);
    await page.getByRole("button", { name: "Search" }).click();
    await expect(found(page)).toHaveText("151 rows");
    await expect(rows(page)).toHaveCount(100);
    await page.getByRole("link", { name: "Older rows" }).click();
    await expect(page).toHaveURL(/after=/);
    await expect(rows(page)).toHaveCount(51);
    await expect(rows(page).last()).toContainText("Opened");
    await expect(page.getByRole("link", { name: "Older rows" })).toHaveCount(0);
    await page.getByRole("link", { name: "Newest" }).click();
    await expect(rows(page)).toHaveCount(100);
  });
});
