// Every page as the server sends it, with no program at work: axe finds nothing, nothing sticks out from a phone to a wall,
// and in Chinese nothing is left in English. What only a page at work has is looked at where it comes about.

import { type Locator, type Page } from "@playwright/test";
import { expect, postToLab, test as base } from "../fixtures";
import { kinds, openSaleOf } from "../kinds";
import { listed } from "../list";
import { DARK_PHONE, LIGHT_DESK, clean, english, fitsEverywhere } from "../looks";

/** The longest that ids and names may be. */
const LONG = "W".repeat(64);
const longId = () => `${crypto.randomUUID()}-`.padEnd(64, "W");

/** What programs call things in the lab, in any language. */
const CALLED = ["SETNX", "DECR", "INCR", "WATCH", "MULTI", "EXEC", "SELECT", "FOR", "UPDATE", "WHERE", "remaining", "DEL", "Lua", "SQLite", "SQL"];

/** Unfolds what is folded around some elements: what is in it counts, too. */
const unfold = (page: Page, around: string) =>
  page.locator(`details${around}`).evaluateAll((all) => all.forEach((details) => details.setAttribute("open", "")));

/** Takes elements out of the page. */
const remove = (page: Page, what: string) => page.locator(what).evaluateAll((all) => all.forEach((element) => element.remove()));

/** How to look at pages. */
type Look = {
  /** What is no word of any language, such as ids. */
  names?: string[];
  /** What has to be in Chinese: all of the page, where nothing else is said. */
  parts?: (page: Page) => Locator[];
  /** In which size and theme axe looks at which language. */
  looks?: Partial<typeof LOOKS>;
  /** What axe need not look at: it is hidden, or like what remains. For each element, axe takes a millisecond or two. */
  without?: string;
};

const LOOKS = { en: LIGHT_DESK, "zh-CN": DARK_PHONE };

const test = base.extend<{
  /** Looks at pages in both languages. */
  look: (paths: string[], look?: Look) => Promise<void>;
}>({
  look: async ({ page, context, baseURL, complaints }, use) => {
    // Not without JavaScript, which axe needs: with a program that does nothing.
    complaints.forgive(/\.wasm was preloaded using link preload but not used/);
    const [script, program] = ["export default async () => {}; export const hydrate = () => {};", Buffer.of(0, 97, 115, 109, 1, 0, 0, 0)];
    await page.route(/\/pkg\/[^/]*\.js$/, (route) => route.fulfill({ contentType: "text/javascript", body: script }));
    await page.route(/\/pkg\/[^/]*\.wasm$/, (route) => route.fulfill({ contentType: "application/wasm", body: program }));
    await use(async (paths, { names = [], parts = (page: Page) => [page.getByRole("main")], looks = LOOKS, without = ":not(*)" } = {}) => {
      for (const [lang, size] of Object.entries(looks)) {
        await context.addCookies([{ name: "lang", value: lang, url: baseURL }]);
        for (const path of paths) {
          await test.step(`${path} in ${lang}`, async () => {
            await page.goto(path);
            await expect(page.getByRole("document")).toHaveAttribute("lang", lang);
            // All tabs of a sale at once: the panels of those that are not chosen are in the page, too.
            await page.getByRole("tabpanel", { includeHidden: true }).evaluateAll((all) => all.forEach((panel) => panel.removeAttribute("hidden")));
            await unfold(page, ":has(input, select)");
            if (lang === "zh-CN") for (const part of parts(page)) expect.soft(await english(part, ...names), path).toEqual([]);
            await unfold(page, "");
            // One line of a script is like another.
            await remove(page, "pre.code .line:nth-child(n + 80)");
            await fitsEverywhere(page);
            // What waits for the program is off until then, and axe does not look at it.
            await page.locator(":disabled").evaluateAll((all) => all.forEach((element) => element.removeAttribute("disabled")));
            await remove(page, without);
            await clean(page, [size]);
          });
        }
      }
    });
  },
});

for (const kind of kinds) {
  test(`a sale after attempts that were granted and refused, and an audit: ${kind.segment}`, async ({ page, post, look }) => {
    const [id, user] = [longId(), LONG];
    const names = await kind.busy(post, id, user);
    const path = `/${kind.pages}/${id}`;
    await look([path], { names: [id, user, ...names] });
    // One word for one thing: these are others for it.
    await page.goto(path);
    await expect(page.getByRole("main")).not.toContainText(/发出时间|保留座位|核对/);
  });
}

test("sales of each kind, as an audience sees them", async ({ post, look }) => {
  const sales = [];
  for (const kind of kinds) sales.push(await openSaleOf(kind, post, kind.fullTerms));
  await look(sales.map(({ path }) => `${path}?present=1`), { names: sales.map(({ id }) => id), without: ".tabs, .details" });
});

