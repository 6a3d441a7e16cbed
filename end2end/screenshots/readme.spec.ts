// The README's pictures, always of the same sale and the same crowd.

import { join } from "node:path";
import { expect, test } from "../fixtures";

const docs = join(import.meta.dirname, "../../docs");
const wide = { width: 1440, height: 1000 };
const narrow = { width: 390, height: 844 };

const pictures = [
  { file: "red-packet-light.png", page: "sale", colorScheme: "light", viewport: wide },
  { file: "red-packet-dark.png", page: "sale", colorScheme: "dark", viewport: wide },
  { file: "red-packet-narrow.png", page: "sale", colorScheme: "light", viewport: narrow },
  { file: "home.png", page: "home", colorScheme: "light", viewport: wide },
] as const;

test("pictures for the README", async ({ openSale, page, post }) => {
  test.setTimeout(120_000);
  const sale = await openSale({ id: "spring-festival", total_cents: 100_000, count: 1000, seed: 7 });
  // Fewer users than packets, so that both queues can be seen.
  const { run } = await post<{ run: string }>("/api/crowd/start", {
    sale: sale.id,
    users: 700,
    concurrency: 100,
    repeat_rate: 0.2,
    arrival: { kind: "constant", per_s: 200 },
    seed: 7,
  });
  const phase = async () => (await post<{ phase: string }>("/api/crowd/status", { run })).phase;
  await expect.poll(phase, { timeout: 60_000 }).toBe("done");

  for (const { file, page: shown, colorScheme, viewport } of pictures) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.setViewportSize(viewport);
    await page.goto(shown === "sale" ? sale.path : "/");
    // Nothing that needs the browser side is switched on before it has taken over.
    await expect(page.getByRole("main").getByRole("button", { disabled: false }).first()).toBeEnabled();
    await page.screenshot({ path: join(docs, file), animations: "disabled" });
  }
});
