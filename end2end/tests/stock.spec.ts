// A sale of stock: buying, giving back, expiry, the paused ledger, restocking, correcting.

import type { Locator } from "@playwright/test";
import { definition, expect, open, openLive, post, strip, tab, test } from "../fixtures";
import { clean, fitsEverywhere } from "../looks";
import { redisCli } from "../server";

type Opened = { sale: string };
type Post = <A>(path: string, body: object) => Promise<A>;

/** Opens a sale, and returns the path of its page. */
async function openStock(post: Post, terms: object) {
  const { sale } = await post<Opened>("/api/stock/open", terms);
  return { id: sale, path: `/stock/${encodeURIComponent(sale)}` };
}

/** The name of the process that writes the ledger. */
const writer = async (post: Post) => (await post<{ writer: string }>("/api/ledger/status", {})).writer;

/** A figure of the stage, as it is read out. */
const figure = (stage: Locator, name: string) => ({
  is: (value: string | RegExp) => expect(stage.getByRole("meter", { name })).toHaveAttribute("aria-valuetext", value),
});

test("the form says what is wrong beside the field, and opens a sale that has its page", async ({ page, complaints }) => {
  complaints.forgive(/400 \(Bad Request\)/);
  await open(page, "/");
  await page.getByRole("region", { name: "Open a sale" }).getByRole("button", { name: "Stock" }).click();
  const form = page.getByRole("form", { name: "Open a stock sale" });
  await form.getByLabel("Quantity", { exact: true }).fill("0");
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(form.getByLabel("Quantity", { exact: true })).toHaveAccessibleDescription(/from 1 to 1,000,000\./);

  await form.getByLabel("Quantity", { exact: true }).fill("20");
  await form.getByLabel("Cache for").fill("60");
  await form.getByLabel("Warn when fewer than").fill("5");
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(page).toHaveURL(/\/stock\/.+/);
  await expect(page.getByRole("heading", { level: 1, name: "Stock" })).toBeVisible();
  const stage = page.getByRole("region", { name: "Quantity", exact: true });
  await figure(stage, "In Redis").is("Not cached");
  // What is left is known nevertheless.
  await expect(stage.locator(".gauge.cached .number")).toHaveText("20");
  await expect(stage.locator(".badge")).toHaveText("Not cached");
  await expect(page.getByRole("region", { name: "Loaded into Redis (0)" })).toContainText("Never.");
});

test("a visitor buys, is refused too many, and gives back", async ({ page, post }) => {
  // The longest id and name.
  const id = `${crypto.randomUUID()}-`.padEnd(64, "W");
  const sale = await openStock(post, { id, quantity: 10, low_mark: 8 });
  await openLive(page, sale.path);
  const mine = page.getByRole("region", { name: "Try it yourself" });
  const stage = page.getByRole("region", { name: "Quantity", exact: true });
  await mine.getByLabel("Your name").fill("W".repeat(64));
  await mine.getByLabel("How many").fill("3");
  await mine.getByRole("button", { name: "Deduct" }).click();
  await expect(mine.locator(".answers")).toContainText("Deducted. 7 left.");
  const apart = await mine.locator(".answer").evaluate((answer) => {
    const [icon, text] = [answer.querySelector("svg")!, answer.querySelector("span:not(.icon)")!];
    return text.getBoundingClientRect().left - icon.getBoundingClientRect().right;
  });
  expect(apart, "pixels from the icon to its sentence").toBeLessThan(16);
  await expect(stage).toContainText("Low stock: 8 or less.");
  await fitsEverywhere(page);
  await clean(page);
  await test.step("units and attempts are told apart", async () => {
    await tab(page, "Attempts");
    const attempts = page.getByRole("region", { name: "Attempts", exact: true });
    await expect(definition(attempts, "Units deducted")).toHaveText("3");
    await expect(definition(attempts, /^Deducted$/)).toHaveText("1");
    await tab(page, "Take part");
  });
  const expires = stage.getByRole("meter", { name: "Expires in" });
  await expect(expires).toHaveAttribute("aria-valuetext", /^00:0\d:\d\d$/);
  const shown = await expires.getAttribute("aria-valuetext");
  await expect(expires, "it runs down").not.toHaveAttribute("aria-valuetext", shown ?? "");
  const loads = page.getByRole("region", { name: "Loaded into Redis (1)" });
  await expect(loads.getByRole("row")).toHaveCount(2);
  await expect(loads, "a process has one name everywhere").toContainText(await writer(post));
  await mine.getByRole("button", { name: "Give it back" }).click();
  await expect(mine.getByRole("status"), "what became of it has the focus").toBeFocused();
  await expect(mine.getByRole("status")).toContainText("Given back: 3.");
  await expect(stage).not.toContainText("Low stock");
  await mine.getByLabel("How many").fill("11");
  await mine.getByRole("button", { name: "Deduct" }).click();
  await expect(mine.locator(".answers")).toContainText("Not enough: only 10 left.");
  await mine.getByLabel("How many").fill("2");
  await mine.getByRole("button", { name: "Deduct" }).click();
  await expect(stage).toContainText("Low stock: 8 or less (crossed 2 times).");
});

