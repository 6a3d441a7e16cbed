// What a page keeps of a crowd that goes on for five minutes.

import { type CDPSession } from "@playwright/test";
import { expect, openLive, strip, test } from "../fixtures";
import { DESK } from "../looks";

const USERS_PER_S = 500;
const MINUTES = 5;
/** How often the page is looked at each minute: what a single look finds depends on the mood of the garbage collector. */
const LOOKS_A_MINUTE = 4;
/** How many times as much the page may keep in the second half of the time after the first minute, in which it fills. */
const GROWTH = 1.25;

type Use = { used: number; outside: number; nodes: number };

/** What is left after everything that nobody needs was thrown away. */
async function use(page: CDPSession): Promise<Use> {
  await page.send("HeapProfiler.collectGarbage");
  const { usedSize, embedderHeapUsedSize, backingStorageSize } = (await page.send("Runtime.getHeapUsage")) as Record<string, number>;
  const { nodes } = await page.send("Memory.getDOMCounters");
  return { used: usedSize, outside: embedderHeapUsedSize + backingStorageSize, nodes };
}

/** The least of some looks: what the page surely needs, without what the garbage collector had left for later. */
function least(looks: Use[]): Use {
  const of = (figure: (use: Use) => number) => Math.min(...looks.map(figure));
  return { used: of(({ used }) => used), outside: of(({ outside }) => outside), nodes: of(({ nodes }) => nodes) };
}

const MB = (bytes: number) => `${(bytes / 1_000_000).toFixed(2)} MB`;

test(`what a page keeps of ${MINUTES} minutes of crowd`, async ({ openSale, page, startCrowd }) => {
  test.setTimeout((MINUTES + 2) * 60_000);
  await page.setViewportSize(DESK);
  const sale = await openSale({ count: 100_000, total_cents: 100_000_000 });
  await openLive(page, `${sale.path}?tab=crowd`);
  const chromium = await page.context().newCDPSession(page);
  const users = USERS_PER_S * 60 * MINUTES;
  const status = await startCrowd(sale, { users, arrival: { kind: "constant", per_s: USERS_PER_S } });
  await expect(strip(page).getByText("Running", { exact: true })).toBeVisible();
  const looks: Use[] = [];
  for (let look = 1; look <= MINUTES * LOOKS_A_MINUTE; look++) {
    const made = (users * look) / (MINUTES * LOOKS_A_MINUTE);
    await expect.poll(async () => (await status()).answered, { timeout: 90_000, intervals: [500] }).toBeGreaterThanOrEqual(made);
    looks.push(await use(chromium));
  }
  const minutes = Array.from({ length: MINUTES }, (_, minute) => least(looks.slice(minute * LOOKS_A_MINUTE, (minute + 1) * LOOKS_A_MINUTE)));
  console.log(`the least of ${LOOKS_A_MINUTE} looks`);
  console.log(minutes.map(({ used, outside, nodes }, minute) => `in minute ${minute + 1}: heap ${MB(used)}, beside it ${MB(outside)}, ${nodes} nodes`).join("\n"));
  const filled = looks.slice(LOOKS_A_MINUTE);
  const [early, late] = [least(filled.slice(0, filled.length / 2)), least(filled.slice(filled.length / 2))];
  expect.soft(late.used / early.used, "the heap, to that of the first half").toBeLessThan(GROWTH);
  expect.soft(late.outside / early.outside, "what lies beside it, to that of the first half").toBeLessThan(GROWTH);
  expect.soft(late.nodes / early.nodes, "nodes, to those of the first half").toBeLessThan(GROWTH);
});
