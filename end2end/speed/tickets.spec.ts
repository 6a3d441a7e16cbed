// The seat map of a stadium while five thousand seats a second change, resting and in motion.

import { setTimeout as pause } from "node:timers/promises";
import { type Page } from "@playwright/test";
import { expect, openLive, test } from "../fixtures";
import { DESK } from "../looks";
import { at, spread, trace } from "../measures";

const SEATS_PER_S = 5_400;
const SEATS_AN_ORDER = 6;
const SECONDS = 8;

test.describe(`under ${SEATS_PER_S} seats a second`, () => {
  test.describe.configure({ mode: "serial", timeout: 120_000 });

  test("the map keeps up, at rest and in motion", async ({ browser, openTickets, page, post }) => {
    await page.setViewportSize(DESK);
    const sale = await openTickets({ hall: "stadium" });
    await openLive(page, sale.path);
    const seats = page.locator("canvas.seats");
    await expect(seats).toHaveAttribute("data-first-ms");
    const first = Number(await seats.getAttribute("data-first-ms"));

    const stop = await trace(browser);
    const frames = record(page);
    await post("/api/ticket/snapshot", { sale: sale.id });
    const canvas = page.getByRole("application", { name: "Seat map" });
    const box = (await canvas.boundingBox())!;
    const move = async () => {
      await pause((SECONDS / 2) * 1_000);
      await page.mouse.move(box.x + box.width / 2, box.y + box.height * 0.8);
      for (let step = 0; step < 40; step++) {
        await page.mouse.wheel(0, step < 20 ? -120 : 120);
        await pause(50);
      }
    };
    // Everybody wants as many as one may have, and holds them.
    const users = (SEATS_PER_S * SECONDS) / SEATS_AN_ORDER;
    const load = async () => {
      const arrival = { kind: "constant", per_s: SEATS_PER_S / SEATS_AN_ORDER };
      const habits = { choosers: 0, groups: [0, 0, 0, 0, 0, 1], adjacent: 0, hot: 0, pay: 0, cancel: 0, repeat_rate: 0 };
      const crowd = { kind: "ticket", sale: sale.id, users, concurrency: 200, arrival, ...habits };
      const { run } = await post<{ run: string }>("/api/crowd/start", crowd);
      const look = () => post<{ phase: string; mean_per_s: number; outcomes: { held: number } }>("/api/crowd/status", { run });
      await expect.poll(async () => (await look()).phase, { timeout: 60_000 }).toBe("done");
      return look();
    };
    const [{ mean_per_s, outcomes }] = await Promise.all([load(), move()]);
    const { worked } = await stop();
    const drawn = await frames.then((measured) => measured());
    const rate = mean_per_s * SEATS_AN_ORDER;
    const changed = async () => (await seats.getAttribute("data-event-id")) === (await page.getByRole("main").getAttribute("data-event-id"));
    await expect.poll(changed).toBe(true);

    console.log(
      [
        `seats a second:          ${rate.toFixed(0)}`,
        `first drawn after:       ${first} ms`,
        `frame to frame:          ${spread(drawn)}`,
        `a task at work:          ${spread(worked)}`,
      ].join("\n"),
    );
    expect(outcomes.held, "orders").toBe(users);
    expect(rate, "the load").toBeGreaterThan(0.8 * SEATS_PER_S);
    expect.soft(first, "from the data to the first picture").toBeLessThan(100);
    expect.soft(at(drawn, 0.95), "frame to frame, p95").toBeLessThan(34);
    expect.soft(at(worked, 1), "the longest task").toBeLessThan(50);
  });
});

/** Begins to measure frames; the answer gives the milliseconds between them. */
async function record(page: Page): Promise<() => Promise<number[]>> {
  await page.evaluate(() => {
    const frames: number[] = [];
    Object.assign(window, { frames });
    let last = performance.now();
    const frame = (now: number) => {
      frames.push(now - last);
      last = now;
      requestAnimationFrame(frame);
    };
    requestAnimationFrame(frame);
  });
  return () => page.evaluate(() => (window as unknown as { frames: number[] }).frames);
}