test("the chart begins with what the ledger has of the time before", async ({ page, post }) => {
  const sale = await openStock(post, { quantity: 10 });
  for (const user of ["ann", "bob"]) await post("/api/stock/deduct", { sale: sale.id, user, quantity: 2 });
  await expect
    .poll(() => post<{ left: number }[]>("/api/stock/course", { sale: sale.id }))
    .toContainEqual(expect.objectContaining({ left: 6 }));
  // As if it were two minutes ago.
  await page.route("**/api/stock/course", async (route) => {
    const recorded: { at: number }[] = await (await route.fetch()).json();
    await route.fulfill({ json: recorded.map((point) => ({ ...point, at: point.at - 120_000 })) });
  });
  await page.route("**/api/stock/snapshot", async (route) => {
    const snapshot: { opened_at: number } = await (await route.fetch()).json();
    await route.fulfill({ json: { ...snapshot, opened_at: snapshot.opened_at - 120_000 } });
  });
  await open(page, "/");
  await page.getByRole("link", { name: new RegExp(sale.id) }).click();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  const chart = page.getByRole("figure").filter({ hasText: "Quantity over time" });
  await chart.getByText("View as table").click();
  await post("/api/stock/deduct", { sale: sale.id, user: "cid", quantity: 2 });
  await expect(chart.getByRole("row").filter({ hasText: /4\s*4$/ })).not.toHaveCount(0);
  // What Redis had then is not known.
  const before = chart.getByRole("row").filter({ hasText: /–\s*10/ });
  await test.step("the last minute is what is shown, unless the reader wants ten", async () => {
    await expect(before).toHaveCount(0);
    await expect(chart.getByRole("button", { name: "Last minute" })).toHaveAttribute("aria-pressed", "true");
    await chart.getByRole("button", { name: "Last 10 minutes" }).click();
    await expect(before).toHaveCount(1);
    await chart.getByRole("button", { name: "Last minute" }).click();
    await expect(before).toHaveCount(0);
  });
});

test("the chart of a sale that was opened a moment ago has a whole minute, and nothing of the time before the sale", async ({ page, post }) => {
  const opened = Date.now();
  const sale = await openStock(post, { quantity: 10 });
  await openLive(page, sale.path);
  await post("/api/stock/deduct", { sale: sale.id, user: "ann", quantity: 2 });
  const chart = page.getByRole("figure").filter({ hasText: "Quantity over time" });
  const lines = () => chart.locator("path.line").evaluateAll((lines) => lines.map((line) => line.getAttribute("d")!).filter((d) => d));
  await expect.poll(async () => (await lines()).length, "in Redis and in the ledger").toBe(2);
  const drawn = await lines();
  const age = (Date.now() - opened) / 60_000;
  for (const line of drawn) {
    expect(Number(/^M([\d.]+) /.exec(line)![1]), "in thousandths of a minute").toBeGreaterThan(1_000 * (1 - age) - 20);
    expect(line, "nobody has seen it at 0").not.toContain(" 200.0");
  }
  const times = await chart.locator(".time .at").allInnerTexts();
  expect(times.length).toBeGreaterThanOrEqual(2);
  expect(new Set(times).size, times.join(", ")).toBe(times.length);
  await expect(chart.locator(".values > span")).toHaveText(["10", "5", "0"]);
});

test("the chart shows what the ledger has before the live view has said anything", async ({ page, post }) => {
  const sale = await openStock(post, { quantity: 10 });
  await post("/api/stock/deduct", { sale: sale.id, user: "ann", quantity: 2 });
  await expect
    .poll(() => post<{ left: number }[]>("/api/stock/course", { sale: sale.id }))
    .toContainEqual(expect.objectContaining({ left: 8 }));
  // A line that connects, and is silent.
  await page.route("**/live/stock/**", (route) => route.fulfill({ contentType: "text/event-stream", body: ": hello\n\n" }));
  await open(page, sale.path);
  const chart = page.getByRole("figure").filter({ hasText: "Quantity over time" });
  // By a key: the banner of the outage may lie over it.
  await chart.locator("summary").press("Enter");
  await expect(chart.getByRole("row").filter({ hasText: /–\s*8/ })).not.toHaveCount(0);
});

