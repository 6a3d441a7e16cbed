// Stepping through a play: who goes next, what it means, and the way back and forward.

import type { Page } from "@playwright/test";
import { expect, holdBack, open, test } from "../fixtures";
import { PHONE, clean, fits } from "../looks";

const outcome = (page: Page) => page.locator(".play-outcome");
const caption = (page: Page) => page.locator(".caption");
const moveOf = (page: Page, letter: string) => page.locator(`#move-${letter}`);
const stepOf = (page: Page) => page.locator(".step-of");
const key = (page: Page, name: string) => page.locator(`[data-key="${name}"]`);
const here = (page: Page, letter: string) => page.locator(`.lane.player-${letter} .here`);

/** Takes steps by keys, each once the one before is shown. */
async function take(page: Page, keys: string): Promise<void> {
  for (const [place, letter] of [...keys].entries()) {
    await page.keyboard.press(letter);
    await expect(stepOf(page)).toHaveText(`${place + 1} / ${place + 1}`);
  }
}

for (const { strategy, keys, schedule, middle, harm, pictures } of [
  {
    strategy: "read-check-write", keys: "aabbaabb", schedule: "11221122", middle: 7, harm: /^B writes 0 over 0/,
    pictures: { stock: /0/, got: /Ann.*Bob/s },
  },
  {
    strategy: "setnx-lock-short-lifetime", keys: "aaatabbaaabbbbb", schedule: "111t12211122222", middle: 4, harm: /^2 ms pass\. The lock of A expires/,
    pictures: { lock: /open/, got: /Ann.*Bob/s },
  },
  {
    strategy: "pay-against-expire", keys: "awwaawwbb", schedule: "1ww11ww22", middle: 1, harm: /^A: HGET orders user-1/,
    pictures: { orders: /Ann expired/ },
  },
] as const) {
  test(`an oversell is stepped to its verdict by keys: ${strategy}`, async ({ page }) => {
    await open(page, `/lab/step?strategy=${strategy}&attempts=2`);
    await expect(outcome(page)).toContainText("The verdict is shown once every attempt has its answer.");
    await take(page, keys.slice(0, middle));
    await expect(caption(page)).toHaveText(harm);
    for (const [place, letter] of [...keys.slice(middle)].entries()) {
      await page.keyboard.press(letter);
      await expect(stepOf(page)).toHaveText(`${middle + place + 1} / ${middle + place + 1}`);
    }
    await expect(outcome(page)).toContainText("More was given out than there was.");
    await expect(page).toHaveURL(new RegExp(`schedule=${schedule}$`));
    await expect(page.locator(".phone.won").first()).toContainText("It’s yours!");
    for (const [name, picture] of Object.entries(pictures)) await expect(key(page, name)).toHaveText(picture);
  });
}

test("the counters of both stand where their next line is, in pseudo-code, as commands and in Rust", async ({ page }) => {
  await open(page, "/lab/step?strategy=read-check-write&schedule=1121");
  await expect(here(page, "1")).toHaveText("write got[me] ← 1");
  await expect(here(page, "2")).toHaveText("mine ← read got[me]");
  await page.getByRole("link", { name: "Commands" }).click();
  await expect(here(page, "1")).toHaveText("HSET got user-1 1");
  await expect(page.locator(".lane.player-1 .sent").last()).toHaveText(/SET stock 0\s*→ OK/);
  await page.getByRole("link", { name: "Rust" }).click();
  await expect(page.locator(".line.here").filter({ hasText: 'wire.run("HSET"' }).locator("mark")).toHaveText("A");
  await expect(page).toHaveURL(/view=rust/);
});

test("a loaded order is played forward and back, by keys and by the scrubber, and another step replaces the rest", async ({ page }) => {
  await open(page, "/lab/step?strategy=read-check-write&schedule=11221122&at=0");
  await expect(stepOf(page)).toHaveText("0 / 8");
  await page.keyboard.press("ArrowRight");
  await expect(stepOf(page)).toHaveText("1 / 8");
  await expect(caption(page)).toHaveText("A reads: 1 left.");
  await page.keyboard.press("a");
  await expect(stepOf(page), "the step that comes next anyway").toHaveText("2 / 8");
  await page.keyboard.press("ArrowLeft");
  await expect(stepOf(page)).toHaveText("1 / 8");
  await page.goBack();
  await expect(stepOf(page)).toHaveText("2 / 8");
  await page.getByRole("slider", { name: "Step" }).fill("8");
  await expect(outcome(page)).toContainText("More was given out than there was.");
  await page.keyboard.press("Tab");
  await page.keyboard.press("r");
  await expect(stepOf(page)).toHaveText("0 / 8");
  await page.keyboard.press("b");
  await expect(stepOf(page), "another order").toHaveText("1 / 1");
});

