// The forms for an attempt of one's own work before the program is there, and where there is no JavaScript: the browser
// sends them by itself.

import { type Page } from "@playwright/test";
import { expect, holdBack, openLive, post, test, type Alone } from "../fixtures";
import { DESK, PHONE } from "../looks";
import { PATIENCE, redis } from "../server";

const mine = (page: Page) => page.getByRole("region", { name: "Try it yourself" });
/** What came of the latest attempt. */
const outcome = (page: Page) => mine(page).locator(".answers");
const orders = (page: Page) => page.getByRole("region", { name: "Your orders" });

/** Starts the Redis of a server again, and waits until the server has noticed. */
async function startRedis(alone: Alone): Promise<void> {
  alone.store = await redis(alone.path);
  await expect.poll(async () => (await fetch(`${alone.server.url}/readyz`)).status, { timeout: PATIENCE }).toBe(200);
}

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a packet is claimed, once", async ({ page, sale }) => {
    await page.goto(sale.path);
    await expect(mine(page).getByLabel("Your name")).toHaveValue(/^me-[0-9a-f]{10}$/);
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

  test("the answer is in sight, on a phone and on a desk", async ({ page, post, sale }) => {
    const stock = await post<{ sale: string }>("/api/stock/open", { quantity: 10 });
    for (const viewport of [PHONE, DESK]) {
      await page.setViewportSize(viewport);
      for (const [path, button] of [[sale.path, "Claim a packet"], [`/stock/${stock.sale}?tab=take-part`, "Deduct"]]) {
        await page.goto(path);
        await page.getByRole("button", { name: button }).click();
        await expect(outcome(page)).toContainText(/is yours|You already have|Deducted/);
        await expect(outcome(page)).toBeInViewport({ ratio: 1 });
        if (viewport === DESK) expect(await page.evaluate(() => scrollY), "it has not moved").toBe(0);
      }
    }
  });

  test("a form whose answer is an error page is sent again from there, and counts once", async ({ page, request, alone, complaints }) => {
    complaints.forgive(/503 \(Service Unavailable\)/);
    const { url } = alone.server;
    const { sale } = await post<{ sale: string }>(request, `${url}/api/stock/open`, { quantity: 10 });
    await page.goto(`${url}/stock/${sale}`);
    const id = await mine(page).locator("[name=request_id]").inputValue();
    await mine(page).getByLabel("Your name").fill("Mei");
    await mine(page).getByLabel("How many").fill("4");
    await alone.store.stop();
    await mine(page).getByRole("button", { name: "Deduct" }).click();
    await expect(page.getByText("It is safe to send it again: you get the original answer.")).toBeVisible();
    await expect(page.getByRole("link", { name: "Try again" }), "would be another attempt").toHaveCount(0);
    await startRedis(alone);
    // As if it had been done before Redis went away.
    await post(request, `${url}/api/stock/deduct`, { sale, user: "Mei", quantity: 4, request_id: id });
    await page.getByRole("button", { name: "Send it again" }).click();
    await expect(outcome(page)).toContainText("Already deducted by the same request");
    expect((await post<{ cached: number }>(request, `${url}/api/stock/snapshot`, { sale })).cached).toBe(6);
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
  await expect(page.getByRole("meter", { name: "stalls" })).toHaveAttribute("aria-valuetext", /2 sold$/);
});

test("seats that a form has got are remembered, and Enter in the name gets no others", async ({ openTickets, page, post }) => {
  const sale = await openTickets();
  const arrive = await holdBack(page);
  await page.goto(sale.path, { waitUntil: "commit" });
  await page.getByLabel("How many").selectOption("3");
  await page.getByRole("button", { name: "Hold best available" }).click();
  await expect(orders(page).getByText("Held for you")).toBeVisible();
  arrive();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await openLive(page, sale.path);
  await expect(orders(page).getByText("Held for you")).toBeVisible();
  await expect(page.getByLabel("How many"), "as it was sent").toHaveValue("3");

  // A name that is typed is the reader's from then on, whatever was typed into the form before.
  await page.getByLabel("Your name").fill("Mei");
  await page.getByLabel("Your name").press("Enter");
  await page.getByLabel("How many").selectOption("1");
  await page.getByRole("button", { name: "Hold best available" }).click();
  await expect(orders(page).getByText("Held for you")).toHaveCount(2);
  await page.getByLabel("Your name").fill("Lan");
  await page.getByRole("button", { name: "Hold best available" }).click();
  await expect(orders(page).getByText("Held for you")).toHaveCount(3);
  await openLive(page, sale.path);
  await expect(page.getByLabel("Your name")).toHaveValue("Lan");
  const { held } = await post<{ held: Record<string, number> }>("/api/ticket/snapshot", { sale: sale.id });
  expect(held.stalls, "nothing by Enter").toBe(5);
});

test("an attempt whose outcome is unknown keeps its id until the page is back", async ({ page, request, alone, complaints }) => {
  // Until a page that could not be loaded asks again, and has its answer.
  complaints.forgive(/503 \(Service Unavailable\)|ERR_CONNECTION_REFUSED/);
  const { url } = alone.server;
  const { sale } = await post<{ sale: string }>(request, `${url}/api/stock/open`, { quantity: 10 });
  const arrive = await holdBack(page);
  await page.goto(`${url}/stock/${sale}`, { waitUntil: "commit" });
  await mine(page).getByLabel("Your name").fill("Mei");
  await mine(page).getByLabel("How many").fill("4");
  const id = await mine(page).locator("[name=request_id]").inputValue();
  await alone.store.stop();
  await mine(page).getByRole("button", { name: "Deduct" }).click();
  arrive();
  // It asks more than once before there is a sale to show.
  for (const _ of [1, 2]) await page.waitForResponse((answer) => answer.url().endsWith("/api/stock/snapshot"));
  await startRedis(alone);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expect(mine(page).getByRole("alert")).toContainText("It is safe to try again");
  await expect(mine(page).getByLabel("How many")).toHaveValue("4");
  const deduct = page.waitForRequest(/\/api\/stock\/deduct$/);
  await mine(page).getByRole("button", { name: "Deduct" }).click();
  expect((await deduct).postDataJSON()).toMatchObject({ sale, user: "Mei", quantity: 4, request_id: id });
  await expect(outcome(page)).toHaveText("Deducted. 6 left.");
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
  await expect(page.getByRole("region", { name: "Coupons of a user" })).toContainText("Mei");
  await expect(page.getByRole("button", { name: "Redeem" })).toBeVisible();

  // The answer stays where it was given.
  const other = await post<{ sale: string }>("/api/coupon/open", { total: 10, per_user: 5 });
  await page.getByRole("navigation").getByRole("link").first().click();
  await page.getByRole("link", { name: other.sale }).click();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expect(outcome(page)).toHaveText("");
  await expect(mine(page).getByLabel("Your name")).toHaveValue("Mei");
});
