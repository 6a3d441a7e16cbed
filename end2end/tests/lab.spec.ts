// The lab: a run of strategies, its figures, its link and its files, and what can go wrong.

import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { expect, open, postToLab, tab, test } from "../fixtures";
import { DARK_PHONE, LIGHT_DESK, PHONE, clean, fits, fitsEverywhere } from "../looks";

const card = (page: Page, name: string) => page.getByRole("region", { name, exact: true }).first();
const results = (page: Page) => page.getByRole("region", { name: "Results" }).getByRole("table");
const row = (page: Page, name: string) => results(page).getByRole("row").filter({ has: page.getByRole("rowheader", { name, exact: true }) });
const names = (page: Page) => results(page).getByRole("rowheader");
const compare = (row: Locator) => row.getByRole("link", { name: /^(Compare|Chosen) / });
const outcome = (page: Page) => page.locator(".play-outcome");

/** A run of two strategies that is over in a moment. With a millisecond to each call, users are sure to come between. */
const SMALL = "/lab?users=120&stock=10&concurrency=8&delay_ms=1&strategies=read-check-write,script";

async function run(page: Page, address = SMALL): Promise<void> {
  await open(page, address);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("group", { name: "Export" })).toBeVisible();
}

/** Waits until the history has the run on the page, which is kept a moment after it is over. */
async function kept(page: Page): Promise<void> {
  const report = await page.getByRole("link", { name: "CSV", exact: true }).first().getAttribute("href");
  const id = new URLSearchParams(report?.split("?")[1]).get("run");
  await expect(page.locator(`#compare-${id}`)).toBeVisible();
}

/** Goes on by the Tab key until `goal` has the focus. */
async function tabTo(page: Page, goal: Locator, most = 120): Promise<void> {
  const arrived = () => goal.evaluate((element) => element === document.activeElement);
  for (let steps = 0; steps < most && !(await arrived()); steps++) await page.keyboard.press("Tab");
  await expect(goal, "reached by the Tab key").toBeFocused();
}

