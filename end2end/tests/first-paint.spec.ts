// What the server renders is true before the browser takes over, and where there is no JavaScript.

import { randomUUID } from "node:crypto";
import { expect, holdBack, open, strip, test } from "../fixtures";
import { kinds, openSaleOf } from "../kinds";

test("the latest audit and the ledger's lag come with the page", async ({ inLedger, post, sale, visitor }) => {
  await inLedger(sale, 1);
  const page = await visitor({ javaScriptEnabled: false });
  const audit = page.getByRole("region", { name: "Audit" });
  const lag = strip(page).getByRole("term").filter({ hasText: "Ledger lag" }).locator("xpath=following-sibling::dd[1]");
  await post("/api/audit/now", { kind: "red_packet", sale: sale.id });
  await page.goto(`${sale.path}?tab=audit`);
  await expect(audit.getByRole("row", { name: /All packets accounted for 100 100 Holds/ })).toBeVisible();
  await expect(audit.getByText(/^Not audited yet/)).toHaveCount(0);
  await expect(lag).toHaveText("0 events");
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  for (const kind of kinds) {
    test(`a sale says what is left: ${kind.segment}`, async ({ page, post }) => {
      const { id, path } = await openSaleOf(kind, post);
      await post(`/api/${kind.segment}/${kind.attempt.endpoint}`, { sale: id, user: "Mei", ...kind.attempt.wanted });
      const answer = await page.goto(path);
      expect(answer?.status()).toBe(200);
      await expect(page).toHaveTitle(new RegExp(`^${kind.names.en} \\w+ \\w+ · Stampede$`));
      await expect(strip(page)).toContainText(kind.left);
      await expect(page.getByRole("meter", { name: kind.meter.name })).toHaveAttribute("aria-valuetext", kind.meter.text);
      await expect(page.getByRole("button", { name: kind.attempt.button })).toBeEnabled();
      await page.getByRole("tab", { name: "Script" }).click();
      await expect(page.getByRole("heading", { name: "Script", exact: true })).toBeVisible();
    });
  }

  test("coupons say when a day begins, and count nothing down", async ({ page, post }) => {
    const { sale } = await post<{ sale: string }>("/api/coupon/open", { total: 10, per_user: 2, per_user_per_day: 1, time_zone: "Asia/Shanghai" });
    await page.goto(`/coupons/${sale}`);
    const sentence = page.getByRole("region", { name: "Limits" }).locator("noscript");
    await expect(sentence).toBeVisible();
    // Playwright's matchers skip text inside of noscript.
    expect(await sentence.evaluate((element) => element.textContent)).toBe("Each day begins at midnight (Asia/Shanghai).");
  });

  test("the queues of red packets are drawn", async ({ page, post, sale }) => {
    await post("/api/red-packet/claim", { sale: sale.id, user: "Mei" });
    await page.goto(sale.path);
    // The first cell of the row that is being filled.
    await expect(page.getByRole("meter", { name: "Claimed" }).locator("path:not([class])").nth(1)).toHaveAttribute("d", "M0 0h1v1h-1z");
  });

  test("the list is filtered by its form", async ({ openSale, openTickets, page, post }) => {
    const [packets, tickets] = [await openSale(), await openTickets()];
    // A reading of the list is given to others for a while.
    const listed = async () => (await post<{ sales: { sale: string }[] }>("/api/sales", { sort: "-opened_at" })).sales.map(({ sale }) => sale);
    await expect.poll(listed).toContain(tickets.id);
    await page.goto("/");
    const entry = (id: string) => page.getByRole("link", { name: id });
    for (const sale of [packets, tickets]) await expect(entry(sale.id)).toBeVisible();
    const filter = page.getByRole("search");
    await filter.getByLabel("Kind").selectOption("Tickets");
    await filter.getByRole("button", { name: "Filter" }).click();
    await expect(entry(tickets.id)).toBeVisible();
    await expect(entry(packets.id)).toHaveCount(0);
    await filter.getByRole("link", { name: "Clear filter" }).click();
    await filter.getByRole("searchbox").fill(packets.id);
    await filter.getByRole("button", { name: "Filter" }).click();
    await expect(entry(packets.id)).toBeVisible();
    await expect(entry(tickets.id)).toHaveCount(0);
    await expect(page.getByRole("button", { name: "Open sale" })).toBeDisabled();
  });
});

