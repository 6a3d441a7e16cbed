// The crowd panel: starting, watching and stopping a crowd, and its verdict.

import { type Locator, type Page } from "@playwright/test";
import { expect, open, openLive, strip, tab, test } from "../fixtures";
import { PHONE } from "../looks";

/** The panel, and its fields filled in. */
async function orders(page: Page, wanted: Record<string, string>, arrival = "Burst"): Promise<Locator> {
  await tab(page, "Crowd");
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  if (!(await panel.getByLabel("Arrival").isVisible())) await panel.getByText("All settings").click();
  await panel.getByLabel("Arrival").selectOption(arrival);
  for (const [label, text] of Object.entries(wanted)) await panel.getByLabel(label, { exact: true }).fill(text);
  return panel;
}

test("ten thousand users grab at a thousand packets, and nothing is given twice", async ({ openSale, page }) => {
  const sale = await openSale({ count: 1_000, total_cents: 888_800, seed: 7 });
  await openLive(page, sale.path);
  const panel = await orders(page, { Users: "10,000", Concurrency: "500", "Repeat rate (%)": "20", Seed: "7" });
  await panel.getByRole("button", { name: "Let a crowd loose" }).click();

  await expect(strip(page).getByText("Done", { exact: true })).toBeVisible({ timeout: 30_000 });
  const progress = strip(page).getByRole("progressbar", { name: "Crowd progress" });
  const [answered, all] = await Promise.all(["aria-valuenow", "aria-valuemax"].map((name) => progress.getAttribute(name)));
  expect(answered).toBe(all);
  // A user who clicks twice makes another attempt; the seed determines who does.
  expect(Number(all)).toBeGreaterThan(11_500);
  expect(Number(all)).toBeLessThan(12_500);
  await expect(panel.getByText("10,000 users, 500 at once, Burst, 20 % repeat, seed 7")).toBeVisible();

  await expect(panel.getByRole("group", { name: "Verdict" })).toMatchAriaSnapshot(`
    - group "Verdict":
      - heading "Verdict Holds" [level=3]
      - term: Oversold
      - definition: "0"
      - term: Doubled
      - definition: "0"
      - term: Lost
      - definition: "0"
      - term: Unexpected
      - definition: "0"
      - term: Total expected
      - definition: ¥8,888.00
      - term: Total found
      - definition: ¥8,888.00
  `);

  // What the queues and figures say agrees.
  const bars = await page.locator(".bars path").boundingBox();
  expect(bars?.height, "the tallest bar of the amounts").toBeGreaterThan(100);
  await expect(page.getByRole("meter", { name: "Pending" })).toHaveAttribute("aria-valuetext", "0 of 1,000, ¥0.00");
  await expect(page.getByRole("meter", { name: "Claimed" })).toHaveAttribute("aria-valuetext", "1,000 of 1,000, ¥8,888.00");
  await expect(page.getByText("Sold out", { exact: true }).first()).toBeVisible();

  // The figures of the charts, as a table.
  await expect(panel.getByRole("figure", { name: "Attempts per second" })).toBeVisible();
  await expect(panel.getByRole("figure", { name: "Latency" })).toBeVisible();
  await panel.getByText("View as table").click();
  const rows = panel.getByRole("table").getByRole("row");
  await expect(rows.nth(1)).toHaveText(/^\s*\d+(\.\d+)? s\s*[\d,]+.*[\d.]+ (µs|ms|s)\s*[\d.]+ (µs|ms|s)/);
  // One column for each answer that there was.
  await expect(panel.getByRole("columnheader")).toHaveText(["Time", /Attempts per second/, /^Won/, /^Repeat/, /^Sold out/, "p50", "p99"]);

  await tab(page, "Audit");
  const audit = page.getByRole("region", { name: "Audit" });
  await audit.getByRole("button", { name: "Audit now" }).click();
  await expect(audit.getByRole("row", { name: /One event per win 1,000 1,000 Holds/ })).toBeVisible();
});

