// The list of a server with many sales: a table that is sorted, filtered and added up, and on which several sales are
// closed and archived at once.

import { type APIRequestContext, type Page } from "@playwright/test";
import { expect, open, post, test, type Own } from "../fixtures";
import { expectLeft, listed } from "../list";
import { clean, english, fits, fitsEverywhere } from "../looks";

const table = (page: Page) => page.getByRole("table", { name: "Your sales" });
const rows = (page: Page) => table(page).locator("tbody").getByRole("row");
const title = (page: Page, name: string) => table(page).getByRole("columnheader", { name, exact: true });
const sums = (page: Page) => table(page).locator("tfoot");

/** Starts a server with so many sales of stock, `shoes-01` with 10 units, `shoes-02` with 20 and so on. */
async function withSales(own: Own, request: APIRequestContext, number: number): Promise<string> {
  const { url } = await own.serve();
  for (let nth = 1; nth <= number; nth++) {
    await post(request, `${url}/api/stock/open`, { id: `shoes-${String(nth).padStart(2, "0")}`, quantity: 10 * nth });
  }
  return url;
}

test("a dozen sales are cards, and more are a table that a press on a title sorts", async ({ own, page, request, visitor }) => {
  const url = await withSales(own, request, 12);
  await open(page, `${url}/`);
  await expect(page.getByRole("region", { name: "Your sales" }).getByRole("listitem")).toHaveCount(12);
  await expect(table(page)).toHaveCount(0);
  await post(request, `${url}/api/stock/open`, { id: "shoes-13", quantity: 130 });
  await post(request, `${url}/api/stock/deduct`, { sale: "shoes-01", user: "Mei", quantity: 10, request_id: "mei-1" });
  await expect(rows(page)).toHaveCount(13);
  await expect(rows(page).last(), "nothing is left there").toContainText("shoes-01");
  await expect(sums(page)).toContainText("13 sales, 12 live");
  for (const sum of ["910", "900", "10"]) await expect(sums(page).getByRole("cell", { name: sum, exact: true })).toHaveCount(1);

  await expect(title(page, "Opened")).toHaveAttribute("aria-sort", "descending");
  await title(page, "Left").getByRole("link").click();
  await expect(page).toHaveURL(`${url}/?sort=-left`);
  await expect(title(page, "Left")).toHaveAttribute("aria-sort", "descending");
  await expect(title(page, "Opened")).not.toHaveAttribute("aria-sort");
  await expect(rows(page).first()).toContainText("shoes-13");
  await title(page, "Left").getByRole("link").press("Enter");
  await expect(page).toHaveURL(`${url}/?sort=left`);
  await expect(rows(page).first()).toContainText("shoes-02");
  await expect(rows(page).last(), "live ones come first in any order").toContainText("shoes-01");
  await expectLeft(listed(page, "shoes-02"), "20 of 20 left");

  // A filter keeps the order, and few matches are no reason for cards.
  await page.getByLabel("ID or title contains").fill("OES-1");
  await expect(page).toHaveURL(`${url}/?id=OES-1&sort=left`);
  await expect(rows(page)).toHaveText([/shoes-10/, /shoes-11/, /shoes-12/, /shoes-13/]);
  await expect(sums(page)).toContainText("4 sales, 4 live");
  await page.getByRole("search").getByLabel("State").selectOption("sold_out");
  await expect(page.getByText("No matches.")).toBeVisible();

  const plain = await visitor({ javaScriptEnabled: false });
  await plain.goto(`${url}/`);
  await title(plain, "Left").getByRole("link").click();
  await expect(rows(plain).first()).toContainText("shoes-13");
  await plain.getByLabel("ID or title contains").fill("shoes-02");
  await plain.getByRole("button", { name: "Filter" }).click();
  await expect(rows(plain)).toHaveText([/shoes-02/]);
  await expect(title(plain, "Left"), "the form keeps the order").toHaveAttribute("aria-sort", "descending");
});

