// The description of the API as a page.

import { expect, open, test } from "../fixtures";
import { DESK, PHONE, WIDTHS, clean, fits } from "../looks";

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
});

test("a reader who comes back finds the description again", async ({ page }) => {
  await open(page, "/api");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Ledger" }).click();
  await expect(page).toHaveURL(/\/ledger$/);
  await page.goBack();
  await expect(page.getByRole("article", { name: "POST /api/red-packet/claim" })).toBeAttached();
});

for (const [name, viewport] of Object.entries({ phone: PHONE, desk: DESK })) {
  test.describe(`on a ${name}`, () => {
    test.use({ viewport });

    test("axe finds nothing on the description of the API", async ({ page }) => {
      // The longest page there is: axe looks at thousands of elements, once in each theme.
      test.slow();
      await open(page, "/api");
      await clean(page);
    });
  });
}

test("the description fits every screen", async ({ page }) => {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await open(page, "/api");
    await fits(page);
  }
});
