// The crowd panel: starting, watching and stopping a crowd, and its verdict.

import { type Locator, type Page } from "@playwright/test";
import { definition, expect, open, openLive, post, slowCrowds, strip, tab, test } from "../fixtures";
import { letLoose, listed } from "../list";
import { PHONE } from "../looks";
import { redis } from "../server";

/** The panel, and its fields filled in. */
async function orders(page: Page, wanted: Record<string, string>, arrival = "Burst"): Promise<Locator> {
  await tab(page, "Crowd");
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  if (!(await panel.getByLabel("Arrival", { exact: true }).isVisible())) await panel.getByText("All settings").click();
  await panel.getByLabel("Arrival", { exact: true }).selectOption(arrival);
  for (const [label, text] of Object.entries(wanted)) await panel.getByLabel(label, { exact: true }).fill(text);
  return panel;
}

test("three thousand users grab at a thousand packets, and nothing is given twice", async ({ openSale, page }) => {
  const sale = await openSale({ count: 1_000, total_cents: 888_800, seed: 7 });
  await openLive(page, sale.path);
  const panel = await orders(page, { Users: "3,000", Concurrency: "500", "Repeat rate (%)": "20", Seed: "7" });
  await panel.getByRole("button", { name: "Let a crowd loose" }).click();

  await expect(strip(page).getByText("Done", { exact: true })).toBeVisible();
  const progress = strip(page).getByRole("progressbar", { name: "Crowd progress" });
  const all = await progress.getAttribute("aria-valuemax");
  await expect(progress).toHaveAttribute("aria-valuenow", all!);
  // A user who clicks twice makes another attempt; the seed determines who does.
  expect(Number(all)).toBeGreaterThan(3_450);
  expect(Number(all)).toBeLessThan(3_750);
  await expect(panel.getByText("3,000 users, 500 at once, Burst, 20% repeat, seed 7")).toBeVisible();

  await expect(panel.getByRole("group", { name: "Verdict" })).toMatchAriaSnapshot(`
    - group "Verdict":
      - heading "Verdict Holds" [level=3]
      - paragraph:
        - text: Whoever was told of a win has exactly that, and nobody has anything else.
        - link "How do we know?"
      - term:
        - button "Oversold"
      - definition: "0"
      - term:
        - button "Doubled"
      - definition: "0"
      - term:
        - button "Lost"
      - definition: "0"
      - term:
        - button "Unexpected"
      - definition: "0"
      - term:
        - button "Total expected"
      - definition: ¥8,888.00
      - term:
        - button "Total found"
      - definition: ¥8,888.00
  `);

  // What the queues and figures say agrees.
  const amounts = page.getByRole("region", { name: "Amounts claimed" });
  await expect(amounts.locator(".values > span")).toHaveText([/^\d+$/, /^\d+$/, "0"]);
  await expect(amounts.locator(".time .at").first()).toHaveText("¥0");
  await expect(amounts, "what was given out, shared by those who got it").toContainText("mean ¥8.89");
  await expect(amounts.locator("line.mean")).toHaveCount(1);
  const bars = await amounts.locator(".bars path").boundingBox();
  expect(bars?.height, "the tallest bar of the amounts").toBeGreaterThan(50);
  await expect(page.getByRole("meter", { name: "Pending" })).toHaveAttribute("aria-valuetext", "0 of 1,000, ¥0.00");
  await expect(page.getByRole("meter", { name: "Claimed" })).toHaveAttribute("aria-valuetext", "1,000 of 1,000, ¥8,888.00");
  await expect(page.getByText("Sold out", { exact: true }).first()).toBeVisible();

  // The figures of the charts, as a table.
  await expect(panel.getByRole("figure", { name: /^Attempts per (second|\d+ ms)/ })).toBeVisible();
  await expect(panel.getByRole("figure", { name: "Latency" })).toBeVisible();
  await panel.getByText("View as table").click();
  const rows = panel.getByRole("table").getByRole("row");
  await expect(rows.nth(1)).toHaveText(/^\s*\d+(\.\d+)? s\s*[\d,]+.*[\d.]+ (µs|ms|s)\s*[\d.]+ (µs|ms|s)/);
  // One column for each answer that there was.
  await expect(panel.getByRole("columnheader")).toHaveText(["Time", /Attempts per (second|\d+ ms)/, /^Won/, /^Repeat/, /^Sold out/, "p50", "p99"]);

  await tab(page, "Audit");
  const audit = page.getByRole("region", { name: "Audit" });
  await audit.getByRole("button", { name: "Audit now" }).click();
  await expect(audit.getByRole("row", { name: /One event per win 1,000 1,000 Holds/ })).toBeVisible();
});