test("the quantity expires, the ledger pauses, both come together again, and stock is added and corrected to what was counted", async ({ page, post }) => {
  const sale = await openStock(post, { quantity: 10 });
  await post("/api/stock/deduct", { sale: sale.id, user: "ann", quantity: 1 });
  await openLive(page, sale.path);
  const stage = page.getByRole("region", { name: "Quantity", exact: true });
  const drift = page.getByRole("region", { name: "Cache and ledger" });
  await figure(stage, "In the ledger").is("9");
  // Longer than the page asks for: all of this is to happen meanwhile.
  await page.route("**/api/stock/pause", (route) => {
    const asked = route.request().postDataJSON();
    return route.continue({ postData: JSON.stringify({ ...asked, seconds: asked.seconds === 0 ? 0 : 60 }) });
  });
  await drift.getByRole("button", { name: "Pause the ledger" }).click();
  await expect(stage).toContainText("The ledger's writer skips this sale");
  await post("/api/stock/deduct", { sale: sale.id, user: "ann", quantity: 4 });
  await figure(stage, "In Redis").is("5");
  await figure(stage, "In the ledger").is("9");
  await expect(stage).toContainText("−4 on the way");
  await drift.getByRole("button", { name: "Expire the cache" }).click();
  await figure(stage, "In Redis").is("Not cached");
  await post("/api/stock/deduct", { sale: sale.id, user: "ann", quantity: 1 });
  await figure(stage, "In Redis").is("4");
  await drift.getByRole("button", { name: "Resume the ledger" }).click();
  await expect(drift.getByRole("status")).toContainText("The ledger is recording this sale again.");
  await figure(stage, "In the ledger").is("4");
  await expect(stage).toContainText("Up to date");
  await test.step("a pause that is over is spoken of no more", async () => {
    await drift.getByRole("button", { name: "Pause the ledger" }).click();
    await expect(drift.getByRole("status")).toContainText("Paused for 60 seconds.");
    await expect(drift.getByRole("button", { name: "Resume the ledger" })).toBeVisible();
    await post("/api/stock/pause", { sale: sale.id, seconds: 0 });
    await expect(drift.getByRole("status")).toHaveText("");
  });
  const adjust = page.getByRole("region", { name: "Restock" });
  await adjust.getByLabel("Quantity to add").fill("5");
  await adjust.getByRole("button", { name: "Add" }).click();
  await expect(adjust.getByRole("status")).toHaveText("+5: 9 left now.");
  await figure(stage, "In Redis").is("9");
  await adjust.getByLabel("Counted").fill("7");
  await adjust.getByRole("button", { name: "Correct" }).click();
  await expect(adjust.getByRole("status")).toHaveText("−2: 7 left now.");
  await figure(stage, "In Redis").is("7");
});

