// The README's pictures of a stadium: half sold, at three distances, in either theme.

import { join } from "node:path";
import { expect, openLive, tab, test } from "../fixtures";

const docs = join(import.meta.dirname, "../../docs");

test("pictures of a stadium", async ({ openTickets, page, post, visitor }) => {
  test.setTimeout(180_000);
  const sale = await openTickets({ id: "cup-final", hall: "stadium" });
  // A crowd of 75 seconds: it is still buying when the last picture is taken.
  const crowd = { users: 30_000, concurrency: 200, repeat_rate: 0.1, arrival: { kind: "constant", per_s: 400 }, seed: 7 };
  const habits = { choosers: 0.5, groups: [2, 5, 2, 3, 1, 1], adjacent: 0.9, hot: 0.1, pay: 0.7, cancel: 0.1 };
  const { run } = await post<{ run: string }>("/api/crowd/start", { kind: "ticket", sale: sale.id, ...crowd, ...habits });
  const sold = async () => {
    const snapshot = await post<{ sold: Record<string, number> }>("/api/ticket/snapshot", { sale: sale.id });
    return Object.values(snapshot.sold).reduce((all, some) => all + some);
  };
  await expect.poll(sold, { timeout: 120_000 }).toBeGreaterThan(14_000);
  await page.setViewportSize({ width: 1440, height: 1016 });
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await openLive(page, `${sale.path}?tab=crowd`);
  const map = page.getByRole("application", { name: "Seat map" });
  const picture = (file: string) => page.screenshot({ path: join(docs, file), animations: "disabled" });
  const box = (await map.boundingBox())!;
  await expect(page.getByRole("region", { name: "Sections in demand" }).getByRole("listitem")).toHaveCount(5);
  await picture("tickets-light.png");

  await tab(page, "Take part");
  await page.emulateMedia({ colorScheme: "dark" });
  await map.click({ position: { x: box.width / 2, y: box.height * 0.84 } });
  await map.hover({ position: { x: box.width / 2, y: box.height / 2 } });
  await picture("tickets-dark.png");

  await page.emulateMedia({ colorScheme: "light" });
  await page.mouse.wheel(0, -400);
  await page.mouse.wheel(0, -400);
  const way = page.getByRole("region", { name: "By section and row" });
  await way.getByLabel("Section", { exact: true }).selectOption({ index: 100 });
  await way.getByLabel("Row", { exact: true }).selectOption({ index: 14 });
  // Whichever are free: others take some meanwhile.
  for (let chosen = 0; chosen < 3; chosen++) await way.getByRole("button", { name: /free/, pressed: false }).first().click();
  await way.getByRole("button", { name: "Show on map" }).click();
  await page.evaluate(() => scrollTo(0, 0));
  await picture("tickets-near.png");

  const phone = await visitor({ viewport: { width: 390, height: 844 } });
  await openLive(phone, sale.path);
  await expect(phone.locator("canvas.seats[data-event-id]")).toBeAttached();
  await phone.screenshot({ path: join(docs, "tickets-narrow.png"), animations: "disabled" });
  await post("/api/crowd/stop", { run });
});
