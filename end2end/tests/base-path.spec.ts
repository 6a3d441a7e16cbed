// A server under a path: its pages work there, and ask for nothing beside it.

import { type Page } from "@playwright/test";
import { expect, open, openLive, post, tab, test as base, type Own } from "../fixtures";
import { kinds, openSaleOf } from "../kinds";

const PATH = "/sale";

/** A server below the path, with a sale of each kind. */
type Below = { url: string; sales: { id: string; path: string }[]; call: <Answer>(path: string, body: object) => Promise<Answer> };

const test = base.extend<{ below: Below; asked: { beside: string[]; documents: string[] } }>({
  below: async ({ own, request }: { own: Own; request: Parameters<typeof post>[0] }, use) => {
    const { url } = await own.serve(["--base-path", PATH]);
    const call = <Answer,>(path: string, body: object) => post<Answer>(request, `${url}${path}`, body);
    const sales = [];
    for (const kind of kinds) sales.push(await openSaleOf(kind, call));
    await use({ url, sales, call });
  },

  // What the page asks for: what is not below the path, and documents.
  asked: [
    async ({ page, below }, use) => {
      const asked = { beside: [] as string[], documents: [] as string[] };
      page.on("request", (request) => {
        const url = request.url();
        if (url.startsWith("http") && !url.startsWith(`${below.url}/`)) asked.beside.push(url);
        if (request.isNavigationRequest()) asked.documents.push(url);
      });
      await use(asked);
      expect(asked.beside, "requests beside the path").toEqual([]);
    },
    { auto: true },
  ],
});

const link = (page: Page, name: string) => page.getByRole("navigation", { name: "Main" }).getByRole("link", { name, exact: true });
const mine = (page: Page) => page.getByRole("region", { name: "Try it yourself" });

test("every page loads below the path, and links to nothing beside it", async ({ page, below, asked }) => {
  const pages = ["/", "/?kind=ticket", "/ledger", "/audit", "/lab", "/lab/step", "/lab/faults", "/learn", "/learn/write", "/duel", "/api"];
  for (const path of [...pages, ...below.sales.map((sale) => sale.path)]) {
    await test.step(path, async () => {
      await open(page, `${below.url}${path}`);
      await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
      const links = await page.getByRole("link").evaluateAll((all) => all.map((link) => (link as HTMLAnchorElement).href).filter(Boolean));
      expect(links.filter((link) => !link.startsWith(`${below.url}/`))).toEqual([]);
      expect(links.length).toBeGreaterThan(6);
    });
  }
  expect(asked.documents.length).toBe(pages.length + below.sales.length);
});

test("pages lead to each other without loading a document, back and forth", async ({ page, below, asked }) => {
  const [sale] = below.sales;
  await open(page, `${below.url}/`);
  asked.documents.length = 0;
  const way: [path: string, go: () => Promise<void>][] = [
    [sale.path, () => page.getByRole("link", { name: sale.id }).click()],
    ["/ledger", () => link(page, "Ledger").click()],
    [`/ledger?sale=${sale.id}`, () => page.getByLabel("Sale", { exact: true }).fill(sale.id).then(() => page.keyboard.press("Enter"))],
    ["/audit", () => link(page, "Audit").click()],
    ["/lab", () => link(page, "Lab").click()],
    ["/learn", () => link(page, "Learn").click()],
    ["/api", () => link(page, "API").click()],
    ["/", () => link(page, "Sales").click()],
    ["/?kind=ticket", async () => void (await page.getByRole("search").getByLabel("Kind").selectOption("ticket"))],
    ["/", () => page.getByRole("link", { name: "Clear filter" }).click()],
  ];
  for (const [path, go] of way) {
    await go();
    await expect(page).toHaveURL(`${below.url}${path}`);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  }
  for (const [path] of way.slice(0, -1).reverse()) {
    await page.goBack();
    await expect(page).toHaveURL(`${below.url}${path}`);
  }
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  expect(asked.documents, "documents that were loaded").toEqual([]);
});

test("a claim is made, and the live view shows another", async ({ page, below }) => {
  const [{ id, path }] = below.sales;
  await openLive(page, `${below.url}${path}`);
  await mine(page).getByLabel("Your name").fill("Mei");
  await mine(page).getByRole("button", { name: "Claim a packet" }).click();
  await expect(mine(page).getByRole("status")).toHaveText(/is yours: packet #1\./);
  await below.call("/api/red-packet/claim", { sale: id, user: "Lan" });
  await expect(page.getByRole("meter", { name: "Claimed" })).toHaveAttribute("aria-valuenow", "2");
  await tab(page, "Attempts");
  await expect(page).toHaveURL(`${below.url}${path}?tab=attempts`);
});

test("a sale is opened by its form, and has its page", async ({ page, below }) => {
  await open(page, `${below.url}/`);
  const form = page.getByRole("form", { name: "Open a red packet sale" });
  await form.getByLabel("Packets").fill("10");
  await form.getByLabel("Total amount").fill("10");
  await form.getByLabel("ID").fill("new");
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(page).toHaveURL(`${below.url}/red-packets/new`);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
});

test("what a reader has chosen is kept for the path", async ({ page, context, below }) => {
  await open(page, `${below.url}/`);
  await page.getByRole("button", { name: "中文" }).click();
  await expect(page.getByRole("document")).toHaveAttribute("lang", "zh-CN");
  const paths = (await context.cookies(`${below.url}/`)).map((cookie) => cookie.path);
  expect(paths.length).toBeGreaterThan(0);
  expect(new Set(paths)).toEqual(new Set([PATH]));
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a packet is claimed by a form that the browser sends", async ({ page, below }) => {
    await page.goto(`${below.url}${below.sales[0].path}`);
    await mine(page).getByLabel("Your name").fill("Mei");
    await mine(page).getByRole("button", { name: "Claim a packet" }).click();
    await expect(mine(page).locator(".answers")).toHaveText(/is yours: packet #1\./);
    await link(page, "Ledger").click();
    await expect(page).toHaveURL(`${below.url}/ledger`);
  });
});
