// The README's picture of the lab: the strategies side by side, after a run of all of them.

import { join } from "node:path";
import { expect, open, test } from "../fixtures";

test("the strategies side by side", async ({ page }) => {
  test.setTimeout(180_000);
  await page.setViewportSize({ width: 1440, height: 1250 });
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await open(page, "/lab");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("group", { name: "Export" })).toBeVisible({ timeout: 120_000 });
  await page.getByRole("heading", { name: "Results" }).scrollIntoViewIfNeeded();
  await page.evaluate(() => document.querySelector("#results-title")!.closest("section")!.scrollIntoView());
  await page.screenshot({ path: join(import.meta.dirname, "../../docs/lab.png"), animations: "disabled" });
});