test("a run shows its figures, sorted as one likes, with charts beside them; it has a link, and is a file in three formats", async ({ page, visitor }) => {
  await run(page);
  await expect(names(page)).toHaveText(["Read, check, write", "One script per attempt"]);
  await expect(row(page, "One script per attempt")).toContainText("Holds");
  await expect(row(page, "One script per attempt").getByRole("cell").nth(5)).toHaveText("10");
  await expect(row(page, "Read, check, write")).toContainText("Broken");

  const trips = page.getByRole("columnheader", { name: "Round trips per attempt" });
  await trips.getByRole("button").click();
  await expect(trips).toHaveAttribute("aria-sort", "descending");
  await expect(names(page)).toHaveText(["Read, check, write", "One script per attempt"]);
  await trips.getByRole("button").click();
  await expect(trips).toHaveAttribute("aria-sort", "ascending");
  await expect(names(page)).toHaveText(["One script per attempt", "Read, check, write"]);

  for (const name of ["Attempts/s", "Lost"]) {
    const column = results(page).getByRole("columnheader", { name, exact: true });
    await column.getByRole("button").click();
    await expect(column).toHaveAttribute("aria-sort", "descending");
    await expect(trips, "by one at a time").not.toHaveAttribute("aria-sort", /./);
    const place = await column.evaluate((cell) => (cell as HTMLTableCellElement).cellIndex - 1);
    const figures = await results(page).getByRole("row").evaluateAll(
      (rows, place) => rows.slice(1).map((row) => Number(row.querySelectorAll("td")[place].textContent?.replace(/\D/g, ""))),
      place,
    );
    expect(figures, name).toEqual(figures.toSorted((one, other) => other - one));
  }

  for (const title of ["Attempts/s", "99th percentile latency"]) {
    const chart = page.getByRole("figure").filter({ hasText: title });
    await expect(chart.locator("rect")).toHaveCount(2);
    // A step of the axis is ten times as much as the one before.
    const labels = await chart.locator(".time .at").allInnerTexts();
    const steps = labels.map((label) => Number(label.replace(/[^\d.]/g, "")));
    expect(steps.length).toBeGreaterThan(1);
    for (const [nth, step] of steps.slice(1).entries()) expect(step / steps[nth]).toBeCloseTo(10);
    const widths = await chart.locator("rect").evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute("width"))));
    expect(Math.min(...widths)).toBeGreaterThan(0);
    expect(Math.max(...widths)).toBeLessThanOrEqual(100);
  }

  await test.step("its link shows it to somebody else, and its settings", async () => {
    await expect(page).toHaveURL(/users=120.*run=/);
    const somebody = await visitor();
    await open(somebody, page.url());
    await expect(names(somebody)).toHaveText(["Read, check, write", "One script per attempt"]);
    await expect(somebody.getByLabel("Users", { exact: true })).toHaveValue("120");
    await expect(somebody.getByRole("checkbox", { name: "One script per attempt" })).toBeChecked();
    await expect(somebody.getByRole("checkbox", { name: "Pipeline" })).not.toBeChecked();
  });
  await test.step("its files", async () => {
    const file = async (name: string) => {
      const started = page.waitForEvent("download");
      await page.getByRole("group", { name: "Export" }).getByRole("link", { name }).click();
      const download = await started;
      expect(download.suggestedFilename()).toMatch(new RegExp(`^lab-.*\\.${name.toLowerCase()}$`));
      return readFile(await download.path(), "utf8");
    };
    expect(JSON.parse(await file("JSON"))).toMatchObject({ phase: "done", strategies: [{ name: "read-check-write" }, { name: "script", verdict: "holds", given: 10 }] });
    expect(await file("CSV")).toMatch(/^\uFEFFname,concurrency,attempts,cut_short,per_s,p50_ms,p99_ms,.*\nread-check-write,.*\nscript,.*\n$/);
    const reader = await visitor({ javaScriptEnabled: false, offline: true });
    const asked: string[] = [];
    reader.on("request", (request) => asked.push(request.url()));
    await reader.setContent(await file("HTML"));
    await expect(reader.getByRole("row", { name: /^One script per attempt/ })).toContainText("Holds");
    expect(asked).toEqual([]);
  });
});

