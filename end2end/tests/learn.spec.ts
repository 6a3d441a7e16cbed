// The lesson: each level is solved by keys alone, each wrong answer gets its hint, and what is solved stays so.

import type { Page } from "@playwright/test";
import { expect, open, test } from "../fixtures";
import { DARK_PHONE, LIGHT_DESK, clean, fits } from "../looks";

const title = (page: Page) => page.getByRole("heading", { level: 1 });
const stepOf = (page: Page) => page.locator(".step-of");
const coda = (page: Page) => page.locator(".coda");
const hint = (page: Page) => page.locator(".hint-of-level");
const claim = (page: Page) => page.getByRole("button", { name: "No order breaks it" });

/** Takes steps by keys, each once the one before is shown. */
async function take(page: Page, keys: string): Promise<void> {
  for (const [place, letter] of [...keys].entries()) {
    await page.keyboard.press(letter);
    await expect(stepOf(page)).toHaveText(`${place + 1} / ${place + 1}`);
  }
}

test("level 1 is solved by keys, its score is said, and it stays solved", async ({ page }) => {
  await open(page, "/learn");
  await expect(title(page)).toHaveText("Sell one ticket twice");
  await take(page, "aabaabbb");
  await expect(coda(page)).toContainText("The gap between reading and writing is the bug.");
  await expect(coda(page)).toContainText("8 steps: nobody needs fewer.");
  const solved = page.getByRole("link", { name: "1: Sell one ticket twice (solved)" });
  await expect(solved).toBeVisible();
  await page.reload();
  await expect(solved).toBeVisible();
  await page.getByRole("link", { name: "Next level" }).click();
  await expect(title(page)).toHaveText("How many orders break it?");
});

for (const [level, keys, lesson] of [
  [3, "aaabbabb", "between two commands of a pipeline"],
  [5, "aaabbaabbb", "What two servers share is Redis"],
  [6, "aaatabbaaabbbbb", "a promise about time"],
  [7, "aaaaatababbccbbbbccccc", "deleted by somebody who no longer had it"],
  [8, "aabbcbc", "Undersold"],
  [11, "aaaabaabbbbb", "the user was lied to"],
  [12, "aababbccdd", "must count once"],
  [13, "awwaawwbb", "must decide in one step"],
  [14, "aabaabaabbbb", "An old value overwrote a new one"],
  [15, "aabbc", "each double click costs a ticket"],
] as const) {
  test(`level ${level} is broken by keys alone`, async ({ page, visitor }) => {
    await open(page, `/learn?level=${level}`);
    await take(page, keys);
    await expect(coda(page)).toContainText(lesson);
    await expect(coda(page)).toContainText("nobody needs fewer");
    // A link carries the solution, and does not solve it for somebody else.
    const somebody = await visitor();
    await open(somebody, page.url());
    await expect(coda(somebody)).toContainText(lesson);
    await expect(somebody.locator(".dot.solved")).toHaveCount(0);
  });
}

for (const [level, orders, lesson] of [
  [4, "32", "It knows nothing of any other server"],
  [9, "70", "Right in every order"],
  [10, "2", "there is no in between"],
] as const) {
  test(`level ${level} is solved by whoever says that no order breaks it`, async ({ page }) => {
    await open(page, `/learn?level=${level}`);
    await claim(page).focus();
    await page.keyboard.press("Enter");
    await expect(coda(page)).toContainText(`All ${orders} orders were tried on a real Redis, and none breaks it.`);
    await expect(coda(page)).toContainText(lesson);
    await expect(page.locator(".dot.solved")).toHaveCount(1);
  });
}

test("who guesses how many orders break it sees all of them, and each can be played", async ({ page, post }) => {
  await open(page, "/learn?level=2");
  const found = await post<{ total: number; broken: number; shortest: string }>("/api/lab/orders", { strategy: "read-check-write" });
  await page.getByRole("slider", { name: "Your guess" }).focus();
  for (let guess = 1; guess <= 20; guess++) await page.keyboard.press("ArrowRight");
  await expect(page.getByText(`20 of ${found.total}`)).toBeVisible();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await expect(coda(page)).toContainText(`${found.broken}: more than most people think.`);
  await expect(page.getByRole("heading", { name: `${found.broken} of ${found.total} orders break it` })).toBeVisible();
  const cells = page.locator(".order-grid a");
  await expect(cells).toHaveCount(found.total);
  await expect(page.locator(".order-grid .broken")).toHaveCount(found.broken);
  await clean(page);
  await page.locator(".order-grid .broken").first().click();
  await expect(page).toHaveURL(new RegExp(`schedule=${found.shortest}&at=0`));
  await expect(stepOf(page)).toHaveText("0 / 8");
  await expect(coda(page), "it stays solved").toContainText(`${found.broken}: more than most people think.`);
});

