// What is wrong with a form: all of it is said at once, beside each field.

import { type Locator, type Page } from "@playwright/test";
import { expect, open, openLive, tab, test } from "../fixtures";
import { PHONE, clean, fits } from "../looks";

const NUMBER = "Enter a whole number from 1 to 1,000,000.";

const invalid = (field: Locator, is = true) => expect(field).toHaveAttribute("aria-invalid", String(is));
/** The message with this sentence. */
const message = (form: Locator, sentence: string | RegExp) => form.locator(".wrong").filter({ hasText: sentence });

/** The paths that the page asks for from now on. */
function asked(page: Page): string[] {
  const paths: string[] = [];
  page.on("request", (request) => paths.push(new URL(request.url()).pathname));
  return paths;
}

test("all that is wrong with a red packet sale is said, as wide as the row, until it is corrected", async ({ page }) => {
  await open(page, "/");
  const form = page.getByRole("form", { name: "Open a red packet sale" });
  const [packets, total, hours] = ["Packets", "Total amount", "Expires after (hours)"].map((label) => form.getByLabel(label));
  const paths = asked(page);
  await expect(total).toHaveAccessibleDescription("At least 0.01 per packet");
  await packets.fill("abc");
  await total.fill("-5");
  await form.getByRole("button", { name: "Open sale" }).click();
  await invalid(packets);
  await invalid(total);
  await invalid(hours, false);
  await expect(packets).toBeFocused();
  await expect(packets).toHaveAccessibleDescription(NUMBER);
  await expect(total, "the error stands in for the hint").toHaveAccessibleDescription(/^Enter an amount/);
  await expect(form.getByText("At least 0.01 per packet", { exact: true })).toBeHidden();
  await expect(form.getByText("2 fields need a correction.")).toHaveCount(1);

  await test.step("the messages are below the row, and leave the fields where they are", async () => {
    const row = (await form.boundingBox())!;
    const [left, right] = [(await packets.boundingBox())!, (await total.boundingBox())!];
    expect(right.y, "beside each other").toBe(left.y);
    for (const sentence of [NUMBER, /Enter an amount/]) {
      const box = (await message(form, sentence).boundingBox())!;
      expect(box.width).toBeCloseTo(row.width, 0);
      expect(box.y).toBeGreaterThanOrEqual(left.y + left.height);
      expect(box.height, "at most two lines").toBeLessThan(40);
    }
    await expect(message(form, NUMBER), "it names its field").toHaveText(`Packets ${NUMBER}`);
  });

  await test.step("an error goes when its field is right, or the one that it follows from", async () => {
    await packets.fill("5");
    await invalid(packets, false);
    await expect(form.getByText("1 field needs a correction.")).toHaveCount(1);
    await total.fill("0.01");
    await invalid(total);
    await packets.fill("1");
    await invalid(total, false);
    await expect(form.getByText("At least 0.01 per packet")).toBeVisible();
  });

  await test.step("a changed field is checked when the reader goes on to the next", async () => {
    await packets.fill("0");
    await invalid(packets, false);
    await packets.press("Tab");
    await expect(total).toBeFocused();
    await invalid(packets);
    await invalid(total, false);
  });
  expect(paths, "the browser has found it all").not.toContain("/api/red-packet/open");
});