test("the table fits on any screen, in both languages", async ({ own, page, request, visitor }) => {
  const url = await withSales(own, request, 13);
  const { sale } = await post<{ sale: string }>(request, `${url}/api/stock/open`, { quantity: 5 });
  await open(page, `${url}/`);
  const link = listed(page, sale).getByRole("link", { name: sale });
  await expect(link).toHaveAttribute("title", sale);
  // The last four characters are seen; all of it is copied.
  await expect(link).toHaveText(new RegExp(`${sale}$`));
  await expect(link.locator(".id-rest")).toHaveText(sale.slice(0, -4));
  await expect(link.locator(".id-rest")).toHaveCSS("font-size", "0px");
  await fitsEverywhere(page);
  await page.setViewportSize({ width: 360, height: 780 });
  await fits(page);
  await listed(page, sale).getByRole("button", { name: `More about ${sale}` }).click();
  await expect(listed(page, sale).getByRole("link", { name: "History" })).toBeVisible();
  await clean(page);
  await page.keyboard.press("Escape");
  await expect(listed(page, sale).getByRole("link", { name: "History" })).toBeHidden();

  const chinese = await visitor({ locale: "zh-CN" });
  await open(chinese, `${url}/`);
  await chinese.getByRole("row", { name: "shoes-07" }).getByRole("checkbox").check();
  expect(await english(chinese.getByRole("region", { name: "你的活动" }), "shoes", sale, ...sale.split("-"))).toEqual([]);
});

test("several sales are closed and archived at once, and each says what became of it", async ({ own, page, request, complaints }) => {
  complaints.forgive(/409 \(Conflict\)/);
  const url = await withSales(own, request, 13);
  await post(request, `${url}/api/ticket/open`, { id: "play", hall: "theatre" });
  await post(request, `${url}/api/ticket/reserve`, { sale: "play", user: "Mei", pick: [{ category: "stalls", count: 1 }] });
  await open(page, `${url}/`);
  const several = page.getByRole("group", { name: "Selected sales" });
  await expect(several).toBeHidden();
  const all = page.getByRole("checkbox", { name: "Select all shown" });
  await all.check();
  await expect(several).toContainText("14 selected");
  await several.getByRole("button", { name: "Select none" }).click();
  await expect(several).toBeHidden();
  for (const id of ["shoes-03", "shoes-04", "play"]) await page.getByRole("checkbox", { name: `Select ${id}` }).press("Space");
  await expect(all).toBeChecked({ indeterminate: true });
  await several.getByRole("button", { name: "Close sales" }).click();
  await expect(several).toContainText("Close 3 sales?");
  const word = several.getByRole("textbox", { name: "1 held in 1 of them. To close them, type close" });
  const yes = several.getByRole("button", { name: "Yes, close them" });
  await expect(word, "somebody may still pay").toBeFocused();
  await expect(yes).toBeDisabled();
  await page.keyboard.press("Escape");
  await expect(several.getByRole("button", { name: "Close sales" })).toBeFocused();
  await clean(page);
  await several.getByRole("button", { name: "Close sales" }).click();
  await word.fill("close");
  await yes.click();
  await expect(page.getByText("3 sales closed.")).toBeVisible();
  await expect(several, "none is selected any more").toBeHidden();
  for (const id of ["shoes-03", "shoes-04", "play"]) await expect(rows(page).filter({ hasText: id })).toContainText("Closed");

  // The ledger has all of them, and one still has an order that is not settled.
  const lag = async () => {
    const { sales } = await post<{ sales: { lag_events: number }[] }>(request, `${url}/api/sales`, { state: "closed" });
    return sales.map(({ lag_events }) => lag_events);
  };
  await expect.poll(lag).toEqual([0, 0, 0]);
  for (const id of ["shoes-03", "shoes-04", "shoes-05", "play"]) await page.getByRole("checkbox", { name: `Select ${id}` }).check();
  await several.getByRole("button", { name: "Archive sales" }).click();
  await expect(several).toContainText("Archive 3 sales?");
  await expect(several).toContainText("1 more is not closed and stays as it is.");
  await several.getByRole("button", { name: "Yes, archive them" }).click();
  await expect(page.getByText("2 sales archived, 1 failed.")).toBeVisible();
  const results = page.locator(".bulk-result").getByRole("listitem");
  await expect(results).toHaveText([/^play\s.*something in it is still pending/s, /^shoes-0[34] Archived$/, /^shoes-0[34] Archived$/]);
  await expect(several, "what failed stays selected, and what was left alone").toContainText("2 selected");
  await expect(rows(page), "as few as they are, they stay in the table").toHaveCount(12);
  await clean(page);
  await page.getByRole("button", { name: "Dismiss" }).click();
  await expect(results).toHaveCount(0);
});