test("each wrong answer gets its hint, and a better one the next time", async ({ page }) => {
  await open(page, "/learn?level=1");
  await expect(hint(page)).toBeHidden();
  await take(page, "aaaabb");
  await expect(page.getByText("Nothing went wrong this time.")).toBeVisible();
  await expect(hint(page)).toContainText("Each of them looks before writing.");
  await page.keyboard.press("r");
  await expect(stepOf(page)).toHaveText("0 / 6");
  await take(page, "b");
  await claim(page).click();
  await expect(page.getByText("Not so: 60 of 66 orders break it. Look for one.")).toBeVisible();
  await expect(hint(page)).toContainText("Let A read, then let B read.");
});

for (const level of [3, 5, 6, 7, 8, 11, 12, 13, 14, 15]) {
  test(`level ${level}: who says that no order breaks it gets a hint`, async ({ page }) => {
    await open(page, `/learn?level=${level}`);
    await claim(page).focus();
    await page.keyboard.press("Enter");
    await expect(page.getByText(/^Not so: (at least [\d,]+|[\d,]+ of [\d,]+) orders break it\. Look for one\.$/)).toBeVisible();
    await expect(hint(page)).toHaveText(/\w{3}/);
    const first = await hint(page).innerText();
    await page.getByRole("button", { name: "Hint" }).click();
    await expect(hint(page)).not.toHaveText(first);
    await expect(page.locator(".dot.solved")).toHaveCount(0);
  });
}

test("a question is asked before the first step, and either reply leads on", async ({ page }) => {
  await open(page, "/learn?level=3");
  await page.getByRole("button", { name: "Yes" }).click();
  await expect(page.getByText("Most people think so. Try to get in between.")).toBeVisible();
  await take(page, "a");
  await expect(page.getByText("Most people think so.")).toBeHidden();
});

test("a level that does not exist is said to be none", async ({ page, complaints }) => {
  complaints.forgive(/400 \(Bad Request\)/);
  await open(page, "/learn?level=99");
  await expect(page.getByText("`level` must be 1 to 15")).toBeVisible();
  await page.getByRole("link", { name: "1: Sell one ticket twice" }).click();
  await expect(page.locator("#move-a")).toHaveAttribute("href", /schedule=1/);
  await take(page, "a");
});

test("every level is on one screen, on a projector and on a phone, with notes for whoever asks for them", async ({ page }) => {
  const scrolls = () => page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
  for (const viewport of [{ width: 1280, height: 720 }, { width: 360, height: 780 }]) {
    await page.setViewportSize(viewport);
    for (const level of [1, 7, 12]) {
      await test.step(`level ${level} at ${viewport.width} × ${viewport.height}`, async () => {
        await open(page, `/learn?level=${level}`);
        expect(await scrolls()).toBe(0);
        await expect(page.locator("#move-a")).toBeInViewport({ ratio: 1 });
        await fits(page);
        if (level !== 7) return;
        await take(page, "aaaaatababbccbbbbccccc");
        await expect(coda(page)).toBeInViewport({ ratio: 1 });
        expect(await scrolls(), "when it is solved").toBe(0);
        expect((await page.locator(".lanes").boundingBox())!.height, "room for the code").toBeGreaterThanOrEqual(96);
      });
    }
  }
  await expect(page.getByText("Notes for the teacher")).toBeHidden();
  await page.goto("/learn?level=1&teach");
  await expect(page.getByText("Notes for the teacher")).toBeVisible();
  await clean(page, [LIGHT_DESK, DARK_PHONE]);
  await page.emulateMedia({ media: "print" });
  await expect(page.locator(".handout")).toContainText("A double click drains the stock");
  await expect(page.locator(".handout pre")).toHaveText([/^left ← read stock\n.*\nsay “yours”$/s, /^one script, one step:\n/]);
  const edge = "1cm";
  const sheet = await page.pdf({ format: "A4", margin: { top: edge, right: edge, bottom: edge, left: edge } });
  const pages = sheet.toString("latin1").match(/\/Type\s*\/Page\b/g);
  expect(pages, "one page").toHaveLength(1);
  await expect(page.locator("#move-a")).toBeHidden();
});
