// Notes on a sale, on its page.

import { readFile } from "node:fs/promises";
import { type Page } from "@playwright/test";
import { expect, open, openLive, test } from "../fixtures";
import { PHONE, clean, english, fits } from "../looks";

const notes = (page: Page, name = "Notes") => page.getByRole("region", { name, exact: true });

test("a note is added, checked beside its field, and read by others", async ({ page, sale, visitor }) => {
  await openLive(page, sale.path);
  const card = notes(page);
  await expect(card.getByText("No notes yet.")).toBeVisible();
  const text = card.getByRole("textbox", { name: "Note" });
  await card.getByRole("button", { name: "Add note" }).click();
  await expect(card.getByText("Enter 1 to 500 printable characters.")).toBeVisible();
  await expect(text).toBeFocused();
  await text.fill("Printed on Friday <b>");
  await text.press("Enter");
  await expect(card.getByRole("listitem")).toHaveText([/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\s*Printed on Friday <b>$/]);
  await expect(text).toHaveValue("");
  await expect(card.getByRole("status").filter({ hasText: "Added." })).toBeVisible();
  await text.fill("a".repeat(500));
  await card.getByRole("button", { name: "Add note" }).click();
  await expect(card.getByRole("listitem")).toHaveText([/a{500}$/, /Printed on Friday <b>$/]);
  await clean(page);
  await page.setViewportSize({ ...PHONE, width: 360 });
  await fits(page);

  const chinese = await visitor({ locale: "zh-CN" });
  await chinese.goto(sale.path);
  await expect(notes(chinese, "备注").getByRole("listitem")).toHaveCount(2);
  expect(await english(notes(chinese, "备注"), "Printed on Friday", "a".repeat(500))).toEqual([]);
});

test("the ledger's page of a sale has its notes as a file", async ({ page, sale, post }) => {
  await post("/api/sales/note", { kind: "red_packet", sale: sale.id, text: "Printed on Friday" });
  await open(page, "/ledger");
  await expect(page.getByRole("link", { name: "Export notes" }), "of one sale only").toHaveCount(0);
  await open(page, `/ledger?sale=${sale.id}`);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Export notes" }).click();
  const file = await (await download).path();
  expect(await readFile(file, "utf8")).toContain("Printed on Friday");
});
