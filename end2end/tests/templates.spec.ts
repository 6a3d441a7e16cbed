// Templates of the forms that open sales.

import { type Page } from "@playwright/test";
import { expect, open, test } from "../fixtures";
import { PHONE, clean, english, fits } from "../looks";

const forms = (page: Page, name = "Open a sale") => page.getByRole("region", { name });
const field = (page: Page, label: string) => forms(page).getByLabel(label, { exact: true });

test("what a form holds is saved as a template, filled in by another operator, and deleted", async ({ own, page, visitor }) => {
  const { url } = await own.serve();
  await open(page, `${url}/`);
  await forms(page).getByRole("button", { name: "Stock" }).click();
  await field(page, "Quantity").fill("77");
  await field(page, "ID").fill("boots");
  await forms(page).getByText("More: start, end, title").click();
  await field(page, "Title in Chinese").fill("限时抢购");
  await field(page, "Opens").fill("2126-11-28 09:00");
  await field(page, "Ends").fill("2 h");
  await forms(page).getByText("Templates", { exact: true }).click();
  await expect(forms(page).getByText("No templates yet.")).toBeVisible();
  const name = field(page, "Template name");
  await forms(page).getByRole("button", { name: "Save as template" }).click();
  await expect(name).toBeFocused();
  await expect(forms(page).getByText("Enter 1 to 64 bytes of visible characters.")).toBeVisible();
  await name.fill("Flash sale");
  await name.press("Enter");
  const fill = (page: Page) => forms(page).getByRole("button", { name: "Fill in Flash sale" });
  await expect(fill(page)).toBeVisible();
  await clean(page);
  await page.setViewportSize({ ...PHONE, width: 360 });
  await fits(page);

  const other = await visitor();
  await open(other, `${url}/`);
  await forms(other).getByRole("button", { name: "Stock" }).click();
  await field(other, "Quantity").fill("5");
  await field(other, "ID").fill("mine");
  await forms(other).getByText("Templates", { exact: true }).click();
  await fill(other).click();
  await expect(field(other, "Quantity")).toHaveValue("77");
  await expect(field(other, "ID"), "each sale has its own").toHaveValue("");
  await expect(field(other, "Title in Chinese"), "it is not sent unseen").toBeVisible();
  await expect(field(other, "Title in Chinese")).toHaveValue("限时抢购");
  await expect(field(other, "Opens"), "each sale has its own").toHaveValue("");
  await expect(field(other, "Ends")).toHaveValue("2 h");
  await expect(forms(other).getByText("Filled in: Flash sale")).toBeVisible();
  await forms(other).getByRole("button", { name: "Open sale" }).click();
  await expect(other).toHaveURL(/\/stock\/[0-9a-f-]{36}$/);

  await forms(page).getByRole("button", { name: "Delete" }).click();
  await forms(page).getByRole("button", { name: "Yes, delete it" }).click();
  await expect(forms(page).getByText("No templates yet.")).toBeVisible();
  await expect(fill(page)).toHaveCount(0);

  const chinese = await visitor({ locale: "zh-CN" });
  await open(chinese, `${url}/`);
  await forms(chinese, "创建活动").getByText("模板", { exact: true }).click();
  expect(await english(forms(chinese, "创建活动").getByRole("group").filter({ hasText: "模板" }))).toEqual([]);
});
