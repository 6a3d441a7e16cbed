// A program of one's own: it is checked while it is typed, and every order of its steps is tried.

import type { Page } from "@playwright/test";
import { expect, holdBack, open, test } from "../fixtures";
import { DARK_PHONE, LIGHT_DESK, clean, fitsEverywhere } from "../looks";

const field = (page: Page) => page.getByLabel("The program of each attempt");
const tryAll = (page: Page) => page.getByRole("button", { name: "Try every order" });
const answer = (page: Page) => page.locator(".write-answer");
const faults = (page: Page) => page.locator(".program-faults li");
const example = (page: Page, name: string) => page.getByRole("link", { name, exact: true });

test("the first example breaks, and the order that breaks it is played from its beginning", async ({ page }) => {
  await open(page, "/learn/write");
  await expect(field(page)).toHaveValue(/^left = read stock\nmine = read got\n/);
  await tryAll(page).click();
  await expect(answer(page)).toContainText("60 of 66 orders break it: the shortest has 8 steps.");
  await expect(answer(page)).toContainText("More was given out than there was. in 60 orders");
  await answer(page).getByRole("link", { name: "Step through the shortest" }).click();
  await expect(page.locator(".step-of")).toHaveText("0 / 8");
  await expect(page.locator(".player-head")).toContainText("Your own");
  await expect(page.locator(".lane.player-1 .here")).toHaveText("left = read stock");
  await page.keyboard.press("ArrowRight");
  await expect(page.locator(".lane.player-1 .here")).toHaveText("mine = read got");
  await page.getByRole("slider", { name: "Step" }).fill("8");
  await expect(page.locator(".play-outcome")).toContainText("More was given out than there was.");
  await page.getByRole("link", { name: "Change the program" }).click();
  await expect(field(page)).toHaveValue(/^left = read stock\n/);
});

for (const [name, users, stock, sentence] of [
  ["One script", "12", "1", "None of 2 orders breaks it. That holds for these attempts and this stock."],
  ["Watch, then all at once", "12", "1", "None of 70 orders breaks it."],
  ["A lock that expires", "12", "1", /orders break it: the shortest has \d+ steps/],
  ["Take first, put back", "112", "2", /orders break it: the shortest has \d+ steps/],
] as const) {
  test(`an example is tried with its attempts and its stock: ${name}`, async ({ page }) => {
    await open(page, "/learn/write");
    await example(page, name).click();
    await page.getByLabel("Attempts").selectOption(users);
    await page.getByLabel("Stock").selectOption(stock);
    await tryAll(page).click();
    await expect(answer(page)).toContainText(sentence);
  });
}

test("what is wrong is said beside its line while it is typed, and an answer goes with what it is about", async ({ page }) => {
  await open(page, "/learn/write");
  await example(page, "One script").click();
  await tryAll(page).click();
  await expect(answer(page)).toContainText("None of 2 orders");
  await field(page).fill("left = read stock\nredis.call('FLUSHALL')\nsay hello\n");
  await expect(answer(page)).toBeEmpty();
  await expect(faults(page)).toHaveText([/^Line 2 No step has the character `\.`/, /^Line 3 Say `yours`/]);
  await expect(page.locator(".line-numbers .wrong")).toHaveText(["2", "3"]);
  await expect(field(page)).toHaveAttribute("aria-invalid", "true");
  await expect(tryAll(page)).toBeDisabled();
  await field(page).fill("lock\nincr got\nsay yours");
  await expect(faults(page)).toHaveText([/^Line 3 It holds the lock when it says this/]);
  await field(page).fill("lock\nincr got\nunlock\nsay yours");
  await expect(faults(page)).toHaveCount(0);
  await tryAll(page).click();
  await expect(answer(page)).toContainText("orders break it");
});

