// The first page of a server with demonstrations: a miniature of each, which shows the sale as it is, and replays its
// latest crowd.

import { type Locator, type Page } from "@playwright/test";
import { expect, open, openLive, post, strip, tab, test, type Own, type Run } from "../fixtures";
import { kinds } from "../kinds";
import { clean, english, fits, fitsEverywhere } from "../looks";

const demos = (page: Page) => page.getByRole("region", { name: "Demonstrations" });
const card = (page: Page, kind: string) => demos(page).getByRole("listitem").filter({ has: page.getByRole("heading", { name: kind }) });
const caption = (card: Locator) => card.locator(".moment");

/** Starts a server with demonstrations, and waits until all of them are open. */
async function withDemos(own: Own, request: Parameters<typeof post>[0]): Promise<string> {
  const { url } = await own.serve(["--demo"]);
  const opened = async () => (await post<{ sales: object[] }>(request, `${url}/api/sales`, { state: "open" })).sales.length;
  await expect.poll(opened).toBe(kinds.length);
  return url;
}

test("each demonstration has a picture, a sentence and a button, and the list has the reader's own sales", async ({ own, page, request, visitor }) => {
  const url = await withDemos(own, request);
  await open(page, `${url}/`);
  await expect(demos(page).getByRole("listitem")).toHaveCount(kinds.length);
  for (const kind of kinds) {
    const one = card(page, kind.names.en);
    await expect(one.getByRole("link", { name: kind.demo, exact: true })).toHaveAttribute("href", `/${kind.pages}/${kind.demo}`);
    await expect(one.getByRole("button", { name: "Let a crowd loose" })).toBeEnabled();
    await expect(one.locator(".miniature > *")).toBeVisible();
    await expect(caption(one)).toHaveText(/^([\d,]+) of \1 left$/);
  }
  const list = page.getByRole("region", { name: "Your sales" });
  // One of each kind starts in a minute.
  const scheduled = list.getByRole("listitem").filter({ hasText: "A scheduled sale" });
  await expect(scheduled).toHaveCount(kinds.length);
  await fitsEverywhere(page);
  await page.setViewportSize({ width: 360, height: 780 });
  await fits(page);
  await clean(page);

  // Whoever looks for a demonstration in the list finds it there.
  await open(page, `${url}/?id=stadium`);
  const stadium = page.getByRole("link", { name: "stadium", exact: true });
  await expect(list.getByRole("listitem").filter({ has: stadium })).toContainText("60,000 of 60,000 left");
  // Its own sale stands in the list, beside no demonstration.
  await post(request, `${url}/api/stock/open`, { id: "shoes", quantity: 7 });
  await open(page, `${url}/`);
  await expect(list.getByRole("listitem")).toHaveCount(kinds.length + 1);
  await expect(list.getByRole("listitem").filter({ hasText: "shoes" })).toContainText("7 of 7 left");

  const plain = await visitor({ javaScriptEnabled: false });
  await plain.goto(`${url}/`);
  await expect(demos(plain).locator(".mini-hall path")).toHaveCount(120);
  await expect(demos(plain)).toContainText("60,000 of 60,000 left");

  const chinese = await visitor({ locale: "zh-CN" });
  await open(chinese, `${url}/`);
  expect(await english(chinese.getByRole("region", { name: "示范活动" }), ...kinds.map(({ demo }) => demo))).toEqual([]);
});

test("a miniature follows a crowd, and replays it when it is over", async ({ own, page, request }) => {
  const url = await withDemos(own, request);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.clock.install();
  await open(page, `${url}/`);
  const stock = card(page, "Stock");
  const slow = { kind: "constant", per_s: 5 };
  const { run } = await post<{ run: string }>(request, `${url}/api/crowd/start`, { kind: "stock", sale: "phone", users: 1_000, concurrency: 10, repeat_rate: 0, arrival: slow });
  await expect(stock.getByText("Crowd running")).toBeVisible();
  await expect(stock.getByRole("button", { name: "Let a crowd loose" })).toBeDisabled();
  await expect(caption(stock)).toHaveText(/^9,\d{3} of 10,000 left$/);
  await post(request, `${url}/api/crowd/stop`, { run });
  await expect(stock.getByText("Crowd running")).toHaveCount(0);
  await expect(caption(stock)).toHaveText(/^Replay, .+ of .+: \d+ wins?, 0 refusals$/);

  // All of them are gone, so the next crowd comes to another sale. The picture is still of this one.
  const packets = card(page, "Red packets");
  const orders = { kind: "red_packet", sale: "demo", users: 2_000, concurrency: 100, repeat_rate: 0, arrival: "burst" };
  const rush = await post<{ run: string }>(request, `${url}/api/crowd/start`, orders);
  await expect.poll(async () => (await post<Run>(request, `${url}/api/crowd/status`, rush)).verdict).toBe("holds");
  await expect(packets.getByRole("link", { name: "demo-2", exact: true })).toBeVisible();
  await expect(packets.getByRole("button", { name: "Let a crowd loose" })).toBeEnabled();
  // Where nothing should move, it is at its end.
  await expect(caption(packets)).toHaveText(/^Replay, (.+) of \1: 1,000 wins, 1,000 refusals$/);
  await expect(packets.locator(".opened")).toHaveCount(24);

  await page.emulateMedia({ reducedMotion: "no-preference" });
  await expect(packets.locator(".opened")).not.toHaveCount(24);
  const pause = demos(page).getByRole("button", { name: "Pause" });
  await pause.click();
  await expect(pause).toHaveAttribute("aria-pressed", "true");
  const stands = await caption(packets).innerText();
  await page.clock.fastForward(10_000);
  await expect(caption(packets)).toHaveText(stands);
  await pause.click();
  await page.clock.fastForward(1_000);
  await expect(caption(packets)).not.toHaveText(stands);
});

test("while a crowd is there, it is seen who gets something and who does not", async ({ openSale, page, startCrowd }) => {
  const sale = await openSale({ count: 10, total_cents: 1_000 });
  await openLive(page, `${sale.path}?tab=crowd`);
  const status = await startCrowd(sale, { users: 200 });
  await expect.poll(async () => (await status()).verdict).toBe("holds");
  await tab(page, "Crowd");
  const rush = page.getByRole("group", { name: "Who gets one, and who does not" });
  await expect(rush).toContainText("Users arrived 200 / 200");
  await expect(rush).toContainText("Wins 10");
  await expect(rush).toContainText("Refusals 190");
  await expect(rush.locator(".names.won > span")).toHaveCount(4);
  await expect(rush.locator(".names.refused > span").first()).toHaveText(/^u\d+-\w+ Sold out$/);
  await expect(strip(page).getByText("Done", { exact: true })).toBeVisible();
  await fitsEverywhere(page);
  await clean(page);
});
