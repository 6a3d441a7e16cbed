// Accessibility of pages at work: screen readers, keyboard, small screens, dark mode.

import { type Locator, type Page } from "@playwright/test";
import { expect, open, openLive, post, tab, test } from "../fixtures";
import { clean, fitsEverywhere } from "../looks";

/** Goes on by the Tab key until `goal` has the focus. */
async function tabTo(page: Page, goal: Locator): Promise<void> {
  await expect(goal).toBeEnabled();
  const arrived = () => goal.evaluate((element) => element === document.activeElement);
  for (let steps = 0; steps < 80; steps++) {
    if (await arrived()) return;
    await page.keyboard.press("Tab");
  }
  await expect(goal, "reached by the Tab key").toBeFocused();
}

test("a sale after a crowd, with everything unfolded and a mistake in a form, is clean and fits every screen", async ({ page, openSale, startCrowd, complaints }) => {
  complaints.forgive(/400 \(Bad Request\)/);
  // The longest id and name, and large figures.
  const id = `${crypto.randomUUID()}-`.padEnd(64, "W");
  const sale = await openSale({ id, count: 1_000, total_cents: 1_000_000_000_000, splitter: "line_cut" });
  await openLive(page, sale.path);
  await page.getByLabel("Your name").fill("W".repeat(64));
  await page.getByRole("button", { name: "Claim a packet" }).click();
  await expect(page.getByText(/is yours: packet #1\./)).toBeVisible();
  await startCrowd(sale, { users: 1_500, repeat_rate: 0.3, seed: 18_446_744_073 });
  await expect(page.locator(".verdict-banner").getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  await fitsEverywhere(page);
  await tab(page, "Crowd");
  await page.getByText("All settings").click();
  await page.getByLabel("Users", { exact: true }).fill("0");
  await page.getByRole("tabpanel").getByRole("button", { name: "Crowd on a fresh sale" }).click();
  await expect(page.getByLabel("Users", { exact: true })).toHaveAttribute("aria-invalid", "true");
  for (const table of await page.getByText("View as table").filter({ visible: true }).all()) await table.click();
  await fitsEverywhere(page);
  await clean(page);
});

test("the first page, as it is read aloud", async ({ own, page, request }) => {
  const { url } = await own.serve();
  const sale = await post<{ sale: string }>(request, `${url}/api/red-packet/open`, { total_cents: 10_000, count: 100, splitter: "equal" });
  await open(page, `${url}/`);
  await expect(page.getByRole("banner")).toMatchAriaSnapshot(`
    - banner:
      - /children: equal
      - link "Stampede":
        - /url: /
      - navigation "Main":
        - /children: equal
        - link "Sales"
        - link "Ledger"
        - link "Audit"
        - link "Lab"
        - link "Learn"
        - link "API"
      - button /Health/
      - button /Needs attention/
      - button "Find"
      - button "UTC" [disabled]
      - button "中文"
      - button "Single-key shortcuts" [pressed]
      - group "Theme":
        - /children: equal
        - button "System" [pressed]
        - button "Light"
        - button "Dark"
  `);
  await expect(page.getByRole("main")).toMatchAriaSnapshot(`
    - main:
      - heading "Every item sold exactly once" [level=1]
      - paragraph
      - region "Your sales":
        - heading "Your sales" [level=2]
        - list
      - region "Open a sale":
        - heading "Open a sale" [level=2]
        - group "Kind":
          - /children: equal
          - button "Red packets" [pressed]
          - button "Tickets"
          - button "Coupons"
          - button "Stock"
        - form "Open a red packet sale":
          - textbox "Packets"
          - textbox "Total amount"
          - combobox "Split"
          - textbox "Expires after (hours)"
          - textbox "Minutes"
          - textbox "Seed"
          - textbox "ID"
          - button "Open sale"
  `);
  await expect(page.getByRole("listitem").filter({ hasText: sale.sale })).toMatchAriaSnapshot(`
    - listitem:
      - link /\\w+ \\w+ ${sale.sale}/
      - text: Open
      - meter "Left"
      - text: /100 of 100 left Red packets ¥100\\.00 of ¥100\\.00/
  `);
});

test("a sale, as it is read aloud", async ({ page, openSale, post }) => {
  const sale = await openSale({ count: 4, total_cents: 400, splitter: "equal" });
  await post("/api/red-packet/claim", { sale: sale.id, user: "Mei" });
  await openLive(page, sale.path);
  await expect(page.getByRole("main")).toMatchAriaSnapshot(`
    - main:
      - heading /\\w+ \\w+ Red packets/ [level=1]
      - text: ${sale.id}
      - button "Copy ID"
      - status: Live
      - group: More
      - region "At a glance":
        - term: Left
        - definition: 3 of 4 75.0%
        - term: Attempts/s
        - term:
          - button "p99"
        - term:
          - button "Ledger lag"
        - progressbar "Crowd progress"
        - button "Let a crowd loose"
        - button "Again" [disabled]
        - button "Duplicate sale"
      - region "Queues":
        - heading "Queues" [level=2]
        - heading /Pending/ [level=3]
        - meter "Pending"
        - heading /Claimed/ [level=3]
        - meter "Claimed"
      - tablist "Parts of the page":
        - tab "Take part" [selected]
        - tab "Crowd"
        - tab "Attempts"
        - tab "Audit"
        - tab "Script"
      - tabpanel "Take part":
        - region "Try it yourself":
          - heading "Try it yourself" [level=2]
          - textbox "Your name"
          - button "Claim a packet"
      - region "Figures":
        - heading "Figures" [level=2]
        - term: Total
        - definition: ¥4.00
        - term: Remaining
        - definition: ¥3.00
      - region "Amounts claimed":
        - heading "Amounts claimed" [level=2]
      - region "Terms":
        - heading "Terms" [level=2]
        - term: Split
        - definition: Equal
      - region "Ledger":
        - heading "Ledger" [level=2]
  `);
  await expect(page.getByRole("meter", { name: "Pending" })).toHaveAttribute("aria-valuetext", "3 of 4, ¥3.00");
});

test("everything can be done by keyboard", async ({ page, sale }) => {
  await openLive(page, sale.path);
  await test.step("past the bar", async () => {
    await page.keyboard.press("Tab");
    await expect(page.getByRole("link", { name: "Skip to content" })).toBeFocused();
    await expect(page.getByRole("link", { name: "Skip to content" })).toBeInViewport();
    await page.keyboard.press("Enter");
    await expect(page.getByRole("main")).toBeFocused();
  });
  await test.step("a claim", async () => {
    await tabTo(page, page.getByRole("button", { name: "Claim a packet" }));
    await page.keyboard.press("Enter");
    await expect(page.getByText(/is yours: packet #1\./)).toBeVisible();
    // The button keeps the focus.
    await page.keyboard.press("Enter");
    await expect(page.getByText(/You already have packet #1/)).toBeVisible();
  });
  await test.step("a crowd", async () => {
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Shift+Tab");
    await expect(page.getByRole("tab", { name: "Take part" })).toBeFocused();
    await page.keyboard.press("ArrowRight");
    await expect(page.getByRole("tab", { name: "Crowd" })).toBeFocused();
    await expect(page).toHaveURL(/\?tab=crowd$/);
    await tabTo(page, page.getByRole("radio", { name: "Gentle ramp" }));
    await page.keyboard.press("ArrowDown");
    await expect(page.getByRole("radio", { name: "Everyone at once" })).toBeChecked();
    await tabTo(page, page.getByText("All settings"));
    await page.keyboard.press("Enter");
    await tabTo(page, page.getByLabel("Users", { exact: true }));
    await page.keyboard.press("Control+A");
    await page.keyboard.type("50");
    await tabTo(page, page.getByRole("tabpanel").getByRole("button", { name: "Let a crowd loose" }));
    await page.keyboard.press("Space");
    await expect(page.locator(".verdict-banner").getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  });
  await test.step("the feed", async () => {
    await tabTo(page, page.getByRole("tab", { name: "Crowd" }));
    await page.keyboard.press("ArrowRight");
    const rows = page.getByRole("region", { name: "Newest attempts" }).getByRole("row");
    await expect(rows.filter({ hasText: "Won" }).first()).toBeVisible();
    const won = page.getByRole("group", { name: "Show" }).getByRole("button", { name: "Won" });
    await tabTo(page, won);
    await page.keyboard.press("Space");
    await expect(won).toHaveAttribute("aria-pressed", "false");
    await expect(rows.filter({ hasText: "Won" })).toHaveCount(0);
    await tabTo(page, page.getByRole("searchbox", { name: "Filter by user" }));
    await page.keyboard.type("nobody");
    await expect(page.getByText("No attempts to show.")).toBeVisible();
    await tabTo(page, page.getByRole("region", { name: "Newest attempts" }));
  });
});
