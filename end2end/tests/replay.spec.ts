// The replay of a run: what it gave away, from the ledger, played at any speed.

import { readFile } from "node:fs/promises";
import type { Locator, Page } from "@playwright/test";
import { type Run, type Sale, definition, expect, open, openLive, test } from "../fixtures";
import { clean, english, fits, fitsEverywhere } from "../looks";

type Replay = { items: number; names: string[]; transfers: { users: number[]; quantities: number[] }; is_recorded: boolean };

const SCALE = /^[\d.]+ (ms|s), shown (in 8 s: (1\/[\d.,]+ of its speed|[\d.,]+ times its speed)|at its own speed)$/;

const runs = (page: Page) => page.getByRole("region", { name: "Runs", exact: true });
const replayLink = (page: Page) => runs(page).getByRole("link", { name: /^Replay / }).first();
const outcome = (page: Page) => page.locator(".replay-outcome");
const scale = (page: Page) => page.locator(".replay-scale");
const scrubber = (page: Page) => page.getByRole("slider", { name: "Time" });
const squares = (page: Page) => page.getByRole("img", { name: /^Squares that fill as items are given away: / });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const given = (page: Page) => definition(page.getByRole("main"), /^Given away$/);
const left = (page: Page) => definition(page.getByRole("main"), /^Left$/);
/** What is on the canvas. */
const drawn = (canvas: Locator) => canvas.evaluate((canvas: HTMLCanvasElement) => canvas.toDataURL());

/** Waits until a run is verified, and the ledger has so many rows of its sale. */
async function recorded(ask: () => Promise<Run>, rows: () => Promise<void>): Promise<void> {
  await expect.poll(async () => (await ask()).verdict).toBe("holds");
  await rows();
}

/** Opens the replay of the latest run at a sale at its end, as readers see it who want no motion. */
async function openStill(page: Page, sale: Sale): Promise<string> {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openLive(page, sale.path);
  const address = (await replayLink(page).getAttribute("href"))!;
  await open(page, address);
  await expect(button(page, "Play again")).toBeEnabled();
  return address;
}

test("a run plays by itself in 8 seconds, from the list of runs, and says so", async ({ page, sale, startCrowd, inLedger, post }) => {
  // Opened, and won a hundred times.
  await recorded(await startCrowd(sale, { users: 300 }), () => inLedger(sale, 101));
  await openLive(page, sale.path);
  await replayLink(page).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Replay");
  await expect(button(page, "Pause")).toBeVisible();
  await expect(scale(page)).toHaveText(SCALE);
  await expect(outcome(page)).toHaveText(/^300 attempts were made in [\d.]+ m?s, and 100 items were given away\.$/);
  await expect(given(page)).toHaveText("100");
  await expect(left(page)).toHaveText("0");
  await expect(definition(page.getByRole("main"), /^Finished$/)).toHaveText("300");
  await expect(definition(page.getByRole("main"), /^Won$/)).toHaveText("100");
  await expect(definition(page.getByRole("main"), /^Sold out$/)).toHaveText("200");

  const run = new URL(page.url()).searchParams.get("run");
  const { items, names, transfers, is_recorded } = await post<Replay>("/api/crowd/replay", { run });
  expect({ items, is_recorded }).toEqual({ items: 100, is_recorded: true });
  expect(new Set(names).size).toBe(100);
  expect(new Set(transfers.users).size).toBe(100);
  expect(transfers.quantities).toEqual(Array(100).fill(1));
  await expect(page.getByText(`Latest: `)).toContainText(` to u${transfers.users[99]}-`);
  await clean(page);
});

test("keys pause and play, the scrubber goes back and forth, and the address keeps time and speed", async ({ page, sale, startCrowd, inLedger }) => {
  await recorded(await startCrowd(sale, { users: 300 }), () => inLedger(sale, 101));
  await openStill(page, sale);
  await expect(given(page)).toHaveText("100");
  const full = await drawn(squares(page));
  await scrubber(page).focus();
  await page.keyboard.press("Home");
  await expect(given(page)).toHaveText("0");
  await expect(left(page)).toHaveText("100");
  await expect(outcome(page)).toBeEmpty();
  const empty = await drawn(squares(page));
  expect(empty).not.toBe(full);
  await page.keyboard.press("End");
  await expect(given(page)).toHaveText("100");
  expect(await drawn(squares(page))).toBe(full);

  await page.keyboard.press("Home");
  await page.keyboard.press("Space");
  await expect(button(page, "Pause")).toBeVisible();
  await expect(given(page)).not.toHaveText("0");
  await page.keyboard.press("Space");
  await expect(button(page, "Play")).toBeVisible();
  // Not that of the start, where it stood before.
  await expect(page).toHaveURL(/[?&]at=(?!0(&|$))[\d.]+/);
  const stands = await scrubber(page).inputValue();
  await page.reload();
  await expect(scrubber(page)).toHaveValue(stands);
  await expect(button(page, "Play")).toBeVisible();

  await page.getByLabel("Speed").selectOption("1/100 of its speed");
  await expect(page).toHaveURL(/speed=1%2F100/);
  await expect(scale(page)).toHaveText(/, shown in [\d.]+ (ms|s|min): 1\/100 of its speed$/);
  await page.getByLabel("Speed").selectOption("Its own speed");
  await expect(scale(page)).toHaveText(/, shown at its own speed$/);
  await button(page, "Play again").click();
  await expect(outcome(page)).not.toBeEmpty();
  await expect(page).not.toHaveURL(/[?&]at=/);
});

