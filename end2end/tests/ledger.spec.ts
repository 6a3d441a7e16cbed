// The history: searched, shared by its address, scrolled through, taken along.

import { type Locator, type Page } from "@playwright/test";
import { expect, open, test, type Sale } from "../fixtures";
import { PHONE, WIDTHS, clean, english, fits } from "../looks";

const history = (sale: Sale) => `/ledger?sale=${encodeURIComponent(sale.id)}`;
const scroller = (page: Page) => page.getByRole("region", { name: "Rows, newest first" });
const found = (page: Page) => page.getByRole("main").getByRole("status");

/** Rows in the document, without the head. */
const rows = (page: Page | Locator) => page.getByRole("rowgroup").last().getByRole("row");

/** Mei and Lan each win a packet of a fresh sale of ten. */
test.describe("a sale with two winners", () => {
  let sale: Sale;

  test.beforeEach(async ({ openSale, post, inLedger }) => {
    sale = await openSale({ count: 10, total_cents: 1_000, splitter: "equal" });
    await post("/api/red-packet/claim", { sale: sale.id, user: "Mei", request_id: "mei-1" });
    await post("/api/red-packet/claim", { sale: sale.id, user: "Lan", request_id: "lan-1" });
    await inLedger(sale, 3);
  });

  test("whatever changed is in its history, newest first", async ({ page }) => {
    await open(page, history(sale));
    await expect(found(page)).toHaveText("3 rows");
    await expect(rows(page)).toHaveCount(3);
    const [lan, mei, opened] = await rows(page).all();
    await expect(lan).toContainText(/Won\s*Lan\s*#2\s*¥1\.00/);
    await expect(lan).toContainText("lan-1");
    await expect(mei).toContainText(/Won\s*Mei\s*#1\s*¥1\.00/);
    await expect(opened).toContainText(/Opened\s*¥10\.00/);
    await expect(lan.getByRole("cell").last()).toHaveText(/^\d+-\d+$/);
    await expect(page.getByRole("navigation").getByRole("link", { name: "Ledger" })).toHaveAttribute("aria-current", "page");
    await mei.getByRole("link", { name: sale.id }).click();
    await expect(page).toHaveURL(sale.path);
  });

  test("a search is in the address, and the way back leads to the one before", async ({ page }) => {
    await open(page, history(sale));
    const user = page.getByLabel("User", { exact: true });
    const outcome = page.getByLabel("Outcome");
    const search = page.getByRole("button", { name: "Search" });
    await expect(page.getByLabel("Sale", { exact: true })).toHaveValue(sale.id);

    await user.fill("Mei");
    await search.click();
    await expect(found(page)).toHaveText("1 row");
    await expect(rows(page)).toContainText(["Mei"]);
    expect(new URL(page.url()).search).toBe(`?sale=${sale.id}&user=Mei`);

    await user.fill("");
    await outcome.selectOption("Opened");
    await search.press("Enter");
    await expect(rows(page)).toContainText(["Opened"]);
    expect(new URL(page.url()).search).toBe(`?sale=${sale.id}&outcome=opened`);

    await page.goBack();
    await expect(rows(page)).toContainText(["Mei"]);
    await expect(user).toHaveValue("Mei");
    await expect(outcome).toHaveValue("");
    await page.goBack();
    await expect(found(page)).toHaveText("3 rows");
    await expect(user).toHaveValue("");

    await page.getByLabel("Request ID").fill("lan-1");
    await page.keyboard.press("Enter");
    await expect(rows(page)).toContainText(["Lan"]);
    await expect(found(page)).toHaveText("1 row");
    await page.reload();
    await expect(rows(page)).toContainText(["Lan"]);
    await expect(page.getByLabel("Request ID")).toHaveValue("lan-1");

    await page.getByLabel("Request ID").fill("nobody's");
    await page.keyboard.press("Enter");
    await expect(page.getByText("No matches.")).toBeVisible();
    await expect(found(page)).toHaveText("0 rows");
  });

  test("rows stand still until the newest are asked for", async ({ page, post, inLedger }) => {
    await open(page, history(sale));
    await post("/api/red-packet/claim", { sale: sale.id, user: "Bo" });
    await inLedger(sale, 4);
    await expect(rows(page)).toHaveCount(3);
    await page.getByRole("link", { name: "Newest" }).click();
    await expect(rows(page)).toHaveCount(4);
    await expect(rows(page).first()).toContainText("Bo");
    // Nothing was loaded anew: this is still the same place in the reader's way.
    expect(new URL(page.url()).search).toBe(`?sale=${sale.id}`);
  });

  test("the rows found can be taken along", async ({ page, request }) => {
    await open(page, `${history(sale)}&outcome=won`);
    const file = async (name: string) => {
      const answer = await request.get((await page.getByRole("link", { name }).getAttribute("href"))!);
      expect(answer.status()).toBe(200);
      return (await answer.text()).trim().split(/\r?\n/);
    };
    const csv = await file("Export as CSV");
    expect(csv).toHaveLength(3);
    expect(csv.join()).toContain("mei-1");
    const jsonl = await file("Export as JSON Lines");
    expect(jsonl.map((line) => JSON.parse(line).user).sort()).toEqual(["Lan", "Mei"]);
  });

  test("a mistake is said beside its field", async ({ page, complaints }) => {
    complaints.forgive(/400 \(Bad Request\)/);
    await open(page, history(sale));
    await page.getByLabel("User", { exact: true }).fill("W".repeat(65));
    await page.getByRole("button", { name: "Search" }).click();
    await expect(page.getByLabel("User", { exact: true })).toHaveAccessibleDescription(/1 to 64 printable bytes/);
    await expect(page.getByRole("alert").filter({ hasText: "could not process" })).toBeVisible();
    await expect(rows(page)).toHaveCount(0);
  });

  test("axe finds nothing, on a desk and on a phone", async ({ page }) => {
    await open(page, history(sale));
    await clean(page);
    await page.setViewportSize(PHONE);
    await clean(page);
  });

  test("in Chinese, nothing is left in English", async ({ visitor }) => {
    const page = await visitor({ locale: "zh-CN" });
    await open(page, history(sale));
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("账本");
    await expect(rows(page)).toContainText([/抢到/, /抢到/, /创建/]);
    expect(await english(page.getByRole("main"), sale.id, "Mei", "Lan", "mei-1", "lan-1")).toEqual([]);
    await page.getByLabel("用户", { exact: true }).fill("Mei");
    await page.getByRole("button", { name: "查询" }).click();
    await expect(found(page)).toHaveText("共 1 条");
  });
});

test("of five thousand rows only those in sight are in the document", async ({ openSale, page, startCrowd, inLedger }) => {
  const sale = await openSale({ count: 5_000, total_cents: 500_000, splitter: "equal" });
  await startCrowd(sale, { users: 5_000 });
  await inLedger(sale, 5_001);
  await open(page, history(sale));
  await expect(found(page)).toHaveText("5,001 rows");
  await expect(page.getByRole("table")).toHaveAttribute("aria-rowcount", "5002");

  await test.step("by keyboard", async () => {
    await scroller(page).focus();
    for (let pages = 0; pages < 4; pages++) await page.keyboard.press("PageDown");
    await expect(rows(page).first()).not.toHaveAttribute("aria-rowindex", "2");
  });
  await test.step("down to the oldest", async () => {
    const toTheEnd = async () => {
      await scroller(page).evaluate((element) => element.scrollTo(0, element.scrollHeight));
      return rows(page).last().textContent();
    };
    await expect.poll(toTheEnd, { intervals: [20], timeout: 30_000 }).toContain("Opened");
    await expect(rows(page).last()).toHaveAttribute("aria-rowindex", "5002");
    await expect(rows(page).last()).toBeInViewport();
    expect(await rows(page).count()).toBeLessThan(200);
  });
  await test.step("and back to the newest", async () => {
    await page.keyboard.press("Home");
    await expect(rows(page).first()).toHaveAttribute("aria-rowindex", "2");
    await expect(rows(page).first()).toContainText("Won");
    expect(await rows(page).count()).toBeLessThan(200);
  });
});

test("nothing sticks out, from a phone to a wall", async ({ openSale, page, post, inLedger }) => {
  const id = `${crypto.randomUUID()}-`.padEnd(64, "W");
  const sale = await openSale({ id, count: 1, total_cents: 1_000_000_000_000 });
  await post("/api/red-packet/claim", { sale: id, user: "W".repeat(64), request_id: "W".repeat(64) });
  await inLedger(sale, 2);
  await open(page, history(sale));
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    await fits(page);
  }
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the form searches, and a link leads to older rows", async ({ openSale, page, startCrowd, inLedger }) => {
    const sale = await openSale({ count: 150, total_cents: 15_000, splitter: "equal" });
    await startCrowd(sale, { users: 150 });
    await inLedger(sale, 151);
    const answer = await page.goto("/ledger");
    expect(answer?.status()).toBe(200);
    await page.getByLabel("Sale", { exact: true }).fill(sale.id);
    await page.getByRole("button", { name: "Search" }).click();
    await expect(found(page)).toHaveText("151 rows");
    await expect(rows(page)).toHaveCount(100);
    await page.getByRole("link", { name: "Older rows" }).click();
    await expect(page).toHaveURL(/after=/);
    await expect(rows(page)).toHaveCount(51);
    await expect(rows(page).last()).toContainText("Opened");
    await expect(page.getByRole("link", { name: "Older rows" })).toHaveCount(0);
    await page.getByRole("link", { name: "Newest" }).click();
    await expect(rows(page)).toHaveCount(100);
  });
});