test("a preset is chosen by its link, and something is seen moving before it is stopped", async ({ page }) => {
  await open(page, "/lab");
  await page.getByRole("link", { name: /^Slow network/ }).click();
  await expect(page.getByLabel("Network delay (ms)")).toHaveValue("5");
  await page.getByRole("link", { name: /^The article's table/ }).click();
  await expect(page).toHaveURL(/users=10000/);
  const button = page.getByRole("button", { name: "Run", exact: true });
  await expect(button).toBeEnabled();
  await button.click();
  const progress = page.getByRole("progressbar");
  await expect(progress).toBeVisible();
  await expect.poll(async () => Number(await progress.getAttribute("aria-valuenow"))).toBeGreaterThan(0);
  await expect(progress).toHaveAttribute("aria-valuemax", "10000");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(page.getByRole("status").filter({ hasText: "Stopped" })).toBeVisible();
  await expect(button).toBeEnabled();
});

test("the default run goes to its end, and every verdict is as expected", async ({ page }) => {
  await open(page, "/lab");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  // The first strategies are over before they are seen to be at work.
  const answered = () => page.getByRole("progressbar").evaluateAll((bars) => bars.map((bar) => Number(bar.getAttribute("aria-valuenow"))));
  const moving = async () => (await answered()).reduce((sum, one) => sum + one, await names(page).count());
  await expect.poll(moving, { intervals: [50], message: "something is seen moving" }).toBeGreaterThan(0);
  // Each strategy has its own time: beside other work, all of them take longer than any.
  for (let ended = 0; ended < 17; ended = await names(page).count()) await expect.poll(() => names(page).count()).toBeGreaterThan(ended);
  await expect(page.getByRole("group", { name: "Export" })).toBeVisible();
  await expect(names(page)).toHaveCount(17);
  await expect(results(page).getByText("not as expected")).toHaveCount(0);
  await expect(row(page, "Read, check, write")).toContainText("Broken");
  await expect(results(page).getByRole("row").filter({ hasText: "Holds" })).not.toHaveCount(0);
});

test("two runs stand side by side", async ({ page }) => {
  await run(page);
  await run(page, "/lab?users=80&stock=10&concurrency=8&strategies=script,queue");
  const history = card(page, "Earlier runs");
  await expect(history.getByRole("row").filter({ hasText: "80 users" }).first()).toBeVisible();
  const rows = history.getByRole("row");
  await compare(rows.nth(1)).click();
  await expect(history).toContainText("Choose another run to compare it with.");
  await expect(names(page), "the run stays").toHaveText(["Queue with one worker", "One script per attempt"]);
  await compare(rows.nth(2)).click();
  const compared = page.getByRole("region", { name: "Two runs side by side" });
  const strategies = compared.getByRole("rowgroup").filter({ has: page.getByRole("rowheader", { name: "Attempts/s" }) }).getByRole("row");
  // The earlier run first; what only one of them has is not made up.
  await expect(strategies.getByRole("rowheader")).toHaveText(["Attempts/s", "Read, check, write", "One script per attempt", "Queue with one worker"]);
  await expect(strategies.filter({ hasText: "Queue with one worker" })).toContainText("–");

  // Both over each other, from nothing to the last answer.
  const curves = compared.getByRole("figure");
  await expect(curves).toContainText("Attempts answered");
  await expect(curves.locator(".line")).toHaveCount(4);
  await expect(curves.locator(".line.second")).toHaveCount(2);
  await compared.getByText("View as table").click();
  const table = compared.getByRole("table").last();
  await expect(table.getByRole("columnheader")).toHaveText(["Time", "Read, check, write, first", "One script per attempt, first", "Queue with one worker, second", "One script per attempt, second"]);
  await compared.getByRole("combobox", { name: "Curves of" }).selectOption("One script per attempt");
  await expect(curves.locator(".line")).toHaveCount(2);

  await compared.getByRole("link", { name: "End comparison" }).click();
  await expect(history.getByRole("heading", { name: "Earlier runs" })).toBeFocused();
  await expect(compared).toBeHidden();
  await expect(names(page)).toHaveText(["Queue with one worker", "One script per attempt"]);
});

test("a ramp shows when what breaks: at 1 everything is green", async ({ page }) => {
  await run(page, "/lab?users=600&stock=99&ramp=true&strategies=read-check-write,script");
  const region = page.getByRole("region", { name: "Results" });
  const slider = region.getByRole("slider", { name: "People at a time" });
  const verdicts = region.getByRole("table", { name: "Verdicts by people at a time" });
  const figures = region.locator("table.results").getByRole("row");
  await expect(region).toContainText("At 1 everything is green: this is your test suite.");
  await expect(region.getByText("1 person at a time", { exact: true })).toBeVisible();
  await expect(figures.filter({ hasText: "Read, check, write" })).toContainText("Holds");
  await expect(verdicts.getByRole("columnheader")).toHaveText(["Strategy", "1", "2", "4", "8", "16", "32", "64", "128", "256", "512"]);
  await expect(verdicts.getByRole("row").filter({ hasText: "One script" }).getByRole("img", { name: "Holds" })).toHaveCount(10);
  await expect(results(page).filter({ hasText: "not as expected" })).toHaveCount(0);
  await slider.focus();
  await page.keyboard.press("End");
  await expect(slider).toHaveAttribute("aria-valuetext", "512 people at a time");
  await expect(figures.filter({ hasText: "Read, check, write" })).toContainText("Broken");
  await fits(page);
  await clean(page, [LIGHT_DESK, DARK_PHONE]);
});

test("a ramp takes at least as many users as its last stop", async ({ page }) => {
  await open(page, "/lab?users=80&ramp=true&strategies=script");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("textbox", { name: "Users" })).toHaveAttribute("aria-invalid", "true");
});

/** So slow that it goes on for a minute unless it is stopped: each strategy is cut off after 20 seconds. */
const SLOW = { users: 100_000, delay_ms: 50, concurrency: 8, strategies: ["setnx-lock", "select-for-update", "queue"] };
const stopped = (page: Page) => page.getByRole("status").filter({ hasText: "Stopped" });

test("a run that was started elsewhere appears in an idle tab with its settings, or where it keeps another from being started, and can be stopped there", async ({ page, request, complaints }) => {
  complaints.forgive(/409 \(Conflict\)/);
  await open(page, "/lab");
  await expect(page.getByRole("button", { name: "Run", exact: true })).toBeEnabled();
  await postToLab(request, "/api/lab/start", SLOW);
  await expect(page.getByRole("progressbar")).toBeVisible();
  await expect(page.locator(".run-progress")).toContainText("100,000 users for 100 items, 8 at a time");
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(stopped(page)).toBeVisible();

  // A page that shows a run of its own does not look for others.
  await run(page);
  await postToLab(request, "/api/lab/start", SLOW);
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("alert").filter({ hasText: "A run of the lab is already in progress." })).toBeVisible();
  await expect(page.getByRole("progressbar")).toBeVisible();
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(stopped(page)).toBeVisible();
});

