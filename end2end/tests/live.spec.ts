// The live view: several browsers, several servers, a lost connection, a hidden tab.

import { readFile } from "node:fs/promises";
import { type Page, type Request } from "@playwright/test";
import { expect, look, open, openLive, post, strip, tab, test } from "../fixtures";
import { DESK, PHONE } from "../looks";
import { keepRedis, redis } from "../server";

const claimed = (page: Page) => page.getByRole("meter", { name: "Claimed" });

/** The position in the sale's history that a page shows. */
const eventId = (page: Page) => page.getByRole("main").getAttribute("data-event-id");

test("what one browser claims, the other shows", async ({ sale, page, visitor }) => {
  const other = await visitor();
  await openLive(page, sale.path);
  await openLive(other, sale.path);
  await page.getByLabel("Your name").fill("Mei");
  await page.getByRole("button", { name: "Claim a packet" }).click();

  for (const reader of [page, other]) {
    await expect(claimed(reader)).toHaveAttribute("aria-valuenow", "1");
    await tab(reader, "Attempts");
    await expect(reader.getByRole("region", { name: "Newest attempts" }).getByRole("row", { name: /Mei Won/ })).toBeVisible();
  }
  await expect(other.getByRole("main")).toHaveAttribute("data-event-id", (await eventId(page))!);
});

test("rows that are held stay, whatever comes, and the page counts what came meanwhile", async ({ openSale, page, startCrowd, post }) => {
  const sale = await openSale({ count: 400, total_cents: 40_000 });
  await post("/api/red-packet/claim", { sale: sale.id, user: "Mei" });
  await openLive(page, `${sale.path}?tab=attempts`);
  const feed = page.getByRole("region", { name: "Attempts", exact: true });
  const rows = feed.getByRole("region", { name: "Newest attempts" }).getByRole("row");
  const mei = feed.getByRole("row", { name: /Mei Won/ });
  const pause = feed.getByRole("button", { name: "Pause", exact: true });
  await expect(mei).toBeVisible();
  await pause.click();
  await expect(feed.getByText("Paused, 0 new", { exact: true })).toBeVisible();
  const crowd = async (orders: object) => {
    const status = await startCrowd(sale, orders);
    await expect.poll(async () => (await status()).phase).toBe("done");
  };
  await crowd({ users: 20, concurrency: 1 });
  await expect(feed.getByText("Paused, 20 new", { exact: true })).toBeVisible();
  // The head of the table, and Mei.
  await expect(rows).toHaveCount(2);
  await pause.click();
  await expect(rows).toHaveCount(22);
  await expect(feed.getByText(/^Paused, /)).toBeHidden();

  await test.step("more than the page keeps, and where the filter is touched", async () => {
    await pause.click();
    // Slowly, so that a busy machine shows each of them: an update has 32 at most.
    await crowd({ users: 350, concurrency: 1, arrival: { kind: "constant", per_s: 20 } });
    await expect(feed.getByText(/^Paused, (2[1-9]\d|3\d\d) new$/)).toBeVisible();
    await feed.getByRole("searchbox", { name: "Filter by user" }).fill("mei");
    await expect(mei).toBeVisible();
    await pause.click();
    await expect(mei).toHaveCount(0);
  });
});

test("the feed shows what the filter lets through", async ({ sale, page, post }) => {
  for (const user of ["Mei", "Mei", "Lan"]) await post("/api/red-packet/claim", { sale: sale.id, user });
  await openLive(page, `${sale.path}?tab=attempts`);
  const feed = page.getByRole("region", { name: "Attempts", exact: true });
  const rows = feed.getByRole("region", { name: "Newest attempts" }).getByRole("row");
  await expect(rows).toHaveCount(4);
  await feed.getByRole("button", { name: "Repeat" }).click();
  await expect(rows).toHaveCount(3);
  await feed.getByRole("searchbox", { name: "Filter by user" }).fill("lan");
  await expect(rows).toHaveCount(2);
  await expect(rows.last()).toContainText("Lan");
  await feed.getByRole("searchbox", { name: "Filter by user" }).fill("nobody");
  await expect(feed.getByText("No attempts to show.")).toBeVisible();
});