test("a slow crowd shows its progress, and can be stopped", async ({ sale, page }) => {
  await openLive(page, sale.path);
  const panel = await orders(page, { Users: "1000", Concurrency: "10", "Repeat rate (%)": "0", "Users per second": "20" }, "Constant");
  const start = panel.getByRole("button", { name: "Let a crowd loose" });
  const stop = strip(page).getByRole("button", { name: "Stop" });
  await expect(stop).toBeHidden();
  await start.click();

  await expect(strip(page).getByText("Running", { exact: true })).toBeVisible();
  await expect(start).toBeDisabled();
  await expect(strip(page).getByText(/^00:00:\d\d left$/)).toBeVisible();
  const progress = strip(page).getByRole("progressbar", { name: "Crowd progress" });
  await expect(progress).toHaveAttribute("aria-valuetext", /^([5-9]|\d\d) of 1,000 attempts$/);
  await stop.click();

  await expect(strip(page).getByText("Stopped", { exact: true })).toBeVisible();
  await expect(panel.getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  await expect(start).toBeEnabled();
  await expect(stop).toBeHidden();
  // It was seen running and is over: the audit has looked by itself.
  await tab(page, "Audit");
  await expect(page.getByRole("region", { name: "Audit" }).getByRole("row", { name: /All packets accounted for 100 100 Holds/ })).toBeVisible();
});

test("the time left of a ramp follows its schedule, and a short run took some time", async ({ openSale, page, startCrowd }) => {
  const sale = await openSale({ count: 1_000 });
  await openLive(page, sale.path);
  // At the rate of its first second, it would take minutes.
  await startCrowd(sale, { users: 1_000, arrival: { kind: "ramp", per_s: 200, over_s: 10 } });
  const left = strip(page).getByText(/^\d\d:\d\d:\d\d left$/);
  await expect(left).toHaveText(/^00:00:(0\d|1[01]) left$/);
  await strip(page).getByRole("button", { name: "Stop" }).click();
  await expect(strip(page).getByText("Stopped", { exact: true })).toBeVisible();
  const other = await openSale({ count: 10 });
  await openLive(page, other.path);
  await startCrowd(other, { users: 20 });
  await expect(strip(page).getByText("Done", { exact: true })).toBeVisible();
  await expect(strip(page).getByText(/^took [1-9]\d*(\.\d+)? (µs|ms|s)$/)).toBeVisible();
});

test("a crowd is still there after a reload, and the next one takes its place", async ({ sale, page, startCrowd }) => {
  const status = await startCrowd(sale, { users: 300, concurrency: 30 });
  await expect.poll(async () => (await status()).phase).toBe("done");
  await openLive(page, `${sale.path}?tab=crowd`);
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  await expect(strip(page).getByText("300 of 300 attempts")).toBeVisible();
  await expect(panel.getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  await page.reload();
  await expect(strip(page).getByText("300 of 300 attempts")).toBeVisible();
  // It was over before this page began: no news.
  await expect(page.getByRole("button", { name: "Dismiss" })).toHaveCount(0);

  await orders(page, { Users: "50", "Repeat rate (%)": "0" });
  await panel.getByRole("button", { name: "Let a crowd loose" }).click();
  await expect(strip(page).getByText("50 of 50 attempts")).toBeVisible();
  await expect(strip(page).getByText("Done", { exact: true })).toBeVisible();
});

test("the load is changed while a crowd runs, and marked in its course", async ({ openSale, page, startCrowd }) => {
  const sale = await openSale({ count: 10 });
  // The last of them would come after half an hour.
  await startCrowd(sale, { users: 2_000, arrival: { kind: "constant", per_s: 1 } });
  await openLive(page, `${sale.path}?tab=crowd`);
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  const change = panel.getByRole("form", { name: "Change load" });
  await change.getByLabel("Users per second from now on").fill("none");
  await change.getByRole("button", { name: "Change load" }).click();
  await expect(panel.getByText("Enter a whole number from 1 to 1,000,000.").first()).toBeVisible();
  await change.getByLabel("Users per second from now on").fill("100,000");
  await change.getByRole("button", { name: "Change load" }).click();
  await expect(strip(page).getByText("2,000 of 2,000 attempts")).toBeVisible();
  await expect(panel.getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  const marks = panel.getByRole("listitem");
  await expect(marks.filter({ hasText: "load changed to 100,000 users a second" })).toBeVisible();
  await expect(marks.filter({ hasText: "sold out" })).toBeVisible();
  // There is nothing to change any more, and what is below stays where it was.
  await expect(change.getByRole("button", { name: "Change load" })).toBeDisabled();
  await expect(change.getByLabel("Users per second from now on")).toBeDisabled();
});

test("a pointer on one chart reads the same moment on the other", async ({ sale, page, startCrowd }) => {
  const status = await startCrowd(sale, { users: 400, arrival: { kind: "constant", per_s: 800 } });
  await expect.poll(async () => (await status()).phase).toBe("done");
  await openLive(page, `${sale.path}?tab=crowd`);
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  const charts = panel.locator(".chart");
  await expect(charts).toHaveCount(2);
  const readouts = panel.locator(".readout");
  const [rates, latency] = [readouts.nth(0), readouts.nth(1)];
  await expect(latency).toBeEmpty();
  await charts.nth(0).hover();
  const moment = /^(\d+\.\d+ s): /;
  await expect(latency).toHaveText(/^\d+\.\d+ s: p50 [\d.]+ (µs|ms), p99 [\d.]+ (µs|ms)$/);
  // One is drawn after the other.
  await expect
    .poll(async () => moment.exec(await rates.innerText())?.[1])
    .toBe(moment.exec(await latency.innerText())?.[1]);
  await expect(charts.locator(".cursor")).toHaveCount(2);
  await page.mouse.move(0, 0);
  await expect(latency).toBeEmpty();
  await expect(charts.locator(".cursor")).toHaveCount(0);
});

test("a second crowd has to wait for the first", async ({ sale, page, startCrowd, visitor, complaints }) => {
  complaints.forgive(/503 \(Service Unavailable\)/);
  await openLive(page, sale.path);
  const panel = await orders(page, {});
  const start = panel.getByRole("button", { name: "Let a crowd loose" });
  await startCrowd(sale, { users: 500, arrival: { kind: "constant", per_s: 5 } });
  // Known here by the live view, without a click.
  await expect(strip(page).getByText("Running", { exact: true })).toBeVisible();
  await expect(start).toBeDisabled();
  // And whoever comes later may stop it.
  const other = await visitor();
  await openLive(other, sale.path);
  await strip(other).getByRole("button", { name: "Stop" }).click();
  await expect(strip(page).getByText("Stopped", { exact: true })).toBeVisible();
  await expect(start).toBeEnabled();
});

const mistakes = [
  { label: "Users", text: "1000001", says: /whole number from 1 to 1,000,000/ },
  { label: "Users", text: "many", says: /whole number from 1 to 1,000,000/ },
  { label: "Concurrency", text: "0", says: /whole number from 1 to 10,000/ },
  { label: "Repeat rate (%)", text: "101", says: /percentage from 0 to 100/ },
  { label: "Seed", text: "-1", says: /whole number from 0 to/ },
  { label: "Users per second", text: "fast", says: /whole number from 1 to 1,000,000/ },
  { label: "Users per second", text: "0", says: /whole number from 1 to 1,000,000/ },
  { label: "Ramp duration (s)", text: "3601", says: /whole number from 1 to 3,600/ },
  { label: "Ramp duration (s)", text: "", says: /whole number from 1 to 3,600/ },
];

test("a mistake is named beside its field", async ({ sale, page, complaints }) => {
  complaints.forgive(/400 \(Bad Request\)/);
  await openLive(page, sale.path);
  const right = { Users: "10", Concurrency: "5", "Repeat rate (%)": "0", Seed: "", "Users per second": "10", "Ramp duration (s)": "1" };
  for (const { label, text, says } of mistakes) {
    await test.step(`${label}: ${text}`, async () => {
      const panel = await orders(page, { ...right, [label]: text }, "Ramp");
      await panel.getByRole("button", { name: "Let a crowd loose" }).click();
      const field = panel.getByLabel(label, { exact: true });
      await expect(field).toHaveAccessibleDescription(says);
      await expect(field).toHaveAttribute("aria-invalid", "true");
    });
  }
  // Nothing was started by any of them.
  const panel = await orders(page, right, "Ramp");
  const progress = strip(page).getByRole("progressbar");
  await expect(progress).toHaveAttribute("aria-valuenow", "0");
  await expect(progress, "of how many").not.toHaveAttribute("aria-valuemax");
  await panel.getByRole("button", { name: "Let a crowd loose" }).click();
  await expect(strip(page).getByText("10 of 10 attempts")).toBeVisible();
});

test("one click on the first page leads to a running crowd on a stage, and to its verdict", async ({ page, openSale }) => {
  test.setTimeout(60_000);
  await page.setViewportSize({ width: 1440, height: 900 });
  // As `stampede serve --demo` names it.
  const sale = await openSale({ id: `demo-${Date.now()}`, count: 500, total_cents: 50_000 });
  await open(page, "/");
  const entry = page.getByRole("listitem").filter({ hasText: sale.id });
  await entry.getByRole("button", { name: "Let a crowd loose" }).click();
  await expect(page).toHaveURL(`${sale.path}?tab=crowd`);
  await expect(strip(page).getByText("Running", { exact: true })).toBeVisible();
  // All of it on one screen.
  for (const part of [page.getByRole("region", { name: "Queues" }), page.getByRole("figure", { name: "Latency" }), strip(page)]) {
    await expect(part).toBeInViewport({ ratio: 1 });
  }
  const banner = page.locator(".verdict-banner");
  await expect(banner.getByRole("heading", { name: "Verdict Holds" })).toBeInViewport({ timeout: 30_000 });
  expect(await page.evaluate(() => scrollY), "nobody scrolled").toBe(0);
  await expect(banner).toContainText("Oversold0Doubled0Lost0Unexpected0");

  // Once more, and somewhere else.
  await strip(page).getByRole("button", { name: "Again" }).click();
  await expect(banner).toHaveCount(0);
  await strip(page).getByRole("button", { name: "Stop" }).click();
  await expect(banner).toBeVisible();
  await banner.getByRole("button", { name: "Dismiss" }).click();
  await expect(banner).toHaveCount(0);
  await expect(page.locator(".banners"), "the place of the banners has the focus").toBeFocused();
  await page.getByRole("tab", { name: "Take part" }).click();
  await strip(page).getByRole("button", { name: "Duplicate sale" }).click();
  await expect(page).not.toHaveURL(new RegExp(sale.id));
  await expect(page.getByRole("main"), "the focus goes on to the page of the duplicate").toBeFocused();
  // Its address names the tab, as that of the sale before did not.
  await expect(page.getByRole("tab", { name: "Crowd" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("meter", { name: "Pending" })).toHaveAttribute("aria-valuetext", "500 of 500, ¥500.00");
});

const stages = [
  { kind: "ticket", demo: "stadium", pages: "tickets", terms: { hall: "theatre" }, stage: "Seat map" },
  { kind: "coupon", demo: "welcome", pages: "coupons", terms: { total: 500 }, stage: "Limits" },
  { kind: "stock", demo: "phone", pages: "stock", terms: { quantity: 500 }, stage: "Quantity" },
];

test("a duplicate whose answer was lost is asked for again, not opened twice", async ({ openSale, page, post, complaints }) => {
  complaints.forgive(/ERR_FAILED/);
  const sale = await openSale();
  await openLive(page, sale.path);
  const sales = async () => (await post<{ sales: object[] }>("/api/sales", { kind: "red_packet", limit: 200 })).sales.length;
  const before = await sales();
  await page.route("**/api/red-packet/open", async (route) => {
    await route.fetch();
    await route.abort();
  }, { times: 1 });
  const duplicate = strip(page).getByRole("button", { name: "Duplicate sale" });
  await duplicate.click();
  await expect(page.locator(".banners").getByRole("alert").filter({ hasText: "server" })).toBeVisible();
  await duplicate.click();
  await expect(page).not.toHaveURL(new RegExp(sale.id));
  expect(await sales()).toBe(before + 1);
});

test("the course of a run that came while another tab was shown is there when its tab is", async ({ openSale, page, startCrowd }) => {
  const sale = await openSale();
  await openLive(page, sale.path);
  await tab(page, "Take part");
  const status = await startCrowd(sale, { users: 200, concurrency: 20 });
  await expect.poll(async () => (await status()).phase).toBe("done");
  await expect(page.locator(".verdict-banner")).toBeVisible();
  await tab(page, "Attempts");
  await expect(page.getByRole("region", { name: "Newest attempts" }).getByRole("row", { name: /Sold out/ }).first()).toBeVisible();
  await tab(page, "Crowd");
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  await expect(panel.getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  await panel.getByText("As table").click();
  await expect(panel.getByRole("row").nth(1)).toBeVisible();
});

for (const { kind, demo, pages, terms, stage } of stages) {
  test(`one click leads to a crowd and its verdict, without scrolling: ${kind}`, async ({ page, post }) => {
    test.setTimeout(60_000);
    await page.setViewportSize({ width: 1440, height: 900 });
    const { sale } = await post<{ sale: string }>(`/api/${kind}/open`, { id: `${demo}-${Date.now()}`, ...terms });
    await open(page, "/");
    await page.getByRole("listitem").filter({ hasText: sale }).getByRole("button", { name: "Let a crowd loose" }).click();
    await expect(page).toHaveURL(`/${pages}/${sale}?tab=crowd`);
    for (const part of [page.getByRole("region", { name: stage, exact: true }), page.getByRole("figure", { name: "Latency" }), strip(page)]) {
      await expect(part).toBeInViewport({ ratio: 1 });
    }
    const banner = page.locator(".verdict-banner");
    await expect(banner.getByRole("heading", { name: "Verdict Holds" })).toBeInViewport({ timeout: 30_000 });
    expect(await page.evaluate(() => scrollY), "nobody scrolled").toBe(0);
    await expect(banner).toContainText("Oversold0Doubled0Lost0Unexpected0");
  });
}

test("by the keyboard, a crowd is started and stopped: the focus goes from one button to the other", async ({ sale, page }) => {
  await openLive(page, sale.path);
  // One user a second, so that it does not end by itself.
  await orders(page, { Users: "1000", "Users per second": "1" }, "Constant");
  const start = strip(page).getByRole("button", { name: "Let a crowd loose" });
  const stop = strip(page).getByRole("button", { name: "Stop" });
  await start.focus();
  await page.keyboard.press("Enter");
  await expect(stop).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(start).toBeFocused();
  await expect(strip(page).getByText("Stopped", { exact: true })).toBeVisible();
});

test("the button above the stage starts the crowd that the form describes", async ({ openSale, page }) => {
  const sale = await openSale({ count: 100 });
  await openLive(page, sale.path);
  const panel = await orders(page, { Users: "7", "Repeat rate (%)": "0" });
  await strip(page).getByRole("button", { name: "Let a crowd loose" }).click();
  await expect(strip(page).getByText("7 of 7 attempts")).toBeVisible();
  // What is no number is refused, and nobody comes.
  const asked: string[] = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await panel.getByLabel("Users", { exact: true }).fill("many");
  await strip(page).getByRole("button", { name: "Let a crowd loose" }).click();
  await expect(panel.getByLabel("Users", { exact: true })).toHaveAttribute("aria-invalid", "true");
  expect(asked.filter((path) => path === "/api/crowd/start")).toEqual([]);
});

test("the form of each kind of sale has fields of its own", async ({ page }) => {
  await open(page, "/");
  const form = page.getByRole("region", { name: "Open a sale" });
  const texts = async () => form.getByRole("textbox").evaluateAll((fields) => fields.map((field) => (field as HTMLInputElement).value));
  const kinds = ["Tickets", "Coupons", "Stock", "Red packets"];
  const typed: Record<string, string[]> = {};
  for (const [nth, kind] of kinds.entries()) {
    await form.getByRole("button", { name: kind }).click();
    for (const field of await form.getByRole("textbox").all()) await field.fill(`${nth + 3}`);
    typed[kind] = await texts();
  }
  for (const kind of kinds) {
    await form.getByRole("button", { name: kind }).click();
    await expect.poll(texts, kind).toEqual(typed[kind]);
  }
});

test("a preset fills in all settings", async ({ openSale, page }) => {
  const sale = await openSale({ count: 5_000, total_cents: 500_000 });
  await openLive(page, sale.path);
  const panel = await orders(page, {}, "Ramp");
  await expect(panel.getByLabel("Users", { exact: true })).toHaveValue("6000");
  await expect(panel.getByLabel("Users per second")).toHaveValue("800");
  await panel.getByRole("radio", { name: "Double clickers" }).check();
  await expect(panel.getByLabel("Arrival")).toHaveValue("burst");
  await expect(panel.getByLabel("Repeat rate (%)")).toHaveValue("100");
});

test("a crowd's form is as it was left after a reload, and in another language", async ({ openTickets, page }) => {
  const sale = await openTickets();
  await openLive(page, `${sale.path}?tab=crowd`);
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  await panel.getByRole("radio", { name: "Everyone at once" }).check();
  await orders(page, { Users: "123", Seed: "9", "Largest group": "3", "Users per second": "45" }, "Constant");
  await page.reload();
  await expect(panel.getByRole("radio", { name: "Everyone at once" })).toBeChecked();
  for (const [label, text] of [["Users", "123"], ["Seed", "9"], ["Largest group", "3"], ["Users per second", "45"], ["Arrival", "constant"]]) {
    await expect(panel.getByLabel(label, { exact: true })).toHaveValue(text);
    await expect(panel.getByLabel(label, { exact: true })).toBeVisible();
  }
  // What was not touched is the preset's.
  await expect(panel.getByLabel("Concurrency")).toHaveValue("500");

  await page.getByRole("button", { name: "中文" }).click();
  await expect(page.getByRole("radio", { name: "同时涌入" })).toBeChecked();
  await expect(page.getByLabel("用户数", { exact: true })).toHaveValue("123");
  await page.getByRole("button", { name: "English" }).click();

  // A preset replaces what was typed, for good; another sale has a form of its own.
  await expect(panel.getByLabel("Users", { exact: true })).toHaveValue("123");
  await panel.getByRole("radio", { name: "Double clickers" }).check();
  await expect(panel.getByLabel("Users", { exact: true })).not.toHaveValue("123");
  await page.reload();
  await expect(panel.getByRole("radio", { name: "Double clickers" })).toBeChecked();
  await expect(panel.getByLabel("Repeat rate (%)")).toHaveValue("100");
  await expect(panel.getByLabel("Users", { exact: true })).not.toHaveValue("123");
  const other = await openTickets();
  await openLive(page, `${other.path}?tab=crowd`);
  await expect(panel.getByRole("radio", { name: "Gentle ramp" })).toBeChecked();
  await expect(panel.getByLabel("Users", { exact: true })).toBeHidden();
});

test("a sale is presented to a room by a key, and the link says so", async ({ openSale, page }) => {
  const sale = await openSale();
  await openLive(page, `${sale.path}?tab=crowd`);
  await page.keyboard.press("f");
  await expect(page).toHaveURL(`${sale.path}?tab=crowd&present=1`);
  await expect(page.getByRole("banner")).toBeHidden();
  await expect(page.getByRole("tablist")).toBeHidden();
  await expect(page.getByRole("region", { name: "Queues" })).toBeInViewport({ ratio: 1 });
  // Who presents finds the buttons under the pointer, and the audience does not see them.
  const buttons = strip(page).locator("> .actions");
  await expect(buttons).toHaveCSS("opacity", "0");
  await strip(page).hover();
  await expect(buttons).toHaveCSS("opacity", "1");
  // Names and ids are there for screen readers alone.
  const name = page.getByRole("heading", { level: 1 });
  expect(await name.evaluate((heading) => getComputedStyle(heading).clipPath)).toBe("inset(50%)");
  await expect(name).toContainText("Red packets");
  await page.reload();
  await expect(page.getByRole("tablist")).toBeHidden();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await page.keyboard.press("f");
  await expect(page).toHaveURL(`${sale.path}?tab=crowd`);
  await expect(page.getByRole("banner")).toBeVisible();
  // In a field it is a letter.
  await page.getByRole("tab", { name: "Take part" }).click();
  const field = page.getByLabel("Your name");
  await field.press("f");
  await field.blur();
  // If the letter had begun to present, this one would end it.
  await page.keyboard.press("f");
  await expect(page).toHaveURL(`${sale.path}?tab=take-part&present=1`);
  await page.keyboard.press("Escape");
  await expect(page).toHaveURL(`${sale.path}?tab=take-part`);
  // Whoever has just pressed a button presents what comes of it.
  await page.getByRole("button", { name: "Claim a packet" }).press("f");
  await expect(page).toHaveURL(`${sale.path}?tab=take-part&present=1`);
});

test("on a narrow page, nothing lies on the state of a crowd that is presented", async ({ openSale, page }) => {
  const sale = await openSale();
  await page.setViewportSize(PHONE);
  await page.goto(`${sale.path}?present=1`);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  const buttons = await strip(page).locator("> .actions").boundingBox();
  const course = await strip(page).locator(".course-of-crowd").boundingBox();
  expect(buttons!.y).toBeGreaterThanOrEqual(course!.y + course!.height);
});

test.describe("by fingers", () => {
  test.use({ hasTouch: true, isMobile: true, viewport: PHONE });

  test("what starts a crowd can be seen while a sale is presented", async ({ sale, page }) => {
    test.setTimeout(60_000);
    // There is no bar on top by which the others see that the page works.
    await page.goto(`${sale.path}?present=1`);
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await expect(strip(page).locator("> .actions")).toHaveCSS("opacity", "1");
    await strip(page).getByRole("button", { name: "Let a crowd loose" }).tap();
    await expect(page.locator(".verdict-banner").getByRole("heading", { name: "Verdict Holds" })).toBeVisible({ timeout: 40_000 });
  });
});