test("all runs that are kept can be listed, and stay listed", async ({ page, post, request }) => {
  type Runs = { runs: { run: string }[] };
  const ids: string[] = [];
  for (let seed = 9_001; seed <= 9_021; seed++) {
    const { run } = await postToLab<{ run: string }>(request, "/api/lab/start", { stock: 1, users: 1, concurrency: 1, repeat_rate: 0, seed, strategies: ["script"] });
    // The next may start when this one has ended; it is listed once the ledger has it.
    const kept = async () => (await post<Runs>("/api/lab/runs", { limit: 1 })).runs[0]?.run;
    await expect.poll(kept, { intervals: [25] }).toBe(run);
    ids.push(run);
  }
  await open(page, "/lab");
  const history = card(page, "Earlier runs");
  const entry = (seed: number) => history.getByRole("row").filter({ hasText: `seed ${seed}` });
  await test.step("of three that are chosen, the last two are compared", async () => {
    for (const seed of [9_019, 9_020, 9_021]) {
      await compare(entry(seed)).click();
      await expect(compare(entry(seed))).toHaveAttribute("aria-current", "true");
    }
    await expect(compare(entry(9_019))).not.toHaveAttribute("aria-current", /./);
  });
  await expect(entry(9_001)).toHaveCount(0);
  const older = history.getByRole("button", { name: "Older runs" });
  await older.click();
  await expect(entry(9_001).getByRole("link", { name: /^Show / })).toHaveAttribute("href", new RegExp(`run=${ids[0]}`));
  // There may be runs of other tests before these.
  await expect(async () => {
    if (await older.isVisible()) await older.click({ timeout: 1_000 });
    await expect(older).toBeHidden({ timeout: 500 });
  }).toPass();
  await expect(history.getByRole("heading", { name: "Earlier runs" }), "the focus goes on").toBeFocused();
  await expect(compare(entry(9_021)), "what was chosen stays").toHaveAttribute("aria-current", "true");

  await entry(9_001).getByRole("link", { name: /^Show / }).click();
  await expect(row(page, "One script per attempt")).toContainText("Holds");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page, "another run").not.toHaveURL(new RegExp(ids[0]));
  await expect(entry(9_001), "and this one is listed beside it").toHaveCount(2);
});

