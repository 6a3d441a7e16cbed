// The preview of a layout: what is drawn, counted and found wrong before a sale is opened; and seats that are not for sale.

import { expect, open, openLive, test } from "../fixtures";
import { clean, fitsEverywhere } from "../looks";

const layout = (gap: number) => `{
  "categories": ["near", "far"],
  "sections": [
    { "id": "A", "category": "near", "rows": [
      { "name": "K", "seats": 6, "step": 2, "gaps": [${gap}], "aisles": [7] },
      4
    ] },
    { "id": "B", "category": "far", "rows": [3] }
  ],
  "marks": [
    { "mark": "blocked", "seats": ["A-K-01"] },
    { "mark": "wheelchair", "seats": ["b-01-03"], "note": "Lift at door 2" }
  ]
}`;

test("a layout is drawn, its seats are counted, and its mistakes have lines that one can go to", async ({ page }) => {
  await open(page, "/tickets/preview");
  const field = page.getByLabel("Layout (JSON or CSV)");
  const status = page.getByRole("status").filter({ hasText: /mistake|layout/ });
  await expect(status).toHaveText("No layout yet.");
  await field.fill(layout(4).replace('"far", "rows"', '"fra", "rows"'));
  await expect(status).toHaveText("2 mistakes");
  const mistakes = page.getByRole("region", { name: "Mistakes" });
  await expect(mistakes.getByRole("listitem")).toHaveText([/^Line 5 .*gaps.* names 4/, /^Line 8 .*category.* is "fra"/]);
  await mistakes.getByRole("button", { name: "Line 8" }).click();
  await expect(field).toBeFocused();
  expect(await field.evaluate((area: HTMLTextAreaElement) => area.value.slice(area.selectionStart, area.selectionEnd))).toContain('"fra"');

  await field.fill(layout(5));
  await expect(status).toHaveText("No mistakes. Seats: 12");
  const totals = page.getByRole("region", { name: "Seats by category" });
  await expect(totals.getByRole("row", { name: /^near/ })).toHaveText(/near\s*9\s*8\s*1\s*0\s*0/);
  await expect(page.getByRole("application", { name: "Seat map" })).toBeVisible();
  const list = page.getByRole("region", { name: "By section and row" });
  await expect(list.getByRole("button", { name: /^Row K, seat 1, not for sale/ })).toBeVisible();
  await expect(list.getByRole("button", { name: /^Row K, seat 5/ })).toHaveCount(0);
  await fitsEverywhere(page);
  await clean(page);
});

test("a file is read, and a sale is opened with its layout", async ({ page }) => {
  await open(page, "/tickets/preview");
  const csv = "section,category,row,seats,seat,mark\nA,near,K,6,,\nA,,K,,1,blocked\n";
  await page.getByLabel("Or choose a file").setInputFiles({ name: "hall.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  await expect(page.getByText("No mistakes. Seats: 6")).toBeVisible();
  await page.getByRole("link", { name: "Open a sale with this layout" }).click();
  const form = page.getByRole("form", { name: "Open a ticket sale" });
  await expect(form.getByLabel("Hall")).toHaveValue("own");
  await form.getByLabel("near").fill("12");
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(page).toHaveURL(/\/tickets\//);
  await expect(page.getByRole("meter", { name: "near" })).toHaveAttribute("aria-valuetext", "5 of 5 free, 0 held, 0 sold, 1 not for sale");
});

test("an operator blocks the selected seats, sees why, and takes it back", async ({ inLedger, openTickets, page }) => {
  const sale = await openTickets();
  await openLive(page, sale.path);
  const list = page.getByRole("region", { name: "By section and row" });
  const seat = (number: number) => list.getByRole("button", { name: new RegExp(`^Row 1, seat ${number},`) });
  await seat(3).click();
  await seat(4).click();
  const form = page.getByRole("form", { name: "Block seats" });
  await expect(form.getByLabel("Seats")).toHaveValue("S-01-03, S-01-04");
  await form.getByLabel("Reason").fill("Camera");
  await form.getByRole("button", { name: "Block", exact: true }).click();
  const result = page.getByRole("region", { name: "Block seats" }).getByRole("status");
  await expect(result).toHaveText("No longer for sale: S-01-03, S-01-04.");
  await expect(seat(3)).toHaveAccessibleName(/not for sale/);

  // The ledger has the reason, and the seat's card has it from there.
  await inLedger(sale, 3);
  await page.goto(`/ledger?sale=${sale.id}&outcome=blocked`);
  await page.getByRole("rowgroup").last().getByRole("row").first().getByRole("cell").last().getByRole("link").click();
  const details = page.getByRole("region", { name: "Row details" });
  await expect(details.getByRole("definition").filter({ hasText: "Camera" })).toBeVisible();

  await openLive(page, sale.path);
  await seat(3).click();
  await list.getByRole("button", { name: "Show on map" }).click();
  await expect(page.locator(".seat-card")).toContainText("Camera");
  await form.getByLabel("Seats").fill("s-01-03 s-01-05");
  await form.getByRole("button", { name: "Unblock" }).click();
  await expect(result).toHaveText("Nothing was changed, because these seats are not blocked: S-01-05 (free).");
  await form.getByLabel("Seats").fill("s-01-03 s-01-04");
  await form.getByRole("button", { name: "Unblock" }).click();
  await expect(result).toHaveText("For sale again: S-01-03, S-01-04.");
  await expect(seat(3)).toHaveAccessibleName(/free/);
  await form.getByLabel("Seats").fill("");
  await form.getByRole("button", { name: "Block", exact: true }).click();
  await expect(form.getByLabel("Seats")).toHaveAccessibleDescription(/Enter 1 to 500 seats/);
  await clean(page);
});

test("seats that are blocked while the sale runs are so in every window", async ({ openTickets, page, post }) => {
  const sale = await openTickets();
  await openLive(page, sale.path);
  const seat = page.getByRole("region", { name: "By section and row" }).getByRole("button", { name: /^Row 1, seat 3,/ });
  await seat.click();
  await post("/api/ticket/block", { sale: sale.id, seats: ["s-01-03"], reason: "Camera" });
  await expect(seat).toHaveAccessibleName(/not for sale/);
  await expect(page.getByText("S-01-03 is no longer for sale. Choose another."), "it is not selected any more").toBeVisible();
  await expect(page.getByRole("meter", { name: "stalls" })).toHaveAttribute("aria-valuetext", "342 of 342 free, 0 held, 0 sold, 1 not for sale");
  await post("/api/ticket/unblock", { sale: sale.id, seats: ["S-01-03"] });
  await expect(seat).toHaveAccessibleName(/free/);
});