test("what was typed can be brought back after an example has taken its place", async ({ page }) => {
  await open(page, "/learn/write");
  await example(page, "A lock").click();
  await example(page, "One script").click();
  const bringBack = page.getByRole("button", { name: "Bring it back" });
  await expect(bringBack, "an example can be had again").toBeHidden();
  await field(page).fill("incr got\nsay yours");
  await example(page, "A lock").click();
  await expect(field(page)).toHaveValue(/^lock\n/);
  await bringBack.click();
  await expect(field(page)).toHaveValue("incr got\nsay yours");
  await expect(field(page)).toBeFocused();
  await expect(bringBack).toBeHidden();
  // What was typed since then is not lost either: the two swap.
  await example(page, "A lock").click();
  await field(page).fill("say busy");
  await bringBack.click();
  await expect(field(page)).toHaveValue("incr got\nsay yours");
  await bringBack.click();
  await expect(field(page)).toHaveValue("say busy");
});

test("who sells nothing undersells, an order without steps is there once, and what is ignored is said", async ({ page }) => {
  await open(page, "/learn/write?users=9&stock=2");
  await expect(page.getByText("Ignored because it is not valid: users=9")).toBeVisible();
  await field(page).fill("say busy");
  await tryAll(page).click();
  await expect(answer(page)).toContainText("It breaks without a single step.");
  await expect(answer(page)).toContainText("A user was sent away, but not all was given out.");
  await page.getByRole("button", { name: "Every order", exact: true }).click();
  await expect(page.locator(".order-grid a")).toHaveCount(1);
  await page.keyboard.press("Escape");
  await field(page).fill("# mine\nSay yours");
  await expect(faults(page)).toHaveText([/^Line 1 A program has no comments/, /^Line 2 Write small letters only/]);
});

test("every order is a cell that leads to the player, and a link shares the program", async ({ page, visitor }) => {
  await open(page, "/learn/write");
  await field(page).fill("left=decr stock\nif left<0 {\nincr stock\nsay sold out\n}\nincr got\nsay yours");
  await page.getByLabel("Attempts").selectOption("11");
  await page.getByLabel("Stock").selectOption("2");
  await tryAll(page).click();
  await expect(answer(page)).toContainText("6 of 6 orders break it: the shortest has 4 steps.");
  await expect(field(page)).toHaveValue("left = decr stock\nif left < 0 {\n  incr stock\n  say sold out\n}\nincr got\nsay yours");
  const somebody = await visitor();
  await open(somebody, page.url());
  await expect(field(somebody)).toHaveValue(/^left = decr stock\nif left < 0 \{\n {2}incr stock/);
  await expect(somebody.getByLabel("Attempts")).toHaveValue("11");
  await expect(somebody.getByLabel("Stock")).toHaveValue("2");
  await page.getByRole("button", { name: "Every order", exact: true }).click();
  await expect(page.locator(".order-grid a")).toHaveCount(6);
  await page.locator(".order-grid a").first().click();
  await expect(page.locator(".step-of")).toHaveText("0 / 4");
});

test("what is typed before hydration stays", async ({ page }) => {
  const arrive = await holdBack(page);
  await page.goto("/learn/write", { waitUntil: "commit" });
  await field(page).fill("say hello");
  arrive();
  await expect(faults(page)).toHaveText([/^Line 1 Say `yours`/]);
  await expect(field(page)).toHaveValue("say hello");
});

test("a crowd is let loose on a program, beside a script", async ({ page }) => {
  await open(page, "/learn/write");
  await example(page, "One script").click();
  await page.getByRole("button", { name: "Let a crowd loose on it" }).click();
  await expect(page).toHaveURL(/\/lab\?run=/);
  const table = page.getByRole("table").filter({ hasText: "Attempts/s" });
  await expect(table.getByRole("row").filter({ hasText: "Your own" })).toContainText("Holds");
  await expect(page.getByRole("group", { name: "Export" }), "the run is over").toBeVisible();
});

test("the page is clean, fits every screen, and is found from the lab", async ({ page }) => {
  await open(page, "/lab");
  await page.getByRole("link", { name: "Write your own" }).click();
  await tryAll(page).click();
  await expect(answer(page)).toContainText("60 of 66");
  await fitsEverywhere(page);
  await clean(page, [LIGHT_DESK, DARK_PHONE]);
  await field(page).fill("hope\n".repeat(25));
  await expect(faults(page)).toHaveText([/^Line 25 A program has at most 24 lines\./]);
  await field(page).fill("hope\n".repeat(24));
  await expect(faults(page)).toHaveCount(24);
  await fitsEverywhere(page);
  await clean(page, [LIGHT_DESK, DARK_PHONE]);
});