test("presets, earlier runs and back change what is shown without loading the page anew", async ({ page }) => {
  await run(page);
  await page.evaluate(() => Object.assign(window, { same: true }));
  const same = () => page.evaluate(() => "same" in window);
  const users = page.getByLabel("Users", { exact: true });
  const preset = (name: string) => page.getByRole("link", { name });

  await preset("The article's table").click();
  await expect(page).toHaveURL(/users=10000&repeat=0$/);
  await expect(users).toHaveValue("10000");
  await expect(preset("The article's table")).toHaveAttribute("aria-current", "true");
  await expect(results(page), "it is the settings of no run").toBeHidden();

  await users.evaluate((field) => field.closest("details")?.setAttribute("open", ""));
  await users.fill("11");
  await preset("The article's table").click();
  await expect(users, "the preset again").toHaveValue("10000");

  await card(page, "Earlier runs").getByRole("row").filter({ hasText: "120 users" }).first().getByRole("link", { name: /^Show / }).click();
  await expect(names(page)).toHaveText(["Read, check, write", "One script per attempt"]);
  await expect(users).toHaveValue("120");
  await expect(page.getByRole("checkbox", { name: "Pipeline" })).not.toBeChecked();

  await page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: "Lab" }).click();
  await expect(page).toHaveURL(/\/lab$/);
  await expect(users).toHaveValue("2000");
  await expect(results(page)).toBeHidden();

  await page.goBack();
  await expect(users).toHaveValue("120");
  await expect(names(page)).toHaveText(["Read, check, write", "One script per attempt"]);
  await page.goBack();
  await expect(users).toHaveValue("10000");
  await expect(results(page)).toBeHidden();
  await page.goForward();
  await expect(names(page)).toHaveText(["Read, check, write", "One script per attempt"]);
  expect(await same()).toBe(true);
});

test("a run that is started leaves the form as it is", async ({ page }) => {
  await open(page, "/lab?users=80&stock=10&concurrency=8&repeat=12.5&strategies=script");
  const users = page.getByLabel("Users", { exact: true });
  await expect(page.getByLabel("Repeat rate (%)"), "not rounded").toHaveValue("12.5");
  await users.fill("60");
  const field = await users.elementHandle();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page).toHaveURL(/users=60.*repeat=12\.5.*run=/);
  await expect(page.getByRole("group", { name: "Export" })).toBeVisible();
  await expect(users).toHaveValue("60");
  expect(await field?.evaluate((field) => field.isConnected)).toBe(true);
});

test("what an address says in vain is named", async ({ page, complaints }) => {
  complaints.forgive(/40[04] \((Bad Request|Not Found)\)/);
  const says = (text: string) => expect(page.getByRole("main")).toContainText(text);
  await open(page, "/lab?stock=abc&strategies=script,raffle");
  await says("Ignored because it is not valid: stock=abc, strategies=raffle");
  await expect(page.getByLabel("Stock")).toHaveValue("100");
  await open(page, "/lab?strategies=script,script");
  await says("Ignored because it is not valid: strategies=script,script");
  await page.setViewportSize(PHONE);
  await open(page, `/lab?users=${"9".repeat(3_000)}`);
  await says("Ignored because it is not valid: users=999");
  await fits(page);
  await open(page, "/lab?run=unknown");
  await says("There is no such run, or it is no longer kept.");
  await open(page, "/lab?compare=unknown,neither");
  await says("This link names a run that is no longer kept.");
});

test("what is not to be run is said beside its field", async ({ page, complaints }) => {
  complaints.forgive(/400 \(Bad Request\)/);
  await open(page, "/lab");
  await page.getByText("Advanced settings").click();
  await page.getByLabel("Network delay (ms)").fill("51");
  await page.getByText("Advanced settings").click();
  await expect(page.getByLabel("Network delay (ms)")).toBeHidden();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText("Enter a whole number from 0 to 50."), "the settings are opened for it").toBeVisible();
  await page.getByLabel("Network delay (ms)").fill("0");
  for (const box of await page.getByRole("checkbox", { name: /./ }).all()) if (await box.isVisible()) await box.uncheck();
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText("Choose at least one strategy.")).toBeVisible();
});

const SENTENCES = {
  Oversold: "More was given out than there was.",
  Doubled: "A user got more than one.",
  Lost: "A user was told they won, but no record has it.",
  Undersold: "A user was sent away, but not all was given out.",
};

