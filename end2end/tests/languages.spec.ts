// Two languages and two themes: chosen by the browser's setting, changed by a switch, remembered.

import { type Locator, type Page } from "@playwright/test";
import { expect, open, openLive, test } from "../fixtures";
import { kinds } from "../kinds";
import { expectLeft, listed } from "../list";
import { english } from "../looks";

const root = (page: Page) => page.getByRole("document");

test("a Chinese browser gets a Chinese page", async ({ openSale, post, visitor }) => {
  const sale = await openSale({ count: 1_234, total_cents: 12_345_678, splitter: "equal" });
  await post("/api/red-packet/claim", { sale: sale.id, user: "小梅" });
  const page = await visitor({ locale: "zh-CN" });
  await open(page, "/");
  await expect(root(page)).toHaveAttribute("lang", "zh-CN");
  await expect(page).toHaveTitle("活动 · Stampede");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("每一份，只发一次");
  const entry = listed(page, sale.id);
  await expectLeft(entry, "剩 1,233 / 1,234", "剩余");
  await expect(entry).toContainText("¥123,356.73 / ¥123,456.78");

  await page.getByRole("link", { name: sale.id }).click();
  await expect(page.getByText("实时", { exact: true })).toBeVisible();
  await expect(page.getByRole("meter", { name: "未领" })).toHaveAttribute("aria-valuetext", "1,233 / 1,234 个，¥123,356.73");
  await expect(page.getByRole("region", { name: "数据" })).toContainText("小梅，第 1 号红包");
  // In the reader's own zone, so without the name of one.
  await expect(page.getByText(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/).first()).toBeVisible();
  await page.getByRole("tabpanel").getByRole("textbox").first().fill("小兰");
  await page.getByRole("button", { name: "抢红包", exact: true }).click();
  await expect(page.getByText("已领取：第 2 号红包。")).toBeVisible();
  await page.getByRole("tab", { name: "模拟抢购" }).click();
  await page.getByText("全部设置").click();
  await page.getByLabel("用户数").fill("100");
  await page.getByRole("tabpanel").getByRole("button", { name: "开始模拟抢购" }).click();
  await expect(page.getByRole("heading", { name: "判定 通过" }).first()).toBeVisible();
  // What the program has said since is in Chinese, too.
  for (const tab of await page.getByRole("tab").all()) {
    await tab.click();
    expect(await english(page.getByRole("main"), sale.id)).toEqual([]);
  }
});

test("the language switch is remembered, and other tabs follow it", async ({ context, page, sale }) => {
  const other = await context.newPage();
  await open(other, "/");
  await openLive(page, sale.path);
  await expect(root(page)).toHaveAttribute("lang", "en");
  let loads = 0;
  page.on("request", (request) => (loads += Number(request.isNavigationRequest())));
  await page.getByRole("button", { name: "中文" }).click();
  await expect(root(page)).toHaveAttribute("lang", "zh-CN");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("红包");
  expect(loads, "the page is loaded once").toBe(1);
  await expect(root(other)).toHaveAttribute("lang", "zh-CN");
  await expect(other.getByRole("heading", { level: 1 })).toHaveText("每一份，只发一次");
  await other.close();
  await page.reload();
  await expect(root(page)).toHaveAttribute("lang", "zh-CN");
  await open(page, "/");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("每一份，只发一次");
  await page.getByRole("button", { name: "English" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Every item sold exactly once");
  await page.reload();
  await expect(root(page)).toHaveAttribute("lang", "en");
});

test("the form for each kind of sale has fields of its own, and the language switch keeps what was typed into them", async ({ page }) => {
  const values = (form: Locator) =>
    form.locator("input, select").evaluateAll((fields) =>
      fields.map((field) => (field instanceof HTMLInputElement && field.type === "checkbox" ? field.checked : (field as HTMLInputElement).value)),
    );
  // The first is the one that is shown in the end.
  const names = [...kinds.slice(1), kinds[0]].map(({ names }) => names);
  await open(page, "/");
  const form = page.getByRole("region", { name: "Open a sale" });
  const typed: Record<string, (string | boolean)[]> = {};
  for (const [nth, { en: kind }] of names.entries()) {
    await form.getByRole("button", { name: kind, exact: true }).click();
    // The last hall has more categories than the first, with prices of their own. A layout of one's own has none yet.
    for (const choice of await form.getByRole("combobox").all()) {
      await choice.selectOption((await choice.locator("option:not([value=own])").last().getAttribute("value"))!);
    }
    if (kind === "Tickets") await expect(form.getByRole("group", { name: "Seat prices" }).getByRole("textbox")).toHaveCount(6);
    for (const box of await form.getByRole("checkbox").all()) await box.check();
    for (const [place, field] of (await form.getByRole("textbox").all()).entries()) await field.fill(`${nth}${place + 31}`);
    typed[kind] = await values(form);
  }
  for (const { en: kind } of names) {
    await form.getByRole("button", { name: kind, exact: true }).click();
    await expect.poll(() => values(form), kind).toEqual(typed[kind]);
  }

  await page.getByRole("button", { name: "中文" }).click();
  await expect(root(page)).toHaveAttribute("lang", "zh-CN");
  const translated = page.getByRole("region", { name: "创建活动" });
  await expect(translated.getByRole("button", { name: "红包", exact: true })).toHaveAttribute("aria-pressed", "true");
  // The one that is shown first, without a click.
  for (const { en: kind, zh: name } of names.toReversed()) {
    const chosen = translated.getByRole("button", { name, exact: true });
    if (kind !== "Red packets") await chosen.click();
    await expect(chosen).toHaveAttribute("aria-pressed", "true");
    await expect.poll(() => values(translated), kind).toEqual(typed[kind]);
  }
});

test("the theme switch is remembered, and the system's choice is the default", async ({ page }) => {
  const background = () => root(page).evaluate((html) => getComputedStyle(html).backgroundColor + getComputedStyle(document.body).backgroundColor);
  await page.emulateMedia({ colorScheme: "light" });
  await open(page, "/");
  const light = await background();
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await background();
  expect(dark).not.toBe(light);

  const themes = page.getByRole("group", { name: "Theme" });
  await expect(themes.getByRole("button", { name: "System" })).toHaveAttribute("aria-pressed", "true");
  await themes.getByRole("button", { name: "Light" }).click();
  await expect.poll(background).toBe(light);
  await page.reload();
  await expect(themes.getByRole("button", { name: "Light" })).toHaveAttribute("aria-pressed", "true");
  expect(await background()).toBe(light);

  await expect(themes.getByRole("button", { name: "System" })).toBeEnabled();
  await themes.getByRole("button", { name: "System" }).click();
  await expect.poll(background).toBe(dark);
  await page.reload();
  await expect(themes.getByRole("button", { name: "System" })).toHaveAttribute("aria-pressed", "true");
  expect(await background()).toBe(dark);
});
