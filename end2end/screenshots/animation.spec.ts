// The README's moving picture: a stadium sells out, from the first click to the verdict.

import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import sharp from "sharp";
import { expect, openLive, strip, test } from "../fixtures";

const WIDTH = 800;
const EVERY_MS = 400;

test("a stadium sells out", async ({ openTickets, page }) => {
  test.setTimeout(180_000);
  const sale = await openTickets({ id: "opening-night", hall: "stadium" });
  await page.setViewportSize({ width: 1440, height: 900 });
  await openLive(page, `${sale.path}?tab=crowd`);
  const frames: Buffer[] = [];
  const take = async () => frames.push(await sharp(await page.screenshot()).resize(WIDTH).png().toBuffer());
  await take();
  await strip(page).getByRole("button", { name: "Let a crowd loose" }).click();
  const verdict = page.locator(".verdict-banner");
  while (!(await verdict.isVisible())) {
    await take();
    await pause(EVERY_MS);
  }
  await expect(verdict.getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  for (let rest = 0; rest < 4; rest++) await take();
  const moving = sharp(frames, { join: { animated: true } });
  const { size } = await moving.webp({ loop: 0, delay: frames.map((_, at) => (at < frames.length - 1 ? EVERY_MS / 2 : 3_000)), quality: 55 }).toFile(join(import.meta.dirname, "../../docs/stadium.webp"));
  expect(size, "bytes").toBeLessThan(3_000_000);
});
