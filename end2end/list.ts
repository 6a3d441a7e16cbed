// The list of sales on the first page: cards, or rows of a table where there are many.

import { type Locator, type Page } from "@playwright/test";
import { expect } from "./fixtures";

/** A sale on the list. */
export const listed = (page: Page, id: string): Locator => page.getByRole("listitem").or(page.getByRole("row")).filter({ hasText: id });

/** Expects what is left of a sale on the list, as `99 of 100 left`. */
export const expectLeft = (entry: Locator, left: string, label = "Left"): Promise<void> =>
  expect(entry.getByRole("meter", { name: label })).toHaveAttribute("aria-valuetext", left);

/** Lets the usual crowd loose on a demonstration. */
export async function letLoose(entry: Locator): Promise<void> {
  await expect(entry).toBeVisible();
  const menu = entry.getByRole("button", { name: /^More about / });
  if (await menu.isVisible()) await menu.click();
  await entry.getByRole("button", { name: "Let a crowd loose" }).click();
}
