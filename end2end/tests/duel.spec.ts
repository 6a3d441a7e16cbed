// The duel: the same crowd at two strategies, recorded on a real Redis and played slowly, side by side.

import type { Page } from "@playwright/test";
import { expect, open, postToLab, test } from "../fixtures";
import { clean, english, fits, fitsEverywhere } from "../looks";

type Side = { figures: { given: number; attempts: number }; awards: { users: number[]; items: number[] } };
type Duel = { left: Side; right: Side };

const outcome = (page: Page) => page.locator(".duel-outcome");
const side = (page: Page, name: string) => page.getByRole("region", { name });
const seats = (page: Page) => page.getByRole("img", { name: /^Hall of 400 seats: Read, check, write/ }).locator("i");
const scrubber = (page: Page) => page.getByRole("slider", { name: "Time" });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const grouped = (count: number) => count.toLocaleString("en-US");

/** The users of each seat that was sold more than once, by its number. */
function soldTwice({ awards: { users, items } }: Side): Map<number, number[]> {
  const holders = new Map<number, number[]>();
  items.forEach((item, place) => holders.set(item, [...(holders.get(item) ?? []), users[place]]));
  return new Map([...holders].filter(([, users]) => users.length > 1));
}

/** Opens a duel at its end, as readers see it who want no motion. */
async function openStill(page: Page, url: string): Promise<void> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, url);
  await expect(outcome(page)).toContainText("sales for 400 seats");
}

test("one click from the first page to what came of it, with the figures of the record", async ({ page, request }) => {
  await open(page, "/");
  await page.getByRole("link", { name: "Watch the duel" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("One crowd, two ways to sell");
  await expect(page.getByText(/shown [\d.]+ times (slower|faster)/)).toBeVisible();
  await expect(outcome(page)).toContainText("Batched script (Stampede) made 400 sales for 400 seats: none was sold twice.");

  const { left, right } = await postToLab<Duel>(request, "/api/lab/duel", {});
  const twice = soldTwice(left);
  await expect(outcome(page)).toContainText(`Read, check, write made ${grouped(left.figures.given)} sales for 400 seats: ${twice.size} seat`);
  expect(right.awards.items.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 400 }, (_, place) => place + 1));
  const figures = (name: string) => side(page, name).getByRole("definition");
  const shown = ({ figures: { given, attempts } }: Side, twice: number) =>
    [grouped(given), `${twice}`, `${grouped(attempts)} / ${grouped(attempts)}`, grouped(attempts - given)];
  await expect(figures("Read, check, write")).toHaveText(shown(left, twice.size));
  await expect(figures("Batched script (Stampede)")).toHaveText(shown(right, 0));

  await test.step("a seat that was sold twice is red, and has the names of its buyers", async () => {
    await expect(seats(page).and(page.locator(".twice"))).toHaveCount(twice.size);
    const [seat, [first, second]] = [...twice][0];
    await seats(page).nth(seat - 1).click();
    await expect(side(page, "Read, check, write")).toContainText(new RegExp(`Seat ${seat}: user-${first}(,| and) user-${second}( and|$)`, "m"));
    await page.getByText(/^All \d+ seats? sold twice or more$/).click();
    await expect(page.getByRole("list", { name: "Sold twice or more" }).getByRole("listitem")).toHaveCount(twice.size);
  });
  await clean(page);
});

test("keys pause, play and play again, and the scrubber goes back and forth", async ({ page }) => {
  await openStill(page, "/duel?left=pipeline");
  const end = await outcome(page).innerText();
  const red = await page.locator(".twice").count();
  expect(red).toBeGreaterThan(0);
  await scrubber(page).focus();
  await page.keyboard.press("Home");
  await expect(page.locator(".sold, .twice")).toHaveCount(0);
  await expect(outcome(page)).toBeEmpty();
  await page.keyboard.press("Space");
  await expect(button(page, "Pause")).toBeVisible();
  await expect(page.locator(".sold")).not.toHaveCount(0);
  await page.keyboard.press("Space");
  await expect(button(page, "Play")).toBeVisible();
  const stands = await scrubber(page).inputValue();
  expect(Number(stands)).toBeGreaterThan(0);
  await page.keyboard.press("ArrowRight");
  await expect(scrubber(page)).toHaveValue(String(Number(stands) + 1));
  await page.keyboard.press("End");
  await expect(outcome(page)).toHaveText(end);
  await expect(page.locator(".twice")).toHaveCount(red);
  await page.keyboard.press("r");
  await expect(button(page, "Pause")).toBeVisible();
  await expect(outcome(page)).toBeEmpty();
});

