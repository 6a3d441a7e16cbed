// What a page keeps of a crowd that goes on for five minutes.

import { type CDPSession } from "@playwright/test";
import { expect, openLive, strip, test } from "../fixtures";
import { DESK } from "../looks";

const USERS_PER_S = 500;
const MINUTES = 5;

type Use = { used: number; outside: number; nodes: number };

/** What is left after everything that nobody needs was thrown away. */
async function use(page: CDPSession): Promise<Use> {
  await page.send("HeapProfiler.collectGarbage");
  const { usedSize, embedderHeapUsedSize, backingStorageSize } = (await page.send("Runtime.getHeapUsage")) as Record<string, number>;
  const { nodes } = await page.send("Memory.getDOMCounters");
  return { used: usedSize, outside: embedderHeapUsedSize + backingStorageSize, nodes };
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
  const minutes: Use[] = [];
  for (let minute = 1; minute <= MINUTES; minute++) {
    const made = (users * minute) / MINUTES;
    await expect.poll(async () => (await status()).answered, { timeout: 90_000, intervals: [500] }).toBeGreaterThanOrEqual(made);
    minutes.push(await use(chromium));
  }
  console.log(minutes.map(({ used, outside, nodes }, minute) => `after ${minute + 1} min: heap ${MB(used)}, beside it ${MB(outside)}, ${nodes} nodes`).join("\n"));
  const [first, last] = [minutes[0], minutes[MINUTES - 1]];
  expect.soft(last.used / first.used, "the heap, to that after a minute").toBeLessThan(1.25);
  expect.soft(last.outside / first.outside, "what lies beside it, to that after a minute").toBeLessThan(1.25);
  expect.soft(last.nodes / first.nodes, "nodes, to those after a minute").toBeLessThan(1.25);
});