test("two servers on one Redis show the same", async ({ page, visitor, request, own }) => {
  const store = await own.redis();
  const left = await own.serve(["--redis", store.url]);
  const right = await own.serve(["--redis", store.url]);
  const { sale } = await post<{ sale: string }>(request, `${left.url}/api/red-packet/open`, {
    total_cents: 10_000,
    count: 100,
    splitter: "double_mean",
  });
  const other = await visitor();
  await openLive(page, `${left.url}/red-packets/${sale}`);
  await openLive(other, `${right.url}/red-packets/${sale}`);

  await other.getByRole("button", { name: "Claim a packet" }).click();
  await expect(claimed(page)).toHaveAttribute("aria-valuenow", "1");

  // A crowd runs in one process; the other tells of it and stops it all the same.
  await post(request, `${left.url}/api/crowd/start`, {
    sale,
    users: 1_000,
    concurrency: 10,
    repeat_rate: 0,
    arrival: { kind: "constant", per_s: 20 },
  });
  await expect(strip(other).getByText("Running", { exact: true })).toBeVisible();
  await strip(other).getByRole("button", { name: "Stop" }).click();
  for (const reader of [page, other]) {
    await expect(strip(reader).getByText("Stopped", { exact: true })).toBeVisible();
    await expect(reader.getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  }
  // The crowd is over: what one of them shows last, both do.
  const shown = async () => [[await eventId(page), await claimed(page).getAttribute("aria-valuetext")], [await eventId(other), await claimed(other).getAttribute("aria-valuetext")]];
  await expect.poll(async () => new Set((await shown()).map(String)).size).toBe(1);
});

test("a lost connection is said, and comes back by itself", async ({ page, request, complaints, own }) => {
  complaints.forgive(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET/);
  const server = await own.serve();
  const url = server.url;
  const { sale } = await post<{ sale: string }>(request, `${url}/api/red-packet/open`, {
    total_cents: 10_000,
    count: 100,
    splitter: "equal",
  });
  await openLive(page, `${url}/red-packets/${sale}`);
  await server.kill();
  await expect(page.getByText("Connection lost, retrying")).toBeVisible();
  // Known data stays readable, and a click without an answer is reported as unknown.
  await expect(claimed(page)).toHaveAttribute("aria-valuetext", "0 of 100, ¥0.00");
  await page.getByRole("button", { name: "Claim a packet" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "the outcome is unknown" })).toBeVisible();

  await own.serve([], new URL(url).host);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Claim a packet" }).click();
  await expect(page.getByText(/is yours: packet #1\./)).toBeVisible();
  await expect(claimed(page)).toHaveAttribute("aria-valuetext", "1 of 100, ¥1.00");
});

test("a server that is frozen is said to send no news, and the page is live again when it goes on", async ({ page, request, own }) => {
  const server = await own.serve();
  const { sale } = await post<{ sale: string }>(request, `${server.url}/api/stock/open`, { quantity: 5 });
  await openLive(page, `${server.url}/stock/${sale}`);
  server.freeze();
  await expect(page.getByText("No news, reconnecting")).toBeVisible();
  await expect(page.getByRole("alert").filter({ hasText: "The server has sent no news for some time." })).toContainText(/Figures as of \d\d:\d\d:\d\d/);
  server.goOn();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
});

/** What translators of browsers do: each text goes into a \`font\`, and the node that it was in is gone. */
function translated(): void {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    if (text.data.trim() && !text.parentElement?.closest("[translate=no], script, style")) found.push(text);
  }
  for (const text of found) {
    const font = document.createElement("font");
    font.append(text.data);
    text.replaceWith(font);
  }
}

test("a page that the browser has translated says so, and its live figures go on", async ({ sale, page, post }) => {
  await openLive(page, sale.path);
  await page.evaluate(translated);
  await expect(page.getByRole("status").filter({ hasText: "Your browser has translated this page" })).toBeVisible();
  const left = strip(page).locator(".left b");
  const before = await left.innerText();
  await post("/api/red-packet/claim", { sale: sale.id, user: "ann" });
  await expect(left).not.toHaveText(before);
});

test("a Redis out of reach is said, and healed", async ({ page, visitor, request, alone, complaints }) => {
  // Until a page that could not be loaded asks again, and has its answer.
  complaints.forgive(/503 \(Service Unavailable\)|ERR_CONNECTION_REFUSED/);
  const { server } = alone;
  const { sale } = await post<{ sale: string }>(request, `${server.url}/api/red-packet/open`, {
    total_cents: 10_000,
    count: 100,
    splitter: "equal",
  });
  await openLive(page, `${server.url}/red-packets/${sale}`);
  await alone.store.stop();
  await expect(page.getByText("Redis is unreachable", { exact: true })).toBeVisible();
  // Since when, and what can still be done.
  const banner = page.getByRole("alert").filter({ hasText: "Redis is unreachable." });
  await expect(banner).toContainText(/Since \d\d:\d\d:\d\d · Figures as of \d\d:\d\d:\d\d/);
  const late = await visitor();
  await late.goto(`${server.url}/red-packets/${sale}`);
  // It asks again behind what it shows, which stays in the reader's hands. (The first error ends both questions.)
  const again = late.getByRole("link", { name: "Try again" });
  await again.focus();
  const answer = await late.waitForResponse(/\/api\/red-packet\/(snapshot|script)$/);
  expect(answer.status()).toBe(503);
  await expect(again).toBeFocused();
  await page.getByRole("button", { name: "Claim a packet" }).click();
  await expect(page.getByRole("alert").filter({ hasText: "Redis did not answer" })).toBeVisible();

  // A tab that somebody comes back to knows who is away, and since when.
  const since = await banner.textContent();
  await look(page, "hidden");
  const comesBack = page.waitForResponse((answer) => answer.url().includes("/live/red-packet/"));
  await look(page, "visible");
  expect((await comesBack).status()).toBe(200);
  await expect(page.getByText("Redis is unreachable", { exact: true })).toBeVisible();
  await expect(banner).toHaveText(since!);

  alone.store = await redis(alone.path);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expect(banner).toHaveCount(0);
  await page.getByRole("button", { name: "Claim a packet" }).click();
  await expect(page.getByText(/is yours: packet #1\./)).toBeVisible();
  // A page that could not be loaded loads by itself.
  await expect(late.getByText("Live", { exact: true })).toBeVisible();
});

test("an outage is marked in the course of a crowd that outlasts it", async ({ page, request, alone, complaints }) => {
  complaints.forgive(/503 \(Service Unavailable\)|ERR_CONNECTION_REFUSED/);
  const { server } = alone;
  const { sale } = await post<{ sale: string }>(request, `${server.url}/api/red-packet/open`, { total_cents: 1_000_000, count: 100_000, splitter: "equal" });
  await openLive(page, `${server.url}/red-packets/${sale}?tab=crowd`);
  // The last would come after hours.
  const arrival = { kind: "constant", per_s: 20 };
  await post(request, `${server.url}/api/crowd/start`, { kind: "red_packet", sale, users: 100_000, concurrency: 1_000, repeat_rate: 0, arrival });
  await expect(page.getByRole("meter", { name: "Claimed" })).not.toHaveAttribute("aria-valuenow", "0");
  await alone.store.stop();
  await expect(page.getByRole("alert").filter({ hasText: "Redis is unreachable." })).toBeVisible();

  alone.store = await redis(alone.path);
  const marks = page.getByRole("region", { name: "Crowd", exact: true }).getByRole("listitem");
  await expect(marks.filter({ hasText: /: Redis down$/ })).toHaveCount(1);
  await expect(marks.filter({ hasText: /: Redis back$/ })).toHaveCount(1);
  await strip(page).getByRole("button", { name: "Stop" }).click();
  await expect(page.locator(".verdict-banner").getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
});

test("a crowd that ends while Redis is away is judged when it is back", async ({ page, request, alone, complaints }) => {
  complaints.forgive(/503 \(Service Unavailable\)|ERR_CONNECTION_REFUSED/);
  const { server } = alone;
  const { sale } = await post<{ sale: string }>(request, `${server.url}/api/ticket/open`, { hall: "theatre" });
  await openLive(page, `${server.url}/tickets/${sale}`);
  // Slow until it was seen; then it takes twenty seconds more, and Redis goes away at once.
  const arrival = { kind: "constant", per_s: 1 };
  const crowd = { sale, users: 400, concurrency: 100, repeat_rate: 0, arrival };
  const { run } = await post<{ run: string }>(request, `${server.url}/api/crowd/start`, crowd);
  await expect(strip(page).getByText("Running", { exact: true })).toBeVisible();
  await post(request, `${server.url}/api/crowd/change`, { run, per_s: 20 });
  const status = () => post<{ changes: object[] }>(request, `${server.url}/api/crowd/status`, { run });
  await expect.poll(async () => (await status()).changes, "the crowd has heard of it").toHaveLength(1);
  await alone.store.stop();

  await expect(strip(page).getByText("Waiting for Redis", { exact: true })).toBeVisible();
  await expect(strip(page).getByText("Running", { exact: true })).toHaveCount(0);
  await expect(strip(page).getByText(/ left$/)).toHaveCount(0);
  const rate = strip(page).getByRole("term").filter({ hasText: "Attempts/s" }).locator("xpath=following-sibling::dd[1]");
  await expect(rate, "how fast it is cannot be seen").toHaveText("–");
  // The server that runs it needs no Redis for that.
  await expect(strip(page).getByRole("button", { name: "Stop" })).toBeEnabled();
  // What is said lies beside the map's tools.
  for (const size of [PHONE, DESK]) {
    await page.setViewportSize(size);
    await page.evaluate(() => window.scrollTo(0, 0));
    await expect(page.getByRole("alert").filter({ hasText: "Redis is unreachable." })).toBeInViewport();
    for (const tool of ["Demand", "Zoom in", "Zoom out", "Show all"]) {
      await page.getByRole("group", { name: "Map view" }).getByRole("button", { name: tool }).click({ trial: true });
    }
  }
  await expect.poll(() => readFile(alone.log, "utf8")).toContain("a crowd has made its attempts");

  alone.store = await redis(alone.path);
  await expect(strip(page).getByText("Done", { exact: true })).toBeVisible();
  const verdict = page.locator(".verdict-banner");
  await expect(verdict.getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  await expect(page.getByText("Interrupted: its server stopped")).toHaveCount(0);
  await tab(page, "Crowd");
  const unknown = page.getByRole("region", { name: "Crowd", exact: true }).getByRole("term").filter({ has: page.getByRole("button", { name: "Unknown", exact: true }) });
  await expect(unknown.locator("xpath=following-sibling::dd[1]")).toHaveText(/^[1-9]\d*/);
});

test("a sale that Redis has lost the end of is suspended on pages that are open", async ({ page, request, alone, complaints }) => {
  complaints.forgive(/503 \(Service Unavailable\)|ERR_CONNECTION_REFUSED/);
  const { server } = alone;
  const terms = { total_cents: 59_600, count: 596, splitter: "equal" };
  const { sale } = await post<{ sale: string }>(request, `${server.url}/api/red-packet/open`, terms);
  const win = (user: string) => post(request, `${server.url}/api/red-packet/claim`, { sale, user });
  await win("Mei");
  const setBack = await keepRedis(alone.path);
  await openLive(page, `${server.url}/red-packets/${sale}`);
  await win("Lan");
  const left = strip(page).locator(".figures-of-three b").first();
  await expect(left).toHaveText("594");
  const rows = async () => (await post<{ total: number }>(request, `${server.url}/api/ledger/search`, { sale })).total;
  await expect.poll(rows, { message: "opened, and won twice" }).toBe(3);

  alone.store = await setBack(alone.store);
  await expect(page.getByText("Suspended", { exact: true })).toBeVisible();
  await expect(page.getByText(`stampede recover --redis ${alone.store.url} --data-dir ${alone.path} ${sale}`)).toBeVisible();
  // What Redis has now is what is shown, though it is less than before.
  await expect(left).toHaveText("595");
});

test("a tab that nobody looks at closes its line, and catches up when somebody does", async ({ sale, page, visitor, post }) => {
  const other = await visitor();
  await openLive(other, sale.path);
  const isLine = (request: Request) => request.url().includes("/live/red-packet/");
  await openLive(page, sale.path);

  const closed = Promise.race([page.waitForEvent("requestfinished", isLine), page.waitForEvent("requestfailed", isLine)]);
  await look(page, "hidden");
  await closed;
  await post("/api/red-packet/claim", { sale: sale.id, user: "Mei" });
  await expect(claimed(other)).toHaveAttribute("aria-valuenow", "1");
  await expect(claimed(page)).toHaveAttribute("aria-valuenow", "0");

  const opened = page.waitForRequest(isLine);
  await look(page, "visible");
  // It goes on from what it knew.
  expect((await opened).url()).toContain("?after=");
  await expect(claimed(page)).toHaveAttribute("aria-valuenow", "1");
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
});

test("what an idle sale shows is true until Redis goes away", async ({ page, request, alone, complaints }) => {
  complaints.forgive(/503 \(Service Unavailable\)/);
  const { server } = alone;
  const { sale } = await post<{ sale: string }>(request, `${server.url}/api/red-packet/open`, { total_cents: 10_000, count: 100, splitter: "equal" });
  await page.clock.install();
  await openLive(page, `${server.url}/red-packets/${sale}`);
  // Nothing happens at the sale for so long.
  await page.clock.fastForward("03:00:00");
  await alone.store.stop();
  const banner = page.getByRole("alert").filter({ hasText: "Redis is unreachable." });
  await expect(banner).toContainText(/Since/);
  const [, since, asOf] = /Since (\d\d:\d\d:\d\d) · Figures as of (\d\d:\d\d:\d\d)/.exec((await banner.textContent())!)!;
  const minutes = (time: string) => Date.parse(`1970-01-01T${time}Z`) / 60_000;
  const apart = Math.abs(minutes(since) - minutes(asOf));
  // Not three hours, whichever of them is past midnight.
  expect(Math.min(apart, 24 * 60 - apart), `minutes from ${asOf} to ${since}`).toBeLessThan(60);
});

test("a message that cannot be read makes the page begin anew", async ({ openTickets, page, complaints }) => {
  complaints.forgive(/cannot be read/);
  const sale = await openTickets();
  const isAnew = (request: Request) => new URL(request.url()).pathname === `/live${sale.path.replace("tickets", "ticket")}` && !request.url().includes("?");
  const anew = page.waitForRequest(isAnew);
  await page.route("**/live/ticket/**", (route) => route.fulfill({ contentType: "text/event-stream", body: "data: nonsense\n\n" }), { times: 1 });
  await open(page, sale.path);
  await anew;
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
});
