// The header of every page: how all of it is doing, and what needs somebody.

import { type Page } from "@playwright/test";
import { expect, open, post, test } from "../fixtures";
import { PHONE, clean, english, fits } from "../looks";
import { redisCli } from "../server";

const signal = (page: Page, name: string | RegExp) => page.getByRole("banner").getByRole("button", { name, exact: true });
const panel = (page: Page, name: string | RegExp) => page.getByRole("banner").getByRole("group", { name });

test("the header says that all is well, and what of it is not", async ({ alone, page, complaints }) => {
  complaints.forgive(/503 \(Service Unavailable\)/);
  const { server, store } = alone;
  await open(page, `${server.url}/learn`);
  await signal(page, "Health: All is well").click();
  const health = panel(page, /^Health/);
  const part = (name: string) => health.getByRole("term").filter({ hasText: name }).locator("xpath=following-sibling::dd[1]");
  await expect(part("Redis")).toHaveText("Answers");
  await expect(part("Ledger database")).toHaveText("Answers");
  await expect(part("Lag")).toHaveText("0 events, 0.0 s");
  await expect(part("Ledger writer")).toHaveText(/\d/);
  await clean(page);
  await health.getByRole("link", { name: "Audits of all sales" }).click();
  await expect(page).toHaveURL(`${server.url}/audit`);
  await expect(health, "a link closes the panel").toBeHidden();
  await store.stop();
  await expect(signal(page, "Health: Redis is unreachable")).toBeVisible();
});

test("the bell lists what needs somebody, and counts what this browser has not shown", async ({ own, page, request, visitor }) => {
  const { url } = await own.serve();
  await open(page, `${url}/audit`);
  await expect(signal(page, "Needs attention")).toBeVisible();
  await post(request, `${url}/api/stock/open`, { id: "shoes", quantity: 10, low_mark: 3 });
  await post(request, `${url}/api/stock/deduct`, { sale: "shoes", user: "Mei", quantity: 8, request_id: "mei-1" });
  await signal(page, "Needs attention: 1 new").click();
  const matters = panel(page, /^Needs attention/).getByRole("listitem");
  await expect(matters).toHaveText([/shoes\s*Only 2 left\./]);
  await expect(signal(page, "Needs attention"), "it was shown").toBeVisible();
  await clean(page);
  await page.setViewportSize({ ...PHONE, width: 360 });
  await fits(page);
  await matters.getByRole("link", { name: "shoes" }).click();
  await expect(page).toHaveURL(`${url}/stock/shoes`);

  // This browser remembers it; another one does not.
  await open(page, `${url}/`);
  await expect(signal(page, "Health: All is well")).toBeVisible();
  await expect(signal(page, "Needs attention")).toBeVisible();
  const chinese = await visitor({ locale: "zh-CN" });
  await open(chinese, `${url}/`);
  await signal(chinese, "需要处理: 1 项新的").click();
  await expect(panel(chinese, /^需要处理/).getByRole("listitem")).toHaveCount(1);
  expect(await english(panel(chinese, /^需要处理/), "shoes")).toEqual([]);

  // What is over and comes back is new again.
  await post(request, `${url}/api/stock/restock`, { sale: "shoes", quantity: 10 });
  await signal(page, "Needs attention").click();
  await expect(panel(page, /^Needs attention/)).toContainText("Nothing needs attention.");
  await page.keyboard.press("Escape");
  await post(request, `${url}/api/stock/deduct`, { sale: "shoes", user: "Mei", quantity: 12, request_id: "mei-2" });
  await expect(signal(page, "Needs attention: 1 new")).toBeVisible();
});

test("the bell leads to where what could not be recorded is tried again", async ({ alone, page, request }) => {
  const { server, store } = alone;
  await post(request, `${server.url}/api/stock/open`, { id: "shoes", quantity: 10 });
  // No program has written this.
  await redisCli(store, "XADD", "{stock:shoes}:events", "*", "type", "stolen", "at", "1");
  await open(page, `${server.url}/learn`);
  // An audit may have come upon it, too.
  await signal(page, /^Needs attention: [12] new$/).click();
  const matters = panel(page, /^Needs attention/).getByRole("listitem").filter({ hasText: "recorded" });
  await expect(matters).toHaveText([/shoes\s*1 event could not be recorded\.\s*Audits of all sales/]);
  await matters.getByRole("link", { name: "Audits of all sales" }).click();
  await expect(page).toHaveURL(`${server.url}/audit`);
  const card = page.getByRole("main").getByRole("listitem").filter({ has: page.getByRole("link", { name: "shoes" }) });
  await expect(card).toContainText("stolen");
});

test("before scripts run, the header promises nothing", async ({ own, visitor }) => {
  const { url } = await own.serve();
  const plain = await visitor({ javaScriptEnabled: false });
  await plain.goto(`${url}/learn`);
  await expect(signal(plain, "Health: Checking")).toBeDisabled();
  await expect(signal(plain, "Needs attention")).toBeDisabled();
});

// Chromium without a screen shows no notifications, and says so by refusing them.
test("notifications are asked for only when they are switched on, and a browser that refuses them is named", async ({ own, page }) => {
  const { url } = await own.serve();
  await open(page, `${url}/`);
  await signal(page, "Needs attention").click();
  const notify = page.getByRole("button", { name: "Notify me in this browser" });
  const refused = page.getByText("This browser does not allow it.");
  await expect(notify).toHaveAttribute("aria-pressed", "false");
  await expect(refused).toHaveCount(0);
  await notify.click();
  await expect(refused).toBeVisible();
  await expect(notify).toHaveAttribute("aria-pressed", "false");
});