test("another play is chosen with the same view, and keys can be switched off on every page", async ({ page }) => {
  await open(page, "/lab/step?strategy=read-check-write&view=commands");
  await page.getByLabel("Strategy").selectOption("setnx-lock-short-lifetime");
  await page.getByRole("button", { name: "Show" }).click();
  await expect(page).toHaveURL(/strategy=setnx-lock-short-lifetime.*view=commands/);
  const whyNot = page.getByRole("button", { name: "Why can no time pass?" });
  await expect(whyNot).toHaveAccessibleDescription("Here, time passes only while somebody is at a line that takes time.");
  const keys = page.getByRole("button", { name: "Single-key shortcuts" });
  await expect(keys).toHaveAttribute("aria-pressed", "true");
  await keys.click();
  await page.keyboard.press("a");
  await page.reload();
  await expect(keys).toHaveAttribute("aria-pressed", "false");
  await expect(keys).toBeEnabled();
  await page.keyboard.press("a");
  await expect(stepOf(page)).toHaveText("0 / 0");
  await keys.click();
  await page.keyboard.press("a");
  await expect(stepOf(page)).toHaveText("1 / 1");
});

test("readers of Chinese have the code in Chinese", async ({ visitor }) => {
  const page = await visitor({ locale: "zh-CN" });
  await page.goto("/lab/step?strategy=read-check-write");
  await expect(here(page, "1")).toHaveText("left ← 读取 stock");
  await expect(page.locator(".lane.player-1 li").last()).toHaveText("答复“抢到了”");
});

test("space plays to the end and stops there", async ({ page }) => {
  await page.clock.install();
  await open(page, "/lab/step?strategy=script&schedule=12&at=0");
  // From here on, time passes only as told.
  await page.clock.pauseAt(Date.now() + 60_000);
  await page.keyboard.press(" ");
  await expect(page.getByRole("button", { name: "Pause" })).toBeVisible();
  await page.clock.runFor(1_000);
  await expect(stepOf(page)).toHaveText("1 / 2");
  await page.clock.runFor(1_000);
  await expect(stepOf(page)).toHaveText("2 / 2");
  await expect(page.getByRole("button", { name: "Play" })).toBeVisible();
  await expect(outcome(page)).toContainText("Nothing went wrong in this order.");
});

test("who waits for another cannot go on", async ({ page }) => {
  await open(page, "/lab/step?strategy=setnx-lock&attempts=2");
  await take(page, "ab");
  await expect(caption(page)).toHaveText("B finds the lock taken by A, and waits.");
  await expect(moveOf(page, "b")).toHaveAttribute("aria-disabled", "true");
  await expect(key(page, "lock")).toContainText("held by A");
  await page.keyboard.press("b");
  await expect(stepOf(page)).toHaveText("2 / 2");
  await page.keyboard.press("a");
  await expect(moveOf(page, "b")).not.toHaveAttribute("aria-disabled", "true");
});

test("keys that are pressed while a step is on its way are taken in their turn", async ({ page }) => {
  await open(page, "/lab/step?strategy=read-check-write");
  let arrive = () => {};
  const held = new Promise<void>((resolve) => (arrive = resolve));
  await page.route("**/api/lab/step", async (route) => {
    await held;
    await route.continue();
  });
  const asked = page.waitForRequest("**/api/lab/step");
  await page.keyboard.press("a");
  await asked;
  await page.keyboard.press("a");
  await page.keyboard.press("b");
  await expect(stepOf(page), "nothing has happened yet").toHaveText("0 / 0");
  arrive();
  await expect(stepOf(page)).toHaveText("3 / 3");
  await expect(page).toHaveURL(/schedule=112$/);
});