test("sales where nothing has happened yet or that have ended, and addresses where nothing is", async ({ openSale, post, inLedger, startCrowd, complaints, look }) => {
  complaints.forgive(/404 \(Not Found\)|410 \(Gone\)/);
  const [fresh, expired, archived] = [await openSale(), await openSale({ count: 4, expires_in_s: 1 }), await openSale()];
  const status = await startCrowd(archived, { users: 20 });
  await expect.poll(async () => (await status()).verdict).toBe("holds");
  await post("/api/sales/close", { kind: "red_packet", sale: archived.id });
  // Opened, won twenty times, closed and refunded.
  await inLedger(archived, 23);
  await post("/api/sales/archive", { kind: "red_packet", sale: archived.id });
  // Opened and refunded.
  await inLedger(expired, 2);
  const ends = [expired.path, archived.path, "/red-packets/nobody-opened-this", "/nowhere"];
  const replay = `/replay?run=${(await status()).run}`;
  await look([fresh.path, replay, ...ends], { names: [fresh.id, expired.id, archived.id, "nobody-opened-this"] });
});

test("the list of sales, and the form for each kind", async ({ openSale, look }) => {
  const sale = await openSale({ id: longId(), count: 1_000, total_cents: 1_000_000_000_000 });
  // Of no sale, so that there is little else to look at.
  const form = (kind: string) => `/?kind=${kind}&id=nobody-opened-this`;
  const parts = (page: Page) => [page.getByRole("region", { name: "创建活动" }), page.getByRole("search")];
  await look(kinds.map(({ id }) => form(id)), { names: ["Asia/Shanghai", "min", "ISO", "CNY", "EUR", "JPY"], parts });
  const entry = (page: Page) => [listed(page, sale.id)];
  await look([`/?id=${sale.id}`, "/?state=sunk"], { names: [sale.id], parts: entry });
});

test("the ledger, a row of it and a search that is none, and the audits", async ({ openSale, page, post, inLedger, complaints, look }) => {
  complaints.forgive(/400 \(Bad Request\)/);
  const [sale, long] = [await openSale(), await openSale({ id: longId(), count: 1, total_cents: 1_000_000_000_000 })];
  await post("/api/red-packet/claim", { sale: sale.id, user: "Mei", request_id: "mei-1" });
  await post("/api/red-packet/claim", { sale: long.id, user: LONG, request_id: LONG });
  for (const { id } of [sale, long]) await inLedger({ id }, 2);
  const history = `/ledger?sale=${sale.id}`;
  await page.goto(history);
  const row = await page.getByRole("rowgroup").last().getByRole("row").first().getByRole("cell").last().getByRole("link").getAttribute("href");
  await look([history, row!], { names: [sale.id, "Mei", "mei-1"] });
  // Why the address is refused is said as the API says it.
  await look([`${history}&kind=raffle&from=yesterday`], { parts: () => [] });
  await page.goto(`/ledger?sale=${long.id}`);
  await fitsEverywhere(page);
  await post("/api/coupon/open", { id: long.id, total: 10 });
  await post("/api/audit/now", { kind: "coupon", sale: long.id });
  await look(["/audit?kind=coupon"], { names: [long.id], parts: (page) => [page.getByRole("listitem").filter({ hasText: long.id })] });
});

test("the lab: a run, two of them side by side, steps, the duel, faults", async ({ post, request, look }) => {
  const runs: string[] = [];
  for (const strategies of [["read-check-write", "script"], ["script", "queue"]]) {
    const { run } = await postToLab<{ run: string }>(request, "/api/lab/start", { users: 120, stock: 10, concurrency: 8, delay_ms: 1, strategies });
    const kept = async () => (await post<{ runs: { run: string }[] }>("/api/lab/runs", { limit: 1 })).runs[0]?.run;
    await expect.poll(kept).toBe(run);
    runs.push(run);
  }
  const lab = (page: Page) => [
    page.getByRole("main").locator(".intro"),
    page.locator(".lab-form .form-grid"),
    page.getByRole("group", { name: "要运行的策略" }),
    page.getByRole("region", { name: "以往的运行" }),
    // The last column names tests.
    page.getByRole("region", { name: "会出什么错" }).locator("p, thead, tbody th, tbody td:nth-child(5)"),
  ];
  const looks = { en: DARK_PHONE, "zh-CN": LIGHT_DESK };
  await look([`/lab?run=${runs[0]}`], { names: CALLED, parts: (page) => [...lab(page), page.getByRole("region", { name: "结果" })], looks });
  const compared = `/lab?compare=${runs.join(",")}&stock=abc`;
  await look([compared], { names: CALLED, parts: (page) => [...lab(page), page.getByRole("region", { name: "两次运行对比" })], looks });

  const play = "/lab/step?strategy=setnx-lock-short-lifetime&schedule=111";
  // The names in the code are English in every language.
  const player = (page: Page) => [page.locator(".player-head, .phones, .player-news, .player-moves")];
  await look([play, `${play}t12211122222`], { names: CALLED, parts: player });
  await look(["/learn", "/learn?level=7&teach", "/learn?level=11"], { names: [...CALLED, "PX"], parts: player });
  await look(["/duel"], { names: CALLED });
  await look(["/lab/faults"], { names: ["SCRIPT FLUSH", "SIGKILL", "AOF", "--redis", "TLS", "stampede serve --demo", "--faults"] });
});

test("the description of the API", async ({ look }) => {
  // It describes itself in English. Of a group, the first endpoint looks like all others.
  const parts = () => [];
  const pages = ["/api", "/api?group=tickets", "/api?group=types"];
  await look(pages, { parts, looks: { en: LIGHT_DESK } });
  await look(pages, { parts, looks: { "zh-CN": DARK_PHONE }, without: "article:not(:first-of-type)" });
});
