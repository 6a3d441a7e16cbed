// Explanations of figures and exact times: tips that keys, pointers and fingers reach.

import { type Page } from "@playwright/test";
import { expect, open, openLive, post, strip, test } from "../fixtures";
import { PHONE, clean } from "../looks";

const tip = (page: Page) => page.getByRole("tooltip");

for (const [locale, p99, lag, meaning] of [
  ["en", "p99", "Ledger lag", "99 of 100 attempts were answered within this time."],
  ["zh-CN", "p99", "账本滞后", "每 100 次请求中有 99 次在此时间内得到响应。"],
]) {
  test(`a figure is explained while it has the focus, until Escape: ${locale}`, async ({ sale, visitor }) => {
    const page = await visitor({ locale });
    await page.goto(sale.path);
    await expect(page.locator(".strip .actions button").last()).toBeEnabled();
    const term = page.locator(".strip").getByRole("button", { name: p99, exact: true });
    await expect(term).toHaveAccessibleDescription(meaning);
    await expect(tip(page)).toHaveCount(0);
    await term.focus();
    await expect(tip(page)).toHaveText(meaning);
    await expect(tip(page)).toBeInViewport({ ratio: 1 });
    await clean(page);
    await page.keyboard.press("Escape");
    await expect(tip(page)).toHaveCount(0);
    await expect(term).toBeFocused();
    // One at a time.
    await page.keyboard.press("Tab");
    await expect(page.locator(".strip").getByRole("button", { name: lag, exact: true })).toBeFocused();
    await expect(tip(page)).toHaveCount(1);
    await page.keyboard.press("Shift+Tab");
    await expect(tip(page)).toHaveText(meaning);
  });
}

test("a tip is shown to a pointer, stays while the pointer is on it, and is not there for an audience", async ({ page, sale }) => {
  await openLive(page, sale.path);
  await strip(page).getByRole("button", { name: "p99" }).hover();
  await expect(tip(page)).toBeVisible();
  await tip(page).hover();
  await expect(tip(page)).toBeVisible();
  await page.getByRole("heading", { level: 1 }).hover();
  await expect(tip(page)).toHaveCount(0);
  await strip(page).getByRole("button", { name: "p99" }).focus();
  await expect(tip(page)).toBeVisible();
  await page.keyboard.press("f");
  await expect(page).toHaveURL(/present=1/);
  await expect(tip(page)).toHaveCount(0);
});

test("before the browser takes over, a press shows the tip", async ({ sale, visitor }) => {
  const page = await visitor({ javaScriptEnabled: false });
  await page.goto(sale.path);
  await strip(page).getByRole("button", { name: "p99" }).click();
  await expect(tip(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(tip(page)).toHaveCount(0);
});

test.describe("by fingers", () => {
  test.use({ hasTouch: true, viewport: PHONE });

  test("the exact time of what was some time ago is a tap away", async ({ own, page, request }) => {
    const { url } = await own.serve();
    const sale = { id: "spring" };
    await post(request, `${url}/api/stock/open`, { id: sale.id, quantity: 10 });
    await open(page, `${url}/`);
    const entry = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: sale.id }) });
    await entry.getByRole("button", { name: /^(just now|\d+ min ago)$/ }).tap();
    await expect(tip(page)).toHaveText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/);
    await expect(tip(page)).toBeInViewport({ ratio: 1 });
    await expect(page, "the card around it is a link").toHaveURL(`${url}/`);
    await page.getByRole("heading", { level: 1 }).tap();
    await expect(tip(page)).toHaveCount(0);
  });
});

test("the figures of strategies are explained, by the button that sorts by them", async ({ page }) => {
  await open(page, "/lab?users=60&stock=5&concurrency=4&strategies=script,batched-script");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  const trips = page.getByRole("columnheader", { name: "Round trips per attempt" }).getByRole("button");
  await expect(trips).toHaveAccessibleDescription(/^How often an attempt waits/);
  await trips.focus();
  await expect(tip(page)).toBeVisible();
});

test("runs that are compared have their figures explained", async ({ page, sale, startCrowd }) => {
  for (const users of [10, 20]) {
    const status = await startCrowd(sale, { users });
    await expect.poll(async () => (await status()).verdict).toBe("holds");
  }
  await openLive(page, sale.path);
  const runs = page.getByRole("region", { name: "Runs", exact: true });
  await expect(runs.getByRole("columnheader", { name: "p99" }).getByRole("button")).toHaveAccessibleDescription(/^99 of 100/);
  for (const left of [2, 1]) {
    await expect(runs.getByRole("link", { name: /^Compare / })).toHaveCount(left);
    await runs.getByRole("link", { name: /^Compare / }).first().click();
  }
  const lost = page.getByRole("region", { name: "Two runs side by side" }).getByRole("rowheader", { name: "Lost" });
  await lost.getByRole("button").focus();
  await expect(tip(page)).toHaveText("Users were told that they have it, but it is not stored.");
});
