// The README's pictures: always the same sale, the same crowd, half way through.

import { join } from "node:path";
import { type Page } from "@playwright/test";
import { expect, open, openLive, tab, test } from "../fixtures";

const docs = join(import.meta.dirname, "../../docs");
const wide = { width: 1440, height: 1016 };
const narrow = { width: 390, height: 844 };

async function picture(page: Page, file: string, colorScheme: "light" | "dark", viewport: { width: number; height: number }) {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  await page.setViewportSize(viewport);
  await page.screenshot({ path: join(docs, file), animations: "disabled" });
}

test("pictures for the README", async ({ openSale, page, post, startCrowd, visitor }) => {
  test.setTimeout(120_000);
  const claim = async (sale: string, user: string) => post("/api/red-packet/claim", { sale, user });

  // For the list: sales in every state.
  const small = await openSale({ id: "office-lunch", count: 8, total_cents: 8_888, seed: 1 });
  for (const user of ["Mei", "Lan", "Bo", "Jun", "Tao", "Hua", "Ning", "Xin"]) await claim(small.id, user);
  const over = await openSale({ id: "lantern-riddles", count: 60, total_cents: 12_000, splitter: "equal", expires_in_s: 2, seed: 2 });
  for (let user = 1; user <= 23; user++) await claim(over.id, `guest-${user}`);
  await openSale({ id: "wedding-guests", count: 188, total_cents: 1_888_800, splitter: "line_cut", seed: 3 });
  await openSale({ id: "million", count: 1_000_000, total_cents: 100_000_000, seed: 4 });
  const sale = await openSale({ id: "spring-festival", count: 1_000, total_cents: 888_800, seed: 7 });

  // Everybody is there before it begins.
  const chinese = await visitor({ locale: "zh-CN", viewport: wide });
  const list = await visitor({ viewport: wide });
  await page.setViewportSize(wide);
  await openLive(page, sale.path);
  await open(chinese, sale.path);
  await open(list, "/");
  for (const [reader, label, name, button] of [
    [page, "Your name", "Mei", "Claim a packet"],
    [chinese, "用户名", "小梅", "抢红包"],
  ] as const) {
    await reader.getByLabel(label).fill(name);
    await reader.getByRole("button", { name: button, exact: true }).click();
    await expect(reader.getByRole("status").filter({ hasText: "¥" })).toBeVisible();
  }

  await tab(page, "Crowd");
  await chinese.getByRole("tab", { name: "模拟抢购" }).click();
  await startCrowd(sale, {
    users: 900,
    concurrency: 100,
    repeat_rate: 0.2,
    arrival: { kind: "ramp", per_s: 80, over_s: 8 },
  });
  const claimed = async () => Number(await page.getByRole("meter", { name: "Claimed" }).getAttribute("aria-valuenow"));
  await expect.poll(claimed, { timeout: 60_000, intervals: [100] }).toBeGreaterThan(450);
  await picture(page, "red-packet-light.png", "light", wide);
  await picture(page, "red-packet-dark.png", "dark", wide);
  await picture(page, "red-packet-narrow.png", "light", narrow);
  await picture(chinese, "red-packet-zh.png", "light", wide);
  await picture(list, "home.png", "light", { width: 1440, height: 900 });

  // When all is over: what the ledger has of it, and whether it holds.
  await expect.poll(claimed, { timeout: 60_000, intervals: [100] }).toBeGreaterThan(880);
  await open(list, "/ledger?sale=spring-festival");
  await picture(list, "ledger.png", "light", { width: 1440, height: 760 });
  await open(list, "/audit");
  await list.getByRole("button", { name: "Audit these" }).click();
  await expect(list.getByText("Holds", { exact: true }).filter({ visible: true }).nth(4)).toBeVisible({ timeout: 60_000 });
  await list.getByText("Invariants", { exact: true }).first().click();
  await picture(list, "audit.png", "dark", { width: 1440, height: 760 });
});