const ROWS = [
  ["Read, check, write", "read_check_write", "5 scenes of up to 3 attempts", "✗✗✗✓"],
  ["Pipeline", "pipeline", "5 scenes of up to 3 attempts", "✗✗✓✓"],
  ["DECR first, INCR back", "decr_incr", "8 scenes of up to 3 attempts", "✓✓✓✗"],
  ["Lock per user, double check", "user_lock", "5 scenes of up to 3 attempts", "✗✓✓✓"],
  ["SETNX lock", "setnx_lock", "8 scenes of up to 3 attempts", "✓✓✓✓"],
] as const;

test("each cell of the matrix leads to what it says, and a ✓ that has a condition says so", async ({ page }) => {
  await open(page, "/lab");
  const matrix = card(page, "What can go wrong");
  for (const name of [
    /^SETNX lock as long as no holder stalls/,
    /^Lock per user, double check ✓ as long as nobody stalls/,
    /^Lock per user, −2 guard ignored ✓ as long as nobody stalls/,
  ])
    await expect(matrix.getByRole("rowheader", { name })).toBeVisible();
  await matrix.getByText("Sources", { exact: true }).click();
  for (const [name, test_, bound] of ROWS) {
    const source = matrix.getByRole("listitem").filter({ has: page.getByText(name, { exact: true }) });
    await expect(source).toBeVisible();
    await expect(source).toContainText(`tests/lab/matrix.rs, ${test_}`);
    await expect(source).toContainText(bound);
  }
  for (const [name, , , cells] of ROWS) {
    await test.step(name, async () => {
      const found = matrix.getByRole("row").filter({ has: page.getByRole("link", { name, exact: true }) });
      for (const [place, anomaly] of (["Oversold", "Doubled", "Lost", "Undersold"] as const).entries()) {
        const happens = cells[place] === "✗";
        const cell = found.getByRole("link", { name: `${anomaly}: ${happens ? "happens" : "never"}` });
        await expect(cell).toHaveText(cells[place]);
        await cell.click();
        await expect(outcome(page)).toContainText(happens ? SENTENCES[anomaly] : "Nothing went wrong in this order.");
        // One user who comes twice can be given two.
        if (anomaly === "Doubled") await expect(page).toHaveURL(/users=11/);
        await page.goBack();
      }
    });
  }
});

test("a run by the keyboard alone", async ({ page }) => {
  await open(page, SMALL);
  await tabTo(page, page.getByRole("button", { name: "Run", exact: true }));
  await page.keyboard.press("Enter");
  await expect(page.getByRole("group", { name: "Export" })).toBeVisible();
  const lost = page.getByRole("columnheader", { name: "Lost" }).getByRole("button");
  await tabTo(page, lost);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("columnheader", { name: "Lost" }).first()).toHaveAttribute("aria-sort", "descending");
});