test("a link shows somebody else the same duel, and another crowd is another one", async ({ page, visitor }) => {
  await openStill(page, "/duel?seed=12");
  const first = await outcome(page).innerText();
  const somebody = await visitor();
  await openStill(somebody, "/duel?left=read-check-write&seed=12");
  await expect(outcome(somebody)).toHaveText(first);
  await button(page, "Another crowd").click();
  await expect(page).not.toHaveURL(/seed=12$/);
  await expect(page).toHaveURL(/seed=\d+$/);
  // Its own, not that of before, which stays until then.
  const seed = new URL(page.url()).searchParams.get("seed");
  await expect(page.locator(".duel-facts")).toContainText(new RegExp(`seed ${seed}\\b`));
  await expect(outcome(page)).toContainText("sales for 400 seats");

  await page.getByLabel("On the left").selectOption("Pipeline");
  await expect(page).toHaveURL(/left=pipeline/);
  await expect(outcome(page)).toContainText("Pipeline made");
  await page.getByRole("link", { name: "Why?" }).click();
  await expect(page).toHaveURL(/\/lab\/step\?strategy=pipeline.*schedule=/);
});

test("without an answer, the shown duel stays, with the reason", async ({ page, complaints }) => {
  complaints.forgive(/Failed to load resource/);
  await openStill(page, "/duel?seed=12");
  const first = await outcome(page).innerText();
  await page.route("**/api/lab/duel", (route) => route.abort());
  await button(page, "Another crowd").click();
  await expect(button(page, "Try again")).toBeVisible();
  await expect(outcome(page)).toHaveText(first);
  await page.unroute("**/api/lab/duel");
  await button(page, "Try again").click();
  await expect(button(page, "Try again")).toHaveCount(0);
  // The next duel is another one. Until then, this one stays.
  await expect(outcome(page)).not.toHaveText(first);
  await expect(outcome(page)).toContainText("sales for 400 seats");
});

test("without JavaScript, the page says what it lacks", async ({ visitor }) => {
  const page = await visitor({ javaScriptEnabled: false });
  await page.goto("/duel");
  const sentence = page.locator("main noscript");
  await expect(sentence).toBeVisible();
  expect(await sentence.innerText()).toContain("The playback needs JavaScript");
});

test("while a run of the lab is measured, the page says so, and tries again", async ({ page, post, request, complaints }) => {
  complaints.forgive(/409 \(Conflict\)/);
  // Each of them is cut off after 20 seconds.
  const slow = { users: 100_000, delay_ms: 50, strategies: ["setnx-lock", "select-for-update", "queue"] };
  const run = await postToLab<{ run: string }>(request, "/api/lab/start", slow);
  await open(page, "/duel?seed=99");
  await expect(page.getByRole("alert").filter({ hasText: "A run of the lab is already in progress" })).toBeVisible();
  await expect(page.getByRole("link", { name: "See the lab's run" })).toHaveAttribute("href", "/lab");
  await post("/api/lab/stop", run);
  await expect.poll(async () => (await post<{ phase: string }>("/api/lab/run", run)).phase).toBe("stopped");
  await button(page, "Try again").click();
  await expect(button(page, "Pause")).toBeVisible();
  await expect(page.getByRole("alert").filter({ hasText: "A run of the lab" })).toHaveCount(0);
});

test("on a phone one side is above the other; before a room, all of it is in view", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 780 });
  await openStill(page, "/duel");
  await fits(page);
  const top = async (name: string) => (await side(page, name).boundingBox())!.y;
  expect(await top("Batched script (Stampede)")).toBeGreaterThan(await top("Read, check, write"));
  await fitsEverywhere(page);
  for (const [width, height] of [[1280, 720], [1920, 1080], [360, 780]]) {
    await page.setViewportSize({ width, height });
    // Without the bar on top, by which `open` knows that the browser has taken over.
    await page.goto("/duel?present=1");
    await expect(outcome(page)).toContainText("sales for 400 seats");
    await fits(page);
    expect(await page.evaluate(() => document.documentElement.scrollHeight), `${width} × ${height}`).toBe(height);
    await expect(outcome(page)).toBeInViewport({ ratio: 1 });
  }
  await page.keyboard.press("f");
  await expect(page).not.toHaveURL(/present/);
});

test("in Chinese", async ({ page, context, baseURL }) => {
  await context.addCookies([{ name: "lang", value: "zh-CN", url: baseURL }]);
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, "/duel");
  await expect(outcome(page)).toContainText("批量脚本（Stampede）：400 个座位卖出 400 次，没有一个重复。");
  const called = ["SETNX", "user"];
  expect(await english(page.getByRole("main"), ...called)).toEqual([]);
});
