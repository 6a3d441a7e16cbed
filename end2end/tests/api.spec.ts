// The description of the API as a page.

import { expect, open, test } from "../fixtures";

test("every endpoint is reached from the navigation, and has an address of its own", async ({ page }) => {
  await open(page, "/");
  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "API" }).click();
  await expect(page).toHaveURL(/\/api$/);
  await expect(page.getByRole("heading", { level: 1, name: "API" })).toBeVisible();

  await page.getByRole("navigation", { name: "Endpoints" }).getByRole("link", { name: "/api/ticket/reserve" }).click();
  await expect(page).toHaveURL(/\/api\?group=tickets#post-api-ticket-reserve$/);
  const endpoint = page.getByRole("article", { name: "POST /api/ticket/reserve" });
  await expect(endpoint.getByRole("heading", { level: 3 })).toBeInViewport();
  await expect(endpoint.getByRole("row", { name: /^request_id/ })).toContainText("1 to 64 bytes");
  const origin = new URL(page.url()).origin;
  await expect(endpoint.getByRole("group", { name: /^Example/ }).first()).toContainText(`curl ${origin}/api/ticket/reserve`);

  await test.step("a reader who comes back finds the description again", async () => {
    await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Ledger" }).click();
    await expect(page).toHaveURL(/\/ledger$/);
    await page.goBack();
    await expect(page.getByRole("article", { name: "POST /api/ticket/pay" })).toBeAttached();
  });
  await test.step("and goes on to another group", async () => {
    await page.getByRole("navigation", { name: "Endpoints" }).getByRole("link", { name: "Stock" }).click();
    await expect(page).toHaveURL(/\/api\?group=stock$/);
    await expect(page.getByRole("article", { name: "POST /api/stock/deduct" })).toBeAttached();
    await expect(page.getByRole("article", { name: "POST /api/ticket/pay" })).not.toBeAttached();
  });
});

test("the endpoints are filtered while the reader types", async ({ page }) => {
  await open(page, "/api");
  const endpoints = page.getByRole("navigation", { name: "Endpoints" });
  const shown = endpoints.locator("li li").filter({ visible: true });
  const all = await shown.count();
  await endpoints.getByRole("searchbox").fill("ticket reserve");
  await expect(shown).toHaveText(/\/api\/ticket\/reserve/);
  await expect(endpoints.getByRole("status")).toHaveText("1 endpoint");
  await endpoints.getByRole("searchbox").fill("zebra");
  await expect(endpoints.getByRole("status")).toHaveText("0 endpoints");
  await expect(endpoints.getByRole("link", { name: "Tickets" })).toBeHidden();
  await endpoints.getByRole("searchbox").fill("");
  await expect(shown).toHaveCount(all);
});