test("all that is wrong with a ticket sale is said", async ({ page }) => {
  await open(page, "/");
  await page.getByRole("region", { name: "Open a sale" }).getByRole("button", { name: "Tickets" }).click();
  const form = page.getByRole("form", { name: "Open a ticket sale" });
  const prices = form.getByRole("group", { name: "Seat prices" });
  const [price, limit, time] = [prices.getByRole("textbox").first(), form.getByLabel("Limit per person"), form.getByLabel("Time to pay (s)")];
  await price.fill("abc");
  await limit.fill("0");
  await time.fill("99999");
  await form.getByRole("button", { name: "Open sale" }).click();
  for (const field of [price, limit, time]) await invalid(field);
  await expect(price).toBeFocused();
  await expect(price).toHaveAccessibleDescription(/^Enter an amount/);
  await expect(limit).toHaveAccessibleDescription("Enter a whole number from 1 to 1,000.");
  await expect(time).toHaveAccessibleDescription(/1 to 7,200\.$/);
  await expect(form.getByText("3 fields need a correction.")).toHaveCount(1);
  expect((await message(prices, /Enter an amount/).boundingBox())!.width).toBeCloseTo((await prices.boundingBox())!.width, 0);
  await clean(page);
  await page.setViewportSize(PHONE);
  await fits(page);
});

test("all that is wrong with a crowd is said", async ({ page, openTickets }) => {
  const sale = await openTickets();
  await openLive(page, sale.path);
  await tab(page, "Crowd");
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  await panel.getByText("All settings").click();
  const wrong = { Users: "many", Concurrency: "0", "Pay (%)": "80", "Cancel (%)": "30", "Largest group": "7" };
  const field = (label: string) => panel.getByLabel(label, { exact: true });
  for (const [label, text] of Object.entries(wrong)) await field(label).fill(text);
  const refused = page.getByRole("alert").filter({ hasText: "No crowd was started" });
  await invalid(field("Users"));
  await expect(refused, "nobody has tried to").toHaveCount(0);
  await panel.getByRole("button", { name: "Let a crowd loose" }).click();
  for (const label of ["Users", "Concurrency", "Cancel (%)", "Largest group"]) await invalid(field(label));
  await invalid(field("Pay (%)"), false);
  await expect(field("Users")).toBeFocused();
  await expect(refused).toHaveCount(1);
  // Its values replace what is wrong.
  await panel.getByRole("radio", { name: "Everyone at once" }).check();
  for (const label of ["Users", "Concurrency", "Cancel (%)"]) await invalid(field(label), false);
  await expect(refused).toHaveCount(0);
});

test("what the server finds out stays until its field is changed", async ({ page, sale, complaints }) => {
  complaints.forgive(/409 \(Conflict\)/);
  await open(page, "/");
  const form = page.getByRole("form", { name: "Open a red packet sale" });
  const [id, packets] = [form.getByLabel("ID"), form.getByLabel("Packets")];
  await id.fill(sale.id);
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(id).toHaveAccessibleDescription(/Another sale already has this ID/);
  await packets.fill("20");
  await invalid(id);
  await id.fill("");
  await invalid(id, false);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("all that is wrong with an attempt is said", async ({ page, post, complaints }) => {
    complaints.forgive(/400 \(Bad Request\)/);
    const { sale } = await post<{ sale: string }>("/api/stock/open", { quantity: 10 });
    await page.goto(`/stock/${sale}`);
    const mine = page.getByRole("region", { name: "Try it yourself" });
    const [name, quantity] = [mine.getByLabel("Your name"), mine.getByLabel("How many")];
    for (const [typed, says] of [["", "Enter a name."], ["W".repeat(65), "Up to 64 visible characters (21 in Chinese)."]]) {
      await name.fill(typed);
      await quantity.fill("many");
      await mine.getByRole("button", { name: "Deduct" }).click();
      await invalid(name);
      await invalid(quantity);
      await expect(name).toHaveAccessibleDescription(says);
      await expect(quantity).toHaveAccessibleDescription(/1,000,000/);
    }
  });

  test("all that cannot be searched for is said", async ({ page, complaints }) => {
    complaints.forgive(/400 \(Bad Request\)/);
    await page.goto(`/ledger?user=${"W".repeat(65)}&from=2026-02-02T00:00&to=2026-02-01T00:00&outcome=Won`);
    for (const label of ["User", "To", "Outcome"]) await invalid(page.getByLabel(label, { exact: true }));
    await invalid(page.getByLabel("From", { exact: true }), false);
  });
});