test("a step that failed can be taken again", async ({ page, complaints }) => {
  complaints.forgive(/Failed to load resource|fetch/i);
  await open(page, "/lab/step?strategy=read-check-write&schedule=1");
  await page.route("**/api/lab/step", (route) => route.abort());
  await page.keyboard.press("b");
  await expect(page.getByRole("button", { name: "Try again" })).toBeVisible();
  await expect(stepOf(page)).toHaveText("1 / 1");
  await page.unroute("**/api/lab/step");
  await page.keyboard.press("b");
  await expect(stepOf(page)).toHaveText("2 / 2");
  await expect(page.getByRole("button", { name: "Try again" })).toBeHidden();
});

test("the focus stays on a move, and goes on when it has ended", async ({ page }) => {
  await open(page, "/lab/step?strategy=decr-incr&attempts=2");
  await moveOf(page, "a").focus();
  await page.keyboard.press("Enter");
  await expect(moveOf(page, "a")).toHaveAttribute("href", /schedule=11$/);
  await expect(moveOf(page, "a")).toBeFocused();
  await moveOf(page, "b").focus();
  await page.keyboard.press("Enter");
  await expect(moveOf(page, "b")).toHaveAttribute("href", /schedule=122$/);
  await page.keyboard.press("Enter");
  await expect(moveOf(page, "b"), "it has ended").toHaveAttribute("aria-disabled", "true");
  await expect(moveOf(page, "a"), "the focus goes on to the other").toBeFocused();
});

test("a play is shared by its link, and needs no JavaScript", async ({ page, visitor }) => {
  await open(page, "/lab/step?strategy=pipeline&users=11&schedule=1,2,1,2,1,2,1,2");
  await expect(outcome(page)).toContainText("A user got more than one.");
  const somebody = await visitor({ javaScriptEnabled: false });
  await somebody.goto(page.url());
  await expect(outcome(somebody)).toContainText("A user got more than one.");
  await somebody.getByRole("link", { name: "Back" }).click();
  await expect(outcome(somebody)).toContainText("The verdict is shown once");
  await somebody.getByRole("link", { name: "B’s next step" }).click();
  await expect(outcome(somebody)).toContainText("A user got more than one.");
});

test("a strategy that is chosen before hydration stays chosen", async ({ page }) => {
  const arrive = await holdBack(page);
  await page.goto("/lab/step", { waitUntil: "commit" });
  await page.getByLabel("Strategy").selectOption("pipeline");
  await page.getByLabel("Attempts").selectOption("123");
  arrive();
  await expect(page.getByRole("banner").getByRole("button").last()).toBeEnabled();
  await expect(page.getByLabel("Strategy")).toHaveValue("pipeline");
  await expect(page.getByLabel("Attempts")).toHaveValue("123");
});

test("a play that cannot be is said to be none", async ({ page, complaints }) => {
  complaints.forgive(/400 \(Bad Request\)/);
  await open(page, "/lab/step?strategy=script&schedule=1111");
  await expect(page.getByText("This play cannot be shown. `1` does not take part, or has no step left.")).toBeVisible();
  await open(page, "/lab/step?strategy=script&stock=abc");
  await expect(page.getByText("This play cannot be shown")).toBeVisible();
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await expect(page.getByText("This play cannot be shown")).toBeHidden();
  await page.keyboard.press("a");
  await expect(stepOf(page)).toHaveText("1 / 1");
});

test("all of it is on one screen, also when it is presented and on a phone", async ({ page }) => {
  const scrolls = () => page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
  for (const viewport of [{ width: 1280, height: 720 }, { width: 360, height: 780 }]) {
    await test.step(`${viewport.width} × ${viewport.height}`, async () => {
      await page.setViewportSize(viewport);
      await open(page, "/lab/step?strategy=setnx-lock-short-lifetime&schedule=111t12211122222");
      expect(await scrolls()).toBe(0);
      await expect(moveOf(page, "a")).toBeInViewport({ ratio: 1 });
      await expect(caption(page)).toBeInViewport({ ratio: 1 });
      await fits(page);
    });
  }
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.keyboard.press("f");
  await expect(page).toHaveURL(/present=1/);
  expect(await scrolls()).toBe(0);
  const cut = () => page.locator(".player-side").evaluate((side) => side.scrollHeight - side.clientHeight);
  expect(await cut(), "what is cut off").toBeLessThanOrEqual(0);
  await page.setViewportSize({ width: 1920, height: 1080 });
  expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe("25.6px");
  expect(await scrolls()).toBe(0);
  await expect(page.getByRole("banner")).toBeHidden();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("banner")).toBeVisible();
  await page.setViewportSize(PHONE);
  await clean(page);
});