test("where all orders fail, everything comes back once", async ({ page, post }) => {
  const sale = await openStock(post, { quantity: 100 });
  await openLive(page, `${sale.path}?tab=crowd`);
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  await panel.getByRole("radio", { name: "All orders fail" }).check();
  const started = page.waitForResponse("**/api/crowd/start");
  await strip(page).getByRole("button", { name: "Let a crowd loose" }).click();
  const { run } = await (await started).json();
  await expect(panel.getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  const { outcomes } = await post<{ outcomes: Record<string, number> }>("/api/crowd/status", { run });
  expect(outcomes.returned).toBeGreaterThan(0);
  await figure(page.getByRole("region", { name: "Quantity", exact: true }), "In Redis").is("100");
});

test("a pause that outlasts its sale can be ended", async ({ page, post }) => {
  const sale = await openStock(post, { quantity: 10 });
  await post("/api/stock/pause", { sale: sale.id, seconds: 60 });
  await post("/api/sales/close", { kind: "stock", sale: sale.id });
  await openLive(page, sale.path);
  await expect(page.getByText("The ledger's writer skips this sale")).toBeVisible();
  await page.getByRole("button", { name: "Resume the ledger" }).click();
  await expect(page.getByText("The ledger is recording this sale again."), "its button can do no more").toBeFocused();
  // The page offers no pause at a closed sale.
  await expect(page.getByRole("button", { name: "Pause the ledger" })).toBeDisabled();
  await expect(page.getByText("The ledger's writer skips this sale")).toBeHidden();
});

test("what was oversold is said until a restock makes up for it", async ({ page, request, alone }) => {
  const { server, store } = alone;
  await post(request, `${server.url}/api/stock/open`, { id: "phone", quantity: 1 });
  // As after a recovery that finds three more confirmed than there were.
  await redisCli(store, "HINCRBY", "{stock:phone}:meta", "sum", "-4");
  await openLive(page, `${server.url}/stock/phone`);
  const stage = page.getByRole("region", { name: "Quantity", exact: true });
  await expect(stage.getByText("Oversold by 3. Restocks, corrections and returns make up for that first.")).toBeVisible();
  const restock = { sale: "phone", quantity: 2 };
  expect(await post(request, `${server.url}/api/stock/restock`, restock)).toMatchObject({ outcome: "restocked", left: 0, change: 2 });
  await expect(stage.getByText("Oversold by 1.")).toBeVisible();
  expect(await post(request, `${server.url}/api/stock/restock`, restock)).toMatchObject({ outcome: "restocked", left: 1, change: 2 });
  await expect(stage.getByText("Oversold by")).toBeHidden();
});

test("a visitor reserves within the limit, gives one back, and confirms the rest", async ({ page, post }) => {
  const sale = await openStock(post, { quantity: 10, limit_per_user: 3, hold_s: 600 });
  await openLive(page, sale.path);
  const mine = page.getByRole("region", { name: "Try it yourself" });
  const stage = page.getByRole("region", { name: "Quantity", exact: true });
  await mine.getByLabel("Your name").fill("Mei");
  await mine.getByLabel("How many").fill("3");
  await mine.getByRole("button", { name: "Deduct" }).click();
  await expect(mine.locator(".answers")).toContainText("Reserved. 7 left.");
  await expect(mine).toContainText("Reserved until");
  await expect(stage).toContainText("3 reserved");
  await fitsEverywhere(page);
  await clean(page);

  await mine.getByRole("button", { name: "Give one back" }).click();
  await expect(mine.getByRole("status")).toContainText("Given back: 1. You keep 2.");
  await expect(stage).toContainText("2 reserved");
  await mine.getByRole("button", { name: "Confirm" }).click();
  await expect(mine.getByRole("status"), "what became of it has the focus").toBeFocused();
  await expect(mine.getByRole("status")).toContainText("Confirmed: 2.");
  await expect(stage).toContainText("0 reserved");
  await expect(mine.getByRole("button", { name: "Confirm" })).toHaveCount(0);

  await mine.getByLabel("How many").fill("2");
  await mine.getByRole("button", { name: "Deduct" }).click();
  await expect(mine.locator(".answers")).toContainText("The limit per person allows you only 1 more.");
  await tab(page, "Attempts");
  const attempts = page.getByRole("region", { name: "Attempts", exact: true });
  await expect(definition(attempts, "Units confirmed")).toHaveText("2");
  await expect(definition(attempts, "Limit reached")).toHaveText("1");
});

test("a visitor gets items of several sales of a group in one attempt, or none", async ({ page, post }) => {
  const group = crypto.randomUUID();
  const [tee, cap] = [`tee-${group}`, `cap-${group}`];
  await openStock(post, { id: cap, quantity: 2, group });
  await test.step("the form opens another sale of the group", async () => {
    await open(page, "/");
    await page.getByRole("region", { name: "Open a sale" }).getByRole("button", { name: "Stock" }).click();
    const form = page.getByRole("form", { name: "Open a stock sale" });
    await form.getByLabel("ID").fill(tee);
    await form.getByLabel("Quantity", { exact: true }).fill("10");
    await form.getByLabel("Group").fill(group);
    await form.getByRole("button", { name: "Open sale" }).click();
    await expect(page).toHaveURL(`/stock/${tee}`);
  });
  await openLive(page, `/stock/${tee}`);
  const mine = page.getByRole("region", { name: "Try it yourself" });
  await test.step("all items", async () => {
    await mine.getByLabel("Your name").fill("Mei");
    await mine.getByLabel("How many", { exact: true }).fill("3");
    await mine.getByRole("checkbox", { name: cap }).check();
    await mine.getByLabel(`How many of ${cap}`).fill("2");
    await fitsEverywhere(page);
    await clean(page);
    await mine.getByRole("button", { name: "Deduct" }).click();
    await expect(mine.locator(".answers")).toContainText(`Deducted: 3 × ${tee}, 2 × ${cap}.`);
  });
  await test.step("what was got is given back as a whole", async () => {
    await mine.getByRole("button", { name: "Give it back" }).click();
    await expect(mine.getByRole("status")).toContainText("All items are given back.");
    const { left } = await post<{ left: number }>("/api/stock/snapshot", { sale: cap });
    expect(left).toBe(2);
  });
  await test.step("none, as one sale lacks", async () => {
    await mine.getByLabel(`How many of ${cap}`).fill("3");
    await mine.getByRole("button", { name: "Deduct" }).click();
    await expect(mine.locator(".answers")).toContainText(`${cap}: Not enough: only 2 left. Nothing was deducted.`);
    const { left } = await post<{ left: number }>("/api/stock/snapshot", { sale: tee });
    expect(left).toBe(10);
  });
  await test.step("the terms name the group, and lead to its other sales", async () => {
    const of = definition(page.getByRole("region", { name: "Terms" }), "Group");
    await expect(of).toContainText(group);
    await of.getByRole("link", { name: cap }).click();
    await expect(page).toHaveURL(`/stock/${cap}`);
  });
});
