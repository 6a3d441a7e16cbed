// The forms for an attempt of one's own work before the program is there, and where there is no JavaScript: the browser
// sends them by itself.

import { type Page } from "@playwright/test";
import { expect, openLive, tab, test } from "../fixtures";

const mine = (page: Page) => page.getByRole("region", { name: "Try it yourself" });
/** What came of the latest attempt. */
const outcome = (page: Page) => mine(page).locator(".answers");
const orders = (page: Page) => page.getByRole("region", { name: "Your orders" });

/** Holds the program back until the returned function is called. */
async function holdBack(page: Page): Promise<() => void> {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await page.route("**/*.wasm", async (route) => {
    await arrived;
    await route.continue();
  });
  return arrive;
}

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a packet is claimed, once", async ({ page, sale }) => {
    await page.goto(sale.path);
    await expect(mine(page).getByLabel("Your name")).toHaveValue(/^me-[0-9a-f]{4}$/);
    await mine(page).getByLabel("Your name").fill("梅");
    await mine(page).getByRole("button", { name: "Claim a packet" }).click();
    await expect(outcome(page)).toHaveText(/is yours: packet #1\./);
    await expect(page.getByRole("meter", { name: "Claimed" })).toHaveAttribute("aria-valuenow", "1");
    await expect(mine(page).getByLabel("Your name")).toHaveValue("梅");
    await mine(page).getByRole("button", { name: "Claim a packet" }).click();
    await expect(outcome(page)).toHaveText(/You already have packet #1\. Nothing changed\./);
  });

  test("a coupon is claimed", async ({ page, post }) => {
    const { sale } = await post<{ sale: string }>("/api/coupon/open", { total: 10, per_user: 1 });
    await page.goto(`/coupons/${sale}`);
    await page.getByLabel("Your name").first().fill("Mei");
    await page.getByRole("button", { name: "Claim a coupon" }).click();
    await expect(outcome(page)).toHaveText(/is yours\./);
    await page.getByRole("button", { name: "Claim a coupon" }).click();
    await expect(outcome(page)).toHaveText(/per user/i);
    await expect(page.getByRole("meter", { name: "Total" })).toHaveAttribute("aria-valuetext", "1 of 10");
  });

  test("a quantity is deducted, or it is said why not", async ({ page, post, complaints }) => {
    complaints.forgive(/400 \(Bad Request\)/);
    const { sale } = await post<{ sale: string }>("/api/stock/open", { quantity: 10 });
    await page.goto(`/stock/${sale}`);
    const quantity = mine(page).getByLabel("How many");
    await quantity.fill("many");
    await mine(page).getByRole("button", { name: "Deduct" }).click();
    await expect(quantity).toHaveValue("many");
    await expect(quantity).toHaveAttribute("aria-invalid", "true");
    await quantity.fill("3");
    await mine(page).getByRole("button", { name: "Deduct" }).click();
    await expect(outcome(page)).toHaveText("Deducted. 7 left.");
  });

  test("the best seats are held", async ({ openTickets, page }) => {
    const sale = await openTickets({ limit_per_user: 4 });
    await page.goto(sale.path);
    await page.getByLabel("Your name").fill("Mei");
    await page.getByLabel("How many").selectOption("3");
    await page.getByLabel("Category").selectOption("circle");
    await page.getByRole("button", { name: "Hold best available" }).click();
    await expect(orders(page).getByText("Held for you")).toBeVisible();
    await expect(page.getByRole("meter", { name: "circle" })).toHaveAttribute("aria-valuetext", "157 of 160 free, 3 held, 0 sold");
    await expect(page.getByLabel("How many")).toHaveValue("3");
    await page.getByRole("button", { name: "Hold best available" }).click();
    await expect(page.locator(".answer").getByText("You can hold 1 more seat. No seats were held.", { exact: true })).toBeVisible();
  });
});

test("what was sent before the program is there stands when it takes over", async ({ page, post }) => {
  const { sale } = await post<{ sale: string }>("/api/stock/open", { quantity: 10 });
  const arrive = await holdBack(page);
  await page.goto(`/stock/${sale}`, { waitUntil: "commit" });
  await mine(page).getByLabel("Your name").fill("Mei");
  await mine(page).getByLabel("How many").fill("4");
  await mine(page).getByRole("button", { name: "Deduct" }).click();
  await expect(outcome(page)).toHaveText("Deducted. 6 left.");
  arrive();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expect(outcome(page)).toHaveText("Deducted. 6 left.");
  await expect(mine(page).getByLabel("How many")).toHaveValue("4");

  // Another attempt is another one, and what was got can be given back.
  await mine(page).getByRole("button", { name: "Deduct" }).click();
  await expect(outcome(page)).toHaveText("Deducted. 2 left.");
  const { cached } = await post<{ cached: number }>("/api/stock/snapshot", { sale });
  expect(cached).toBe(2);

  // Loaded again, the page does not send the form again.
  const [request] = await Promise.all([
    page.waitForRequest((request) => request.isNavigationRequest()),
    page.reload(),
  ]);
  expect(request.method()).toBe("GET");
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expect(outcome(page)).toHaveText("");
  await expect(mine(page).getByLabel("Your name"), "it is remembered").toHaveValue("Mei");
});

test("what a form has got can be given back once the program is there", async ({ page, post }) => {
  const { sale } = await post<{ sale: string }>("/api/stock/open", { quantity: 10 });
  const arrive = await holdBack(page);
  await page.goto(`/stock/${sale}`, { waitUntil: "commit" });
  await mine(page).getByRole("button", { name: "Deduct" }).click();
  await expect(outcome(page)).toHaveText("Deducted. 9 left.");
  arrive();
  await mine(page).getByRole("button", { name: "Give it back" }).click();
  await expect(outcome(page)).toContainText("Given back");
  const { cached } = await post<{ cached: number }>("/api/stock/snapshot", { sale });
  expect(cached).toBe(10);
});

test("seats that a form has got are paid once the program is there", async ({ openTickets, page }) => {
  const sale = await openTickets();
  const arrive = await holdBack(page);
  await page.goto(sale.path, { waitUntil: "commit" });
  await page.getByRole("button", { name: "Hold best available" }).click();
  await expect(orders(page).getByText("Held for you")).toBeVisible();
  arrive();
  await orders(page).getByRole("button", { name: /^Pay/ }).click();
  await expect(orders(page).getByText("These are your tickets.")).toBeVisible();
  // Remembered like any other order.
  await openLive(page, sale.path);
  await expect(page.getByRole("meter", { name: "stalls" })).toHaveAttribute("aria-valuetext", /2 sold$/);
});

test("coupons that a form has got are looked up once the program is there", async ({ page, post }) => {
  const { sale } = await post<{ sale: string }>("/api/coupon/open", { total: 10, per_user: 5 });
  const arrive = await holdBack(page);
  await page.goto(`/coupons/${sale}`, { waitUntil: "commit" });
  await mine(page).getByLabel("Your name").fill("Mei");
  await mine(page).getByRole("button", { name: "Claim a coupon" }).click();
  await expect(outcome(page)).toHaveText(/is yours\./);
  arrive();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await tab(page, "Take part");
  await expect(page.getByRole("button", { name: "Redeem" })).toBeVisible();
});
