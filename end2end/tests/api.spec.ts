// The description of the API as a page.

import { expect, open, test } from "../fixtures";

test("every endpoint is reached from the navigation, and has an address of its own", async ({ page }) => {
  await open(page, "/");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "API" }).click();
  await expect(page).toHaveURL(/\/api$/);
  await expect(page.getByRole("heading", { level: 1, name: "API" })).toBeVisible();

  await page.getByRole("navigation", { name: "Endpoints" }).getByRole("link", { name: "/api/ticket/reserve" }).click();
  await expect(page).toHaveURL(/\/api#post-api-ticket-reserve$/);
  const endpoint = page.getByRole("article", { name: "POST /api/ticket/reserve" });
  await expect(endpoint.getByRole("heading", { level: 3 })).toBeInViewport();
  await expect(endpoint.getByRole("row", { name: /^request_id/ })).toContainText("1 to 64 bytes");

  await test.step("a reader who comes back finds the description again", async () => {
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Ledger" }).click();
    await expect(page).toHaveURL(/\/ledger$/);
    await page.goBack();
    await expect(page.getByRole("article", { name: "POST /api/red-packet/claim" })).toBeAttached();
  });
});
