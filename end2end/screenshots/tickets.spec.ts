// The README's pictures of a stadium: half sold, at three distances, in either theme.

import { join } from "node:path";
import { expect, openLive, test } from "../fixtures";

const docs = join(import.meta.dirname, "../../docs");

test("pictures of a stadium", async ({ openTickets, page, post, visitor }) => {
  test.setTimeout(180_000);
  const sale = await openTickets({ id: "cup-final", hall: "stadium" });
  const categories = ["cat1", "cat2", "cat3", "cat4", "cat5", "cat6"];
  for (let round = 0; round < 60; round++) {
    await Promise.all(
      Array.from({ length: 60 }, async (_, number) => {
        const user = round * 60 + number;
        const pick = [{ category: categories[user % 6], count: 1 + (user % 6), adjacent: true }];
        const { order } = await post<{ order?: string }>("/api/ticket/reserve", { sale: sale.id, user: `fan-${user}`, pick });
        if (order && user % 4) await post("/api/ticket/pay", { sale: sale.id, order });
      }),
    );
  }
  await page.setViewportSize({ width: 1440, height: 1016 });
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await openLive(page, sale.path);
  const map = page.getByRole("application", { name: "Seat map" });
  const picture = (file: string) => page.screenshot({ path: join(docs, file), animations: "disabled" });
  const box = (await map.boundingBox())!;
  await picture("tickets-light.png");

  await page.emulateMedia({ colorScheme: "dark" });
  await map.click({ position: { x: box.width / 2, y: box.height * 0.8 } });
  await map.hover({ position: { x: box.width / 2, y: box.height / 2 } });
  await picture("tickets-dark.png");

  await page.emulateMedia({ colorScheme: "light" });
  await page.mouse.wheel(0, -400);
  await page.mouse.wheel(0, -400);
  const way = page.getByRole("region", { name: "By section and row" });
  await way.getByLabel("Row", { exact: true }).selectOption({ index: 14 });
  for (const seat of [9, 10, 11]) await way.getByRole("button", { name: new RegExp(`^Row 15, seat ${seat},`) }).click();
  await way.getByRole("button", { name: "Show on the map" }).click();
  await page.evaluate(() => scrollTo(0, 0));
  await picture("tickets-near.png");

  const phone = await visitor({ viewport: { width: 390, height: 844 } });
  await openLive(phone, sale.path);
  await expect(phone.locator("canvas.seats[data-event-id]")).toBeAttached();
  await phone.screenshot({ path: join(docs, "tickets-narrow.png"), animations: "disabled" });
});