test("a slow crowd shows its progress, and is started and stopped by keys: the focus goes from one button to the other", async ({ openSale, page }) => {
  // Enough for everyone who comes before the crowd is stopped.
  const sale = await openSale({ count: 10_000, total_cents: 1_000_000 });
  await openLive(page, sale.path);
  // It does not end by itself: the last user would come after minutes.
  const panel = await orders(page, { Users: "10000", Concurrency: "10", "Repeat rate (%)": "0", "Users per second": "20" }, "Constant");
  const start = strip(page).getByRole("button", { name: "Let a crowd loose" });
  const stop = strip(page).getByRole("button", { name: "Stop" });
  await expect(stop).toBeHidden();
  await start.focus();
  await page.keyboard.press("Enter");

  await expect(stop).toBeFocused();
  await expect(strip(page).getByText("Running", { exact: true })).toBeVisible();
  await expect(panel.getByRole("button", { name: "Let a crowd loose" })).toBeDisabled();
  await expect(strip(page).getByText(/^00:0\d:\d\d left$/)).toBeVisible();
  const progress = strip(page).getByRole("progressbar", { name: "Crowd progress" });
  await expect(progress).toHaveAttribute("aria-valuetext", /^([5-9]|\d{2,}|[\d,]{5,}) of 10,000 attempts$/);
  await page.keyboard.press("Enter");

  await expect(start).toBeFocused();
  await expect(strip(page).getByText("Stopped", { exact: true })).toBeVisible();
  await expect(panel.getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  await expect(panel.getByRole("button", { name: "Let a crowd loose" })).toBeEnabled();
  await expect(stop).toBeHidden();
  // It was seen running and is over: the audit has looked by itself.
  await tab(page, "Audit");
  await expect(page.getByRole("region", { name: "Audit" }).getByRole("row", { name: /All packets accounted for 10,000 10,000 Holds/ })).toBeVisible();
});

test("a crowd let loose in one browser runs in the other, where another has to wait for it and it can be stopped", async ({ openSale, page, visitor }) => {
  // Enough for everyone who comes before the crowd is stopped.
  const sale = await openSale({ count: 10_000, total_cents: 1_000_000 });
  const other = await visitor();
  await openLive(page, sale.path);
  await openLive(other, sale.path);
  const panel = await orders(page, { Users: "10000", "Repeat rate (%)": "0", "Users per second": "20" }, "Constant");
  await panel.getByRole("button", { name: "Let a crowd loose" }).click();
  // Known there by the live view, without a click.
  await expect(strip(other).getByText("Running", { exact: true })).toBeVisible();
  const start = (await orders(other, {})).getByRole("button", { name: "Let a crowd loose" });
  await expect(start).toBeDisabled();
  await strip(other).getByRole("button", { name: "Stop" }).click();
  for (const reader of [page, other]) {
    await expect(strip(reader).getByText("Stopped", { exact: true })).toBeVisible();
    await expect(reader.locator(".verdict-banner").getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  }
  await expect(start).toBeEnabled();
  const claimed = (await page.getByRole("meter", { name: "Claimed" }).getAttribute("aria-valuetext"))!;
  await expect(other.getByRole("meter", { name: "Claimed" })).toHaveAttribute("aria-valuetext", claimed);
});

test("the course of a crowd that came while another tab was shown is there when its tab is and after a reload, until the next one takes its place", async ({ sale, page, startCrowd }) => {
  await openLive(page, sale.path);
  const status = await startCrowd(sale, { users: 400, arrival: { kind: "constant", per_s: 800 } });
  await expect.poll(async () => (await status()).phase).toBe("done");
  await expect(page.locator(".verdict-banner")).toBeVisible();
  await tab(page, "Attempts");
  await expect(page.getByRole("region", { name: "Newest attempts" }).getByRole("row", { name: /Sold out/ }).first()).toBeVisible();
  await tab(page, "Crowd");
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  await expect(panel.getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  await panel.getByText("As table").click();
  await expect(panel.getByRole("row").nth(1)).toBeVisible();

  await page.reload();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expect(strip(page).getByText("400 of 400 attempts")).toBeVisible();
  await expect(panel.getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  // It was over before this page began: no news.
  await expect(page.getByRole("button", { name: "Dismiss" })).toHaveCount(0);

  await test.step("a pointer on one chart reads the same moment on the other", async () => {
    const charts = panel.locator(".chart");
    await expect(charts).toHaveCount(2);
    const [rates, latency] = [panel.locator(".readout").nth(0), panel.locator(".readout").nth(1)];
    await expect(latency).toBeEmpty();
    await charts.nth(0).hover();
    const moment = /^(\d+(?:\.\d+)?) s: /;
    await expect(latency).toHaveText(/^\d+(\.\d+)? s: p50 [\d.]+ (µs|ms|s), p99 [\d.]+ (µs|ms|s)$/);
    // One is drawn after the other.
    const [shown, read] = moment.exec(await latency.innerText())!;
    await expect(rates).toContainText(shown);
    await expect(charts.locator(".cursor")).toHaveCount(2);
    const drawn = await charts.locator(".cursor").evaluateAll((lines) => lines.map((line) => line.getAttribute("d")));
    expect(drawn[1], "at the same place on both").toBe(drawn[0]);
    // A label of the axis tells where an instant is.
    const labels = await charts.nth(0).locator(".time .at").evaluateAll((labels) =>
      labels.map((label) => ({ s: parseFloat(label.textContent!), at: Number((label as HTMLElement).style.getPropertyValue("--at")) })),
    );
    const { s, at } = labels.at(-1)!;
    const place = Number(/^M([\d.]+) /.exec(drawn[0]!)![1]);
    expect(Math.abs(place - (Number(read) / s) * at), "thousandths from the point that is read, which is rounded").toBeLessThan((0.05 / s) * at + 15);
    await page.mouse.move(0, 0);
    await expect(latency).toBeEmpty();
    await expect(charts.locator(".cursor")).toHaveCount(0);
  });
  await test.step("an axis begins with 0, and its values have a unit", async () => {
    const charts = panel.locator(".chart");
    await expect(charts.nth(0).locator(".values > span")).toHaveText([/^[\d,]+\/(s|\d+ ms)$/, /^[\d,]+\/(s|\d+ ms)$/, "0"]);
    await expect(charts.nth(1).locator(".values > span")).toHaveText([/^[\d.]+ (µs|ms|s)$/, /^[\d.]+ (µs|ms|s)$/, "0"]);
  });

  await orders(page, { Users: "50", "Repeat rate (%)": "0" });
  await panel.getByRole("button", { name: "Crowd on a fresh sale" }).click();
  await expect(strip(page).getByText("50 of 50 attempts")).toBeVisible();
  await expect(strip(page).getByText("Done", { exact: true })).toBeVisible();
  await expect(strip(page).getByText(/^took [1-9]\d*(\.\d+)? (µs|ms|s)$/)).toBeVisible();
});

test("the time left of a ramp follows its schedule, and its load is changed while it runs, and marked in its course", async ({ openSale, page, startCrowd }) => {
  const sale = await openSale({ count: 10 });
  // All will have come after a minute; at the rate of the first ones, after most of an hour.
  await startCrowd(sale, { users: 3_000, arrival: { kind: "ramp", per_s: 100, over_s: 60 } });
  await openLive(page, `${sale.path}?tab=crowd`);
  await expect(strip(page).getByText(/^(\d\d s|00:0[01]:\d\d) left$/)).toBeVisible();
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  const change = panel.getByRole("form", { name: "Arrivals a second" });
  await change.getByLabel("Arrivals a second").fill("none");
  await change.getByRole("button", { name: "Apply" }).click();
  await expect(panel.getByText("Enter a whole number from 1 to 1,000,000.").first()).toBeVisible();
  await change.getByLabel("Arrivals a second").fill("100,000");
  await change.getByRole("button", { name: "Apply" }).click();
  await expect(strip(page).getByText("3,000 of 3,000 attempts")).toBeVisible();
  await expect(panel.getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  const marks = panel.getByRole("listitem");
  await expect(marks.filter({ hasText: "load changed to 100,000 users a second" })).toBeVisible();
  await expect(marks.filter({ hasText: "sold out" })).toBeVisible();
  // There is nothing to change any more, and what is below stays where it was.
  await expect(change.getByRole("button", { name: "Apply" })).toBeDisabled();
  await expect(change.getByLabel("Arrivals a second")).toBeDisabled();
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

test("a preset fills in the form of a crowd, mistakes are named beside their fields, and both buttons start what it describes", async ({ openSale, page, complaints }) => {
  complaints.forgive(/400 \(Bad Request\)/);
  const sale = await openSale({ count: 5_000, total_cents: 500_000 });
  await openLive(page, sale.path);
  const panel = await orders(page, {}, "Ramp");
  const field = (label: string) => panel.getByLabel(label, { exact: true });
  const start = panel.getByRole("button", { name: "Let a crowd loose" });
  await test.step("a preset fills in all settings", async () => {
    await expect(field("Users")).toHaveValue("6000");
    await expect(field("Users per second")).toHaveValue("1200");
    await panel.getByRole("radio", { name: "Double clickers" }).check();
    await expect(field("Arrival")).toHaveValue("burst");
    await expect(field("Repeat rate (%)")).toHaveValue("100");
  });

  const right: Record<string, string> = { Users: "10", Concurrency: "5", "Repeat rate (%)": "0", Seed: "", "Users per second": "10", "Ramp duration (s)": "1" };
  await orders(page, right, "Ramp");
  for (const { label, text, says } of mistakes) {
    await test.step(`${label}: ${text}`, async () => {
      await field(label).fill(text);
      await start.click();
      await expect(field(label)).toHaveAccessibleDescription(says);
      await expect(field(label)).toHaveAttribute("aria-invalid", "true");
      await field(label).fill(right[label]);
    });
  }
  // Nothing was started by any of them.
  const progress = strip(page).getByRole("progressbar");
  await expect(progress).toHaveAttribute("aria-valuenow", "0");
  await expect(progress, "of how many").not.toHaveAttribute("aria-valuemax");
  await start.click();
  await expect(strip(page).getByText("10 of 10 attempts")).toBeVisible();
  await expect(strip(page).getByText("Done", { exact: true })).toBeVisible();

  await test.step("the button above the stage", async () => {
    await orders(page, { Users: "7", "Repeat rate (%)": "0" });
    await strip(page).getByRole("button", { name: "Let a crowd loose" }).click();
    await expect(strip(page).getByText("7 of 7 attempts")).toBeVisible();
    await expect(strip(page).getByText("Done", { exact: true })).toBeVisible();
    // What is no number is refused, and nobody comes.
    const asked: string[] = [];
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await field("Users").fill("many");
    await strip(page).getByRole("button", { name: "Let a crowd loose" }).click();
    await expect(field("Users")).toHaveAttribute("aria-invalid", "true");
    expect(asked.filter((path) => path === "/api/crowd/start")).toEqual([]);
  });
});

test("one click on the first page leads to a running crowd on a stage, and to its verdict", async ({ page, openSale, post }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  // As `stampede serve --demo` names it.
  const sale = await openSale({ id: `demo-${Date.now()}`, count: 500, total_cents: 50_000 });
  await open(page, "/");
  // It waits until all of it was seen.
  await slowCrowds(page);
  const started = page.waitForResponse("**/api/crowd/start");
  await letLoose(listed(page, sale.id).first());
  await expect(page).toHaveURL(`${sale.path}?tab=crowd`);
  await expect(strip(page).getByText("Running", { exact: true })).toBeVisible();
  // All of it on one screen.
  for (const part of [page.getByRole("region", { name: "Queues" }), page.getByRole("figure", { name: "Latency" }), strip(page)]) {
    await expect(part).toBeInViewport({ ratio: 1 });
  }
  const { run } = await (await started).json();
  await post("/api/crowd/change", { run, per_s: 100_000 });
  const banner = page.locator(".verdict-banner");
  await expect(banner.getByRole("heading", { name: "Verdict Holds" })).toBeInViewport();
  expect(await page.evaluate(() => scrollY), "nobody scrolled").toBe(0);
  for (const figure of ["Oversold", "Doubled", "Lost", "Unexpected"]) await expect(definition(banner, figure)).toHaveText("0");

  // Nothing is left: the same crowd on a fresh sale, at the same terms.
  await strip(page).getByRole("button", { name: "Again" }).click();
  await expect(page).toHaveURL(new RegExp(`${sale.id}-2`));
  await expect(strip(page).getByText("Running", { exact: true })).toBeVisible();
  await expect(banner).toHaveCount(0);
  await strip(page).getByRole("button", { name: "Stop" }).click();
  await expect(banner).toBeVisible();
  await banner.getByRole("button", { name: "Dismiss" }).click();
  await expect(banner).toHaveCount(0);
  await expect(page.locator(".banners"), "the place of the banners has the focus").toBeFocused();
  await page.getByRole("tab", { name: "Take part" }).click();
  const again = page.url();
  await strip(page).getByRole("button", { name: "Duplicate sale" }).click();
  await expect(page).not.toHaveURL(again);
  await expect(page.getByRole("main"), "the focus goes on to the page of the duplicate").toBeFocused();
  // Its address names the tab, as that of the sale before did not.
  await expect(page.getByRole("tab", { name: "Crowd" })).toHaveAttribute("aria-selected", "true");
  await expect(page.getByRole("meter", { name: "Pending" })).toHaveAttribute("aria-valuetext", "500 of 500, ¥500.00");
});

test("a duplicate whose answer was lost is asked for again, not opened twice", async ({ openSale, page, post, complaints }) => {
  complaints.forgive(/ERR_FAILED/);
  const sale = await openSale();
  await openLive(page, sale.path);
  // The newest come first.
  const sales = async () => (await post<{ sales: { sale: string }[] }>("/api/sales", { kind: "red_packet", limit: 3 })).sales.map(({ sale }) => sale);
  const [newest] = await sales();
  await page.route("**/api/red-packet/open", async (route) => {
    await route.fetch();
    await route.abort();
  }, { times: 1 });
  const duplicate = strip(page).getByRole("button", { name: "Duplicate sale" });
  await duplicate.click();
  await expect(page.locator(".banners").getByRole("alert").filter({ hasText: "server" })).toBeVisible();
  await duplicate.click();
  await expect(page).not.toHaveURL(new RegExp(sale.id));
  expect((await sales()).indexOf(newest), "sales that are newer").toBe(1);
});

test("a copy has the name of its sale and the next number", async ({ openSale, page }) => {
  const name = `night ${crypto.randomUUID()}`;
  const sale = await openSale({ id: name });
  await openLive(page, sale.path);
  for (const number of [2, 3]) {
    await strip(page).getByRole("button", { name: "Duplicate sale" }).click();
    await expect(page).toHaveURL(new RegExp(`/${encodeURIComponent(`${name}-${number}`)}`));
    await expect(page.getByRole("heading", { level: 1 })).toContainText(`${name}-${number}`);
  }
  // Of an older one, too, it is the number after the highest.
  await openLive(page, sale.path);
  await strip(page).getByRole("button", { name: "Duplicate sale" }).click();
  await expect(page).toHaveURL(new RegExp(`/${encodeURIComponent(`${name}-4`)}`));
});

test("two readers who copy a sale at the same moment get a sale each", async ({ openSale, page, post }) => {
  const name = `noon ${crypto.randomUUID()}`;
  const sale = await openSale({ id: name });
  await openLive(page, sale.path);
  // The other one is a moment faster, with the same request.
  await page.route("**/api/red-packet/open", async (route) => {
    await post("/api/red-packet/open", route.request().postDataJSON());
    await route.continue();
  }, { times: 1 });
  await strip(page).getByRole("button", { name: "Duplicate sale" }).click();
  await expect(page).toHaveURL(new RegExp(`/${encodeURIComponent(`${name}-3`)}`));
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
  // Its name is read by all, its id by screen readers alone.
  await expect(page.getByRole("heading", { level: 1 })).toBeInViewport({ ratio: 1 });
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Red packets");
  const id = page.locator(".head > .id");
  expect(await id.evaluate((id) => getComputedStyle(id).clipPath)).toBe("inset(50%)");
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

test.describe("by fingers", () => {
  test.use({ hasTouch: true, isMobile: true, viewport: PHONE });

  test("what starts a crowd can be seen while a sale is presented", async ({ sale, page }) => {
    await slowCrowds(page);
    // There is no bar on top by which the others see that the page works.
    await page.goto(`${sale.path}?present=1`);
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await expect(strip(page).locator("> .actions")).toHaveCSS("opacity", "1");
    await strip(page).getByRole("button", { name: "Let a crowd loose" }).tap();
    await strip(page).getByRole("button", { name: "Stop" }).tap();
    await expect(page.locator(".verdict-banner").getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  });
});

test("a verdict over a run in which attempts had no answer says how many, and asks for attention", async ({ page, request, alone, complaints }) => {
  complaints.forgive(/503 \(Service Unavailable\)/);
  const { url } = alone.server;
  const { sale } = await post<{ sale: string }>(request, `${url}/api/red-packet/open`, { total_cents: 100_000, count: 1_000, splitter: "equal" });
  await openLive(page, `${url}/red-packets/${sale}?tab=crowd`);
  // It goes on until it is stopped, once Redis went away and is back.
  const crowd = { sale, users: 100_000, concurrency: 50, repeat_rate: 0, arrival: { kind: "constant", per_s: 20 } };
  await post(request, `${url}/api/crowd/start`, crowd);
  await expect(strip(page).getByText("Running", { exact: true })).toBeVisible();
  await alone.store.stop();
  await expect(page.getByText("Redis is unreachable", { exact: true })).toBeVisible();
  alone.store = await redis(alone.path);
  await strip(page).getByRole("button", { name: "Stop" }).click();
  const banner = page.locator(".verdict-banner");
  await expect(banner).toContainText(/[\d,]+ of [\d,]+ attempts got no answer: \d+ may have been carried out, \d+ not\./);
  await expect(banner).toHaveClass(/unknown/);
  const row = page.getByRole("region", { name: "Runs" }).getByRole("row").nth(1);
  await expect(row.locator("td.short")).toHaveText(/^\d+$/);
});
