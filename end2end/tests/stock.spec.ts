// A sale of stock: buying, giving back, expiry, the paused ledger, restocking, correcting.

import { expect, open, openLive, tab, test } from "../fixtures";
import { DESK, PHONE, clean } from "../looks";

type Opened = { sale: string };

/** Opens a sale, and returns the path of its page. */
async function openStock(post: <A>(path: string, body: object) => Promise<A>, terms: object) {
  const { sale } = await post<Opened>("/api/stock/open", terms);
  return { id: sale, path: `/stock/${encodeURIComponent(sale)}` };
}

test("a sale opened by the form has its page", async ({ page }) => {
  await open(page, "/");
  const form = page.getByRole("form", { name: "Open a stock sale" });
  await form.getByLabel("Quantity", { exact: true }).fill("20");
  await form.getByLabel("Time to live").fill("60");
  await form.getByLabel("Low mark").fill("5");
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(page).toHaveURL(/\/stock\/.+/);
  await expect(page.getByRole("heading", { level: 1, name: "Stock" })).toBeVisible();
  const stage = page.getByRole("region", { name: "Quantity", exact: true });
  await expect(stage).toContainText("Not cached");
});

test("the form says what is wrong beside the field", async ({ page, complaints }) => {
  complaints.forgive(/400 \(Bad Request\)/);
  await open(page, "/");
  const form = page.getByRole("form", { name: "Open a stock sale" });
  await form.getByLabel("Quantity", { exact: true }).fill("0");
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(form.getByLabel("Quantity", { exact: true })).toHaveAccessibleDescription(/from 1 to 1,000,000,000/);
});

test("a visitor buys, is refused too many, and gives back", async ({ page, post }) => {
  const sale = await openStock(post, { quantity: 10, low_mark: 8 });
  await openLive(page, sale.path);
  const mine = page.getByRole("region", { name: "Try it yourself" });
  const stage = page.getByRole("region", { name: "Quantity", exact: true });
  await mine.getByLabel("Your name").fill("Mei");
  await mine.getByLabel("How many").fill("3");
  await mine.getByRole("button", { name: "Buy" }).click();
  await expect(mine.getByRole("status")).toContainText("Yours. 7 left.");
  await expect(stage).toContainText("Low stock: at or below 8.");
  await expect(stage).toContainText("Expires in");
  await expect(stage.getByRole("row")).toHaveCount(2);
  await mine.getByRole("button", { name: "Give it back" }).click();
  await expect(mine.getByRole("status")).toContainText("Given back: 3.");
  await expect(stage).not.toContainText("Low stock");
  await mine.getByLabel("How many").fill("11");
  await mine.getByRole("button", { name: "Buy" }).click();
  await expect(mine.getByRole("status")).toContainText("Not enough: only 10 left.");
});

test("the quantity expires, the ledger pauses, and both come together again", async ({ page, post }) => {
  const sale = await openStock(post, { quantity: 10 });
  await post("/api/stock/deduct", { sale: sale.id, user: "ann", quantity: 1 });
  await openLive(page, sale.path);
  const stage = page.getByRole("region", { name: "Quantity", exact: true });
  const drift = page.getByRole("region", { name: "Cache and ledger" });
  await expect(stage.locator("b.recorded")).toHaveText("9");
  await drift.getByRole("button", { name: "Pause the ledger" }).click();
  await expect(stage).toContainText("The ledger's writer leaves this sale alone");
  await post("/api/stock/deduct", { sale: sale.id, user: "ann", quantity: 4 });
  await expect(stage.locator("b.cached")).toHaveText("5");
  await expect(stage.locator("b.recorded")).toHaveText("9");
  await expect(stage.locator("b.pending")).toHaveText("−4");
  await drift.getByRole("button", { name: "Let it expire now" }).click();
  await expect(stage.locator("b.cached")).toHaveText("Not cached");
  await post("/api/stock/deduct", { sale: sale.id, user: "ann", quantity: 1 });
  await expect(stage.locator("b.cached")).toHaveText("4");
  await drift.getByRole("button", { name: "Resume the ledger" }).click();
  await expect(stage.locator("b.recorded")).toHaveText("4");
  await expect(stage.locator("b.pending")).toHaveText("+0");
});

test("stock is added, and corrected to what was counted", async ({ page, post }) => {
  const sale = await openStock(post, { quantity: 10 });
  await post("/api/stock/deduct", { sale: sale.id, user: "ann", quantity: 1 });
  await openLive(page, sale.path);
  const stage = page.getByRole("region", { name: "Quantity", exact: true });
  const adjust = page.getByRole("region", { name: "Restock" });
  await adjust.getByLabel("Quantity to add").fill("5");
  await adjust.getByRole("button", { name: "Add" }).click();
  await expect(adjust.getByRole("status")).toHaveText("+5: 14 left now.");
  await expect(stage.locator("b.cached")).toHaveText("14");
  await adjust.getByLabel("Counted").fill("12");
  await adjust.getByRole("button", { name: "Correct" }).click();
  await expect(adjust.getByRole("status")).toHaveText("−2: 12 left now.");
  await expect(stage.locator("b.cached")).toHaveText("12");
});

for (const [name, viewport] of Object.entries({ phone: PHONE, desk: DESK })) {
  test.describe(`axe finds nothing on a ${name}`, () => {
    test.use({ viewport });

    test("on a sale with deductions, in both languages", async ({ page, post, context, server }) => {
      test.slow();
      const sale = await openStock(post, { quantity: 10, low_mark: 9 });
      await post("/api/stock/deduct", { sale: sale.id, user: "ann", quantity: 2 });
      await openLive(page, sale.path);
      await clean(page);
      await tab(page, "Attempts");
      await clean(page);
      await context.addCookies([{ name: "lang", value: "zh-CN", url: server.url }]);
      await openLive(page, sale.path);
      await expect(page.getByRole("heading", { level: 1, name: "库存" })).toBeVisible();
      await clean(page);
    });
  });
}