test("a sale is opened like another one, from its row and from its page", async ({ own, page, request, complaints }) => {
  complaints.forgive(/404 \(Not Found\)/);
  const url = await withSales(own, request, 13);
  await post(request, `${url}/api/stock/open`, { id: "boots", quantity: 77, low_mark: 5 });
  const title = { en: "Gifts for all" };
  const plan = { opens_in_s: 600, title, currency: "JPY" };
  await post(request, `${url}/api/red-packet/open`, { id: "gifts", total_cents: 123_456, count: 33, splitter: "equal", expires_in_s: 5_400, ...plan });
  await post(request, `${url}/api/ticket/open`, { id: "final", hall: "arena", limit_per_user: 3, ends_in_s: 7_200 });
  await open(page, `${url}/`);
  const forms = page.getByRole("region", { name: "Open a sale" });
  const field = (label: string) => forms.getByLabel(label, { exact: true });
  await expect(listed(page, "gifts")).toContainText(/Gifts for all gifts.*Scheduled.*Opens in 00:/s);

  // What was typed before gives way.
  await forms.getByRole("button", { name: "Stock" }).click();
  await field("Quantity").fill("5");
  await listed(page, "boots").getByRole("button", { name: "More about boots" }).click();
  await listed(page, "boots").getByRole("link", { name: "Open like this one" }).click();
  await expect(field("Quantity")).toHaveValue("77");
  await expect(page, "the address asks for nothing more").toHaveURL(`${url}/`);
  await expect(forms.getByRole("heading", { name: "Open a sale" })).toBeFocused();
  await expect(field("ID")).toHaveValue("");
  await page.reload();
  await expect(field("Quantity")).toHaveValue("77");

  await open(page, `${url}/red-packets/gifts`);
  await page.locator(".more > summary").click();
  await page.getByRole("link", { name: "Open like this one" }).click();
  await expect(field("Packets")).toHaveValue("33");
  await expect(field("Total amount")).toHaveValue("123,456");
  await expect(field("Currency")).toHaveValue("JPY");
  await expect(field("Title in English"), "it is not sent unseen").toBeVisible();
  await expect(field("Title in English")).toHaveValue("Gifts for all");
  await expect(field("Opens"), "it is open at once").toHaveValue("");
  await expect(field("Expires after (hours)")).toHaveValue("1");
  await expect(field("Minutes")).toHaveValue("30");
  await expect(field("Split")).toHaveValue("equal");
  await forms.getByRole("button", { name: "Open sale" }).click();
  await expect(page).toHaveURL(/\/red-packets\/[0-9a-f-]{36}$/);

  await open(page, `${url}/?like=ticket:final`);
  await expect(field("Hall")).toHaveValue("arena");
  await expect(forms.getByRole("form", { name: "Open a ticket sale" })).toBeVisible();
  await expect(field("Ends")).toHaveValue("2 h");
  await open(page, `${url}/?like=stock:nothing`);
  await expect(forms.getByRole("alert").filter({ hasText: /\S/ })).toBeVisible();
});