test("without JavaScript, the page says what it lacks, and not that it is loading", async ({ visitor, page, sale, startCrowd, inLedger }) => {
  await recorded(await startCrowd(sale, { users: 3 }), () => inLedger(sale, 4));
  const address = await openStill(page, sale);
  const plain = await visitor({ javaScriptEnabled: false });
  await plain.goto(address);
  const sentence = plain.locator("main noscript");
  await expect(sentence).toBeVisible();
  expect(await sentence.innerText()).toContain("The playback needs JavaScript");
  await expect(plain.getByText("The replay is loading…")).toBeHidden();
});

test("a run that found nothing left says so", async ({ page, sale, startCrowd, inLedger }) => {
  await recorded(await startCrowd(sale, { users: 300 }), () => inLedger(sale, 101));
  await recorded(await startCrowd(sale, { users: 20 }), async () => {});
  await page.emulateMedia({ reducedMotion: "reduce" });
  await openLive(page, sale.path);
  await expect(runs(page).getByRole("link", { name: /^Replay / })).toHaveCount(2);
  await replayLink(page).click();
  await expect(page.getByText("This run gave nothing away.")).toBeVisible();
  await expect(outcome(page)).toHaveText(/^20 attempts were made in [\d.]+ m?s, and 0 items were given away\.$/);
  await expect(left(page)).toHaveText("0");
});

test("the result is saved as a picture, of a replay and of a duel", async ({ page, sale, startCrowd, inLedger }) => {
  await recorded(await startCrowd(sale, { users: 300 }), () => inLedger(sale, 101));
  const saved = async () => {
    const started = page.waitForEvent("download");
    await button(page, "Result as a picture").click();
    const download = await started;
    const file = await readFile(await download.path());
    expect(file.subarray(1, 4).toString()).toBe("PNG");
    expect([file.readUInt32BE(16), file.readUInt32BE(20)]).toEqual([1_200, 630]);
    return download.suggestedFilename();
  };
  await openStill(page, sale);
  expect(await saved()).toMatch(/-red-packets-run-\d{4}-\d\d-\d\d\.png$/);
  await open(page, "/duel");
  await expect(button(page, "Play again")).toBeEnabled();
  expect(await saved()).toBe("duel-read-check-write-7.png");
});

test("seats that are cancelled come back, on a phone and for a room", async ({ page, openTickets, post }) => {
  const sale = await openTickets();
  const orders = { users: 100, concurrency: 20, repeat_rate: 0, arrival: "burst", seed: 7, pay: 0, cancel: 1 };
  const { run } = await post<{ run: string }>("/api/crowd/start", { kind: "ticket", sale: sale.id, ...orders });
  await expect.poll(async () => (await post<Run>("/api/crowd/status", { run })).verdict).toBe("holds");
  const kept = async () => (await post<{ runs: object[] }>("/api/crowd/runs", { kind: "ticket", sale: sale.id })).runs.length;
  await expect.poll(kept).toBe(1);
  await expect.poll(async () => (await post<Replay>("/api/crowd/replay", { run })).is_recorded).toBe(true);
  const { transfers } = await post<Replay>("/api/crowd/replay", { run });
  const count = (is: (quantity: number) => boolean) => transfers.quantities.filter(is).length;
  expect(count((quantity) => quantity > 0)).toBeGreaterThan(0);
  expect(count((quantity) => quantity > 0)).toBe(count((quantity) => quantity < 0));
  await page.setViewportSize({ width: 360, height: 780 });
  await page.emulateMedia({ reducedMotion: "reduce" });
  await open(page, `/replay?run=${run}`);
  await expect(given(page)).toHaveText(count((quantity) => quantity > 0).toLocaleString("en-US"));
  await expect(definition(page.getByRole("main"), /^Came back$/)).toHaveText(count((quantity) => quantity < 0).toLocaleString("en-US"));
  await fits(page);
  await fitsEverywhere(page);
  await page.goto(`/replay?run=${run}&present=1`);
  await expect(given(page)).not.toHaveText("0");
  await fits(page);
});

test("in Chinese, and of no run", async ({ page, context, baseURL, sale, startCrowd, inLedger, complaints }) => {
  await recorded(await startCrowd(sale, { users: 300 }), () => inLedger(sale, 101));
  const address = await openStill(page, sale);
  await context.addCookies([{ name: "lang", value: "zh-CN", url: baseURL }]);
  await open(page, address);
  await expect(outcome(page)).toHaveText(/^[\d.]+ (毫秒|秒)内完成了 300 次请求，发放了 100 份。$/);
  expect(await english(page.getByRole("main"), sale.id)).toEqual([]);
  complaints.forgive(/404 \(Not Found\)/);
  expect((await page.goto("/replay?run=nope"))?.status()).toBe(404);
});