test("by the keyboard alone: presets, Stop, export, comparison and matrix", async ({ page }) => {
  const press = async (goal: Locator, key = "Enter") => {
    await tabTo(page, goal, 300);
    await page.keyboard.press(key);
  };
  await open(page, "/lab");
  await press(page.getByRole("link", { name: /^The article's table/ }));
  await expect(page).toHaveURL(/users=10000/);
  await press(page.getByRole("button", { name: "Run", exact: true }));
  await expect(page.getByRole("progressbar")).toBeVisible();
  await press(page.getByRole("button", { name: "Stop" }));
  await expect(page.getByRole("status").filter({ hasText: "Stopped" })).toBeVisible();

  await run(page);
  const download = page.waitForEvent("download");
  await press(page.getByRole("group", { name: "Export" }).getByRole("link", { name: "CSV" }));
  expect((await download).suggestedFilename()).toMatch(/\.csv$/);

  await kept(page);
  const history = card(page, "Earlier runs");
  const rows = history.getByRole("row");
  await press(compare(rows.nth(1)));
  await press(compare(rows.nth(2)));
  await press(page.getByRole("link", { name: "End comparison" }));
  await expect(history.getByRole("heading", { name: "Earlier runs" })).toBeFocused();

  await open(page, "/lab");
  await press(card(page, "What can go wrong").getByRole("link", { name: "Oversold: happens" }).first());
  await expect(outcome(page)).toContainText(SENTENCES.Oversold);
});

test("on a phone, the verdict and what went wrong are in sight, and the names stay", async ({ page }) => {
  await page.setViewportSize(PHONE);
  await run(page);
  const place = card(page, "Results").getByRole("group", { name: "Results" });
  const box = async (locator: Locator) => (await locator.boundingBox())!;
  const { x, width } = await box(place);
  expect(x + width).toBeLessThanOrEqual(PHONE.width);
  for (const name of ["Verdict", "Oversold", "Doubled", "Lost", "Undersold"]) {
    const column = await box(results(page).getByRole("columnheader", { name }));
    expect.soft(Math.floor(column.x + column.width), `right edge of ${name}`).toBeLessThanOrEqual(x + width);
  }
  expect(await place.evaluate((place) => place.scrollWidth - place.clientWidth), "there is more").toBeGreaterThan(0);
  await place.evaluate((place) => place.scrollTo({ left: place.scrollWidth, behavior: "instant" }));
  await expect.poll(async () => Math.round((await box(names(page).first())).x)).toBe(Math.round(x));
  const last = await box(results(page).getByRole("columnheader", { name: "Commands per attempt" }));
  // It is scrolled by whole pixels, and its width is none: to the end, but for less than a pixel.
  expect(last.x + last.width).toBeLessThan(x + width + 1);
});

test("a run in progress, and a mistake in its settings, are clean and fit every screen", async ({ page, complaints }) => {
  complaints.forgive(/400 \(Bad Request\)/);
  await open(page, "/lab?delay_ms=51");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByText("Enter a whole number from 0 to 50.")).toBeVisible();
  await page.getByLabel("Network delay (ms)").fill("50");
  await page.getByLabel("Users", { exact: true }).fill("100000");
  await page.getByLabel("Stock").fill("0");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByLabel("Stock")).toHaveAttribute("aria-invalid", "true");
  await clean(page);
  await fitsEverywhere(page);

  // Longer than axe needs.
  await open(page, "/lab?users=100000&delay_ms=50&strategies=setnx-lock,select-for-update,queue");
  await page.getByRole("button", { name: "Run", exact: true }).click();
  await expect(page.getByRole("progressbar")).toBeVisible();
  await clean(page);
  await fitsEverywhere(page);
  await page.getByRole("button", { name: "Stop" }).click();
  await expect(stopped(page)).toBeVisible();
});

test("an attempt is explained, command by command, and the sale stays as it is", async ({ page, sale, complaints }) => {
  complaints.forgive(/400 \(Bad Request\)/);
  await open(page, sale.path);
  await tab(page, "Script");
  const explain = page.getByRole("region", { name: "Explain an attempt" });
  await explain.getByRole("button", { name: "Explain" }).click();
  await expect(explain).toContainText("Enter a name.");
  await explain.getByLabel("User").fill("ann");
  await explain.getByRole("button", { name: "Explain" }).click();
  const commands = explain.getByRole("row");
  await expect(commands.filter({ hasText: "HMGET claimants ann" })).toContainText("[(nil)]");
  await expect(commands.filter({ hasText: "LPOP pending 1" })).toHaveCount(1);
  await expect(explain).toContainText("The script answered: done [0, ");
  await expect(page.getByRole("meter", { name: "Pending" })).toHaveAttribute("aria-valuetext", /^100 of 100/);

  await test.step("a link names the user", async () => {
    await open(page, `${sale.path}?tab=script&user=ann`);
    await expect(explain).toContainText("The attempt is for one packet");
    await expect(explain.getByLabel("User")).toHaveValue("ann");
    await explain.getByRole("button", { name: "Explain" }).click();
    await expect(commands.filter({ hasText: "HMGET claimants ann" })).toHaveCount(1);
  });
});