test("nothing moves and nothing goes when the browser takes over", async ({ page, post, sale }) => {
  await post("/api/red-packet/claim", { sale: sale.id, user: "Mei" });
  const others = [];
  for (const kind of kinds.slice(1)) others.push(await openSaleOf(kind, post));
  // The browser is made to take over only once the whole document is painted: what moves while it arrives in pieces is
  // another matter.
  await page.addInitScript(() => {
    const seen: string[] = [];
    type Source = { node?: Element; previousRect: DOMRect; currentRect: DOMRect };
    type Shift = PerformanceEntry & { sources: Source[] };
    // The labels of a chart of the latest time go on with it.
    const goesOn = ({ node }: Source) => node instanceof Element && node.closest(".chart .time") !== null;
    const place = ({ x, y, width, height }: DOMRect) => `${x},${y} ${width}×${height}`;
    const note = (shifts: Shift[]) => {
      const sources = shifts.flatMap(({ sources }) => sources).filter((source) => !goesOn(source));
      const moved = ({ node, previousRect, currentRect }: Source) =>
        `moved: ${place(previousRect)} to ${place(currentRect)}: ${node?.outerHTML?.slice(0, 100)}`;
      seen.push(...sources.map(moved));
    };
    const shifts = new PerformanceObserver((list) => note(list.getEntries() as Shift[]));
    Object.assign(window, { seen: () => (note(shifts.takeRecords() as Shift[]), seen) });
    const frame = () => new Promise(requestAnimationFrame);
    // Polling comes later and is not the subject.
    window.setInterval = (() => 0) as unknown as typeof window.setInterval;
    const instantiate = WebAssembly.instantiateStreaming;
    WebAssembly.instantiateStreaming = async (...of) => {
      const program = await instantiate(...of);
      while (document.readyState !== "complete") await frame();
      for (let frames = 0; frames < 3; frames++) await frame();
      shifts.observe({ type: "layout-shift" });
      new MutationObserver((changes) => {
        for (const node of changes.flatMap((change) => [...change.removedNodes])) {
          if (node instanceof Element) seen.push(`gone: ${node.outerHTML.slice(0, 100)}`);
        }
      }).observe(document.body, { childList: true, subtree: true });
      return program;
    };
  });
  const paths = [
    // All of its rows are in sight: a long history keeps only those.
    `/ledger?sale=${sale.id}`,
    // Sales of other tests open, end and count down meanwhile.
    `/?id=${sale.id}`,
    "/audit", "/lab", "/lab/step", "/learn", "/lab/faults", "/api",
    sale.path, `${sale.path}?tab=audit`, ...others.map(({ path }) => path),
  ];
  const seen = async () => {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    return page.evaluate(() => (window as unknown as { seen: () => string[] }).seen());
  };
  // The server writes the reader's own times once it knows their zone.
  await open(page, "/");
  await expect.poll(async () => (await page.context().cookies()).map(({ name }) => name)).toContain("time_zone");
  for (const path of paths) {
    await open(page, path);
    expect.soft(await seen(), path).toEqual([]);
  }
  // Both would have been seen.
  await page.getByRole("main").evaluate((main) => {
    const first = document.createElement("div");
    first.style.blockSize = "200px";
    main.querySelector(".stage-page > *, :scope > *")?.before(first);
    main.lastElementChild?.remove();
  });
  expect((await seen()).join()).toMatch(/gone: .*moved: |moved: .*gone: /);

  // So many that they are a table.
  const own = randomUUID();
  for (let nth = 0; nth < 13; nth++) await openSaleOf(kinds[0], post, { ...kinds[0].terms, id: `${own}-${nth}` });
  // A reading of the list is given to others for a while.
  const newest = async () => (await post<{ sales: { sale: string }[] }>("/api/sales", { sort: "-opened_at" })).sales;
  await expect.poll(async () => (await newest()).map(({ sale }) => sale)).toContain(`${own}-12`);
  await open(page, `/?id=${own}`);
  expect.soft(await seen(), "a table of sales").toEqual([]);
  await expect(page.getByRole("main").getByRole("rowheader", { name: own })).toHaveCount(13);
});

test("from the second page on, times are the reader's own from the start", async ({ sale, visitor }) => {
  const page = await visitor({ timezoneId: "Asia/Tokyo" });
  // Texts of times that become others.
  await page.addInitScript(() => {
    const changes: string[] = [];
    const note = (records: MutationRecord[]) => {
      for (const { target, oldValue } of records) {
        // How long ago something was goes on by itself.
        const isAgo = / ago$/.test(target.textContent ?? "");
        const isOther = target.parentElement?.closest("time") && target.textContent !== oldValue && !isAgo;
        if (isOther) changes.push(`${oldValue} → ${target.textContent}`);
      }
    };
    document.addEventListener("readystatechange", () => {
      if (document.readyState !== "interactive") return;
      const texts = { characterData: true, characterDataOldValue: true, subtree: true };
      new MutationObserver(note).observe(document.body, texts);
    });
    Object.assign(window, { changes: () => changes });
  });
  // Until what waits for the first paint is done.
  const changes = async () => {
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
    return page.evaluate(() => (window as unknown as { changes: () => string[] }).changes());
  };
  const opened = page.getByRole("listitem").filter({ has: page.getByRole("link", { name: sale.id }) }).getByRole("definition").getByRole("time").first();
  const inTokyo = async () => {
    const at = Date.parse((await opened.getAttribute("datetime"))!);
    return new Date(at + 9 * 3_600_000).toISOString().slice(0, 19).replace("T", " ");
  };
  await open(page, "/audit");
  await expect(opened).toHaveText(await inTokyo());
  expect((await changes()).join(), "the first page begins in UTC").toContain(" UTC → ");
  await expect.poll(async () => (await page.context().cookies()).map(({ name }) => name)).toContain("time_zone");
  for (const path of ["/audit", "/", "/audit"]) {
    await open(page, path);
    if (path !== "/") await expect(opened).toHaveText(await inTokyo());
    expect(await changes(), path).toEqual([]);
  }
  await test.step("in another zone, the first page is corrected", async () => {
    await page.context().addCookies([{ name: "time_zone", value: "America/Phoenix", url: page.url() }]);
    await open(page, "/audit");
    await expect(opened).toHaveText(await inTokyo());
    expect((await changes()).length).toBeGreaterThan(0);
  });
});

test("what is opened before the browser takes over is filled", async ({ openTickets, page }) => {
  const sale = await openTickets();
  const arrive = await holdBack(page);
  await page.goto(`${sale.path}?tab=script`, { waitUntil: "commit" });
  await page.getByText("Show script", { exact: true }).click();
  arrive();
  await expect(page.getByRole("region", { name: "Script", exact: true })).toContainText("redis.call");
});
