// The stage of every kind: it never moves, its figures can be read from afar, and what is wrong is said over it.

import { type Page } from "@playwright/test";
import { definition, expect, open, openLive, slowCrowds, strip, tab, test, withoutFont } from "../fixtures";
import { kinds, openSaleOf } from "../kinds";
import { letLoose, listed } from "../list";
import { DESK, PHONE } from "../looks";

const stage = (page: Page) => page.locator(".stage");
const verdict = (page: Page) => page.locator(".verdict-banner");

/** Puts the longest figures into the strip that a crowd at the largest hall can give, and more lag than there ever is. */
const fillInLongest = (page: Page) =>
  strip(page).locator(".figures-of-three").evaluate((figures) => {
    const longest = { b: ["60,000", "123,456", "999.9 ms"], ".of": ["of 60,000"], ".share": ["99.997%"], ".small span": ["12,345 events"] };
    for (const [path, texts] of Object.entries(longest)) {
      texts.forEach((text, nth) => (figures.querySelectorAll(path)[nth]!.textContent = text));
    }
  });

for (const kind of kinds) {
  test(`one click on the first page leads to a crowd and its verdict without scrolling, and nothing moves the stage: ${kind.segment}`, async ({ page, post, complaints }) => {
    complaints.forgive(/503 \(Service Unavailable\)/);
    await page.setViewportSize(DESK);
    // As `stampede serve --demo` names it.
    const { id, path } = await openSaleOf(kind, post, { id: `${kind.demo}-${Date.now()}`, ...kind.terms });
    await open(page, "/");
    // Something is left when it is stopped.
    await slowCrowds(page);
    await letLoose(listed(page, id).first());
    await expect(page).toHaveURL(`${path}?tab=crowd`);
    for (const part of [page.getByRole("region", { name: kind.scene, exact: true }), page.getByRole("figure", { name: "Latency" }), strip(page)]) {
      await expect(part).toBeInViewport({ ratio: 1 });
    }
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    const before = await stage(page).boundingBox();
    await strip(page).getByRole("button", { name: "Stop" }).click();
    await expect(verdict(page).getByRole("heading", { name: "Verdict Holds" })).toBeInViewport();
    expect(await page.evaluate(() => scrollY), "nobody scrolled").toBe(0);
    for (const figure of ["Oversold", "Doubled", "Lost", "Unexpected"]) await expect(definition(verdict(page), figure)).toHaveText("0");
    await expect(page.getByRole("status").filter({ hasText: "Oversold" })).toHaveCount(1);
    expect(await stage(page).boundingBox(), "a verdict").toEqual(before);

    const error = { error: { code: "busy", message: "The server cannot take this right now.", field: null } };
    await page.unroute("**/api/crowd/start");
    await page.route("**/api/crowd/start", (route) => route.fulfill({ status: 503, json: error }));
    await strip(page).getByRole("button", { name: "Let a crowd loose" }).click();
    await expect(page.getByRole("alert").filter({ hasText: "try again in a moment" })).toBeInViewport();
    expect(await stage(page).boundingBox(), "an error").toEqual(before);

    await page.locator(".more > summary").click();
    const close = page.getByRole("button", { name: "Close sale", exact: true });
    await close.click();
    const keep = page.getByRole("button", { name: "Keep it" });
    await expect(keep).toBeInViewport();
    expect(await stage(page).boundingBox(), "a question").toEqual(before);
    await page.keyboard.press("Escape");
    await expect(keep).toBeHidden();
    await expect(close).toBeFocused();
  });

  test(`a room sees the stage, three figures and the verdict: ${kind.segment}`, async ({ page, post }) => {
    await page.setViewportSize(PHONE);
    await slowCrowds(page);
    const { path } = await openSaleOf(kind, post);
    await page.goto(`${path}?present=1`);
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await test.step("on a narrow page, nothing lies on the state of the crowd", async () => {
      const buttons = await strip(page).locator("> .actions").boundingBox();
      const course = await strip(page).locator(".course-of-crowd").boundingBox();
      expect(buttons!.y).toBeGreaterThanOrEqual(course!.y + course!.height);
    });
    await page.setViewportSize(DESK);
    await expect(stage(page)).toBeInViewport({ ratio: 1 });
    for (const part of [page.locator(".tools"), page.locator(".course-of-crowd .badge")]) {
      await expect(part).toBeHidden();
    }
    await expect(strip(page).getByRole("progressbar")).toBeVisible();
    const sizes = await strip(page).locator(".figures-of-three b:visible").evaluateAll((figures) => figures.map((figure) => parseFloat(getComputedStyle(figure).fontSize)));
    expect(Math.min(...sizes), "the least size in pixels").toBeGreaterThanOrEqual(28);
    const small = await stage(page).locator(":visible").evaluateAll((parts) =>
      parts
        .filter((part) => [...part.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.textContent?.trim()))
        .filter((part) => part.getBoundingClientRect().width > 1 && parseFloat(getComputedStyle(part).fontSize) < 20)
        .map((part) => `${part.textContent}: ${getComputedStyle(part).fontSize}`),
    );
    expect(small, "too small for the last row").toEqual([]);

    await strip(page).hover();
    await strip(page).getByRole("button", { name: "Let a crowd loose" }).click();
    await strip(page).getByRole("button", { name: "Stop" }).click();
    await expect(verdict(page)).toBeInViewport();
    await expect(strip(page).getByText(/^[\d,]+ of [\d,]+ attempts$/)).toBeVisible();
    const zeros = verdict(page).locator(".chief dd");
    await expect(zeros).toHaveText(["0", "0", "0", "0"]);
    const least = await zeros.evaluateAll((zeros) => Math.min(...zeros.map((zero) => parseFloat(getComputedStyle(zero).fontSize))));
    expect(least).toBeGreaterThanOrEqual(60);
    for (const size of [DESK, { width: 960, height: 600 }, { width: 700, height: 900 }, { width: 2560, height: 1440 }]) {
      await page.setViewportSize(size);
      const below = () => page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight);
      await expect.poll(below, `what is below a window of ${size.width} by ${size.height}`).toBeLessThanOrEqual(0);
      const ends = (path: string) => page.locator(path).evaluateAll((parts) => Math.max(0, ...parts.map((part) => part.getBoundingClientRect().bottom)));
      await expect.poll(async () => (await ends(".stage .chart .time .at")) <= (await ends(".stage"))).toBe(true);
    }
    await page.setViewportSize(PHONE);
    await fillInLongest(page);
    const { edge, figures } = await strip(page).evaluate((strip) => ({
      edge: strip.getBoundingClientRect().right - parseFloat(getComputedStyle(strip).paddingRight),
      figures: [...strip.querySelectorAll(".figures-of-three b")].map((figure) => figure.getBoundingClientRect().toJSON() as DOMRect),
    }));
    expect(new Set(figures.map(({ top }) => top)).size, "lines of figures on a phone").toBe(1);
    for (const [nth, { right }] of figures.entries()) expect(right, `the end of figure ${nth}`).toBeLessThanOrEqual(figures[nth + 1]?.left ?? edge);
  });
}

test("a room sees the name of the sale, its key and its attempts; buttons cover no figure, and no seat's card stays", async ({ openTickets, page, post }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  const sale = await openTickets({ hall: "stadium" });
  const { run } = await post<{ run: string }>("/api/crowd/start", { kind: "ticket", sale: sale.id, users: 300, concurrency: 100, repeat_rate: 0, arrival: "burst" });
  await expect.poll(async () => (await post<{ phase: string }>("/api/crowd/status", { run })).phase).toBe("done");
  await page.goto(`${sale.path}?present=1`);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expect(page.getByRole("heading", { level: 1 })).toBeInViewport({ ratio: 1 });
  await expect(strip(page).getByText(/^[\d,]+ of [\d,]+ attempts$/)).toBeInViewport({ ratio: 1 });
  const map = page.getByRole("region", { name: "Seat map" });
  for (const key of ["Category 1 ¥1,280", "Category 6 ¥280"]) await expect(map.getByRole("button", { name: key })).toBeInViewport({ ratio: 1 });
  for (const state of ["Free", "Held", "Sold"]) await expect(map.locator(".legend").getByText(state, { exact: true })).toBeInViewport({ ratio: 1 });

  await fillInLongest(page);
  await strip(page).hover();
  const buttons = strip(page).locator("> .actions");
  await expect(buttons).toHaveCSS("opacity", "1");
  const above = (await buttons.boundingBox())!;
  const covered = [strip(page).locator(".figures-of-three"), strip(page).locator(".course-of-crowd"), page.getByRole("heading", { level: 1 }), page.locator(".present")];
  for (const part of covered) {
    const below = (await part.boundingBox())!;
    const isApart = above.x + above.width <= below.x || below.x + below.width <= above.x || above.y + above.height <= below.y || below.y + below.height <= above.y;
    expect(isApart, `${await part.textContent()} is not covered`).toBe(true);
  }
  const of = strip(page).locator(".left .of");
  expect(parseFloat(await of.evaluate((text) => getComputedStyle(text).fontSize))).toBeGreaterThanOrEqual(18);

  const canvas = page.getByRole("application", { name: "Seat map" });
  await expect(page.locator("canvas.seats[data-event-id]")).toBeAttached();
  const box = (await canvas.boundingBox())!;
  await canvas.hover({ position: { x: box.width / 2, y: box.height * 0.95 } });
  await expect(map.locator(".seat-card")).toBeHidden();
});

test("at 1280 by 720, the strip is one row, even with the longest figures", async ({ openTickets, page }) => {
  await page.setViewportSize({ width: 1280, height: 720 });
  const sale = await openTickets({ hall: "stadium" });
  await openLive(page, sale.path);
  await fillInLongest(page);
  const middles = await strip(page).locator(":scope > *").evaluateAll((parts) =>
    parts.map((part) => part.getBoundingClientRect()).map(({ top, height }) => top + height / 2),
  );
  expect(Math.max(...middles) - Math.min(...middles), "pixels between the middles of its parts").toBeLessThan(2);
  expect((await strip(page).boundingBox())!.height).toBeLessThan(96);
});

test("the verdict is as large as the figures of the strip, and gives way to whoever turns to what it covers, after a moment", async ({ page, openSale, startCrowd }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.clock.install();
  const sale = await openSale({ count: 50 });
  await openLive(page, `${sale.path}?tab=crowd`);
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  await expect(panel).toContainText("Faster and faster");
  // From here on, time passes only as told: the moment does not end before it is to.
  await page.clock.pauseAt(Date.now() + 60_000);
  await startCrowd(sale, { users: 200 });
  await expect.poll(async () => {
    await page.clock.runFor(100);
    return verdict(page).isVisible();
  }).toBe(true);
  const size = (path: string) => page.locator(path).first().evaluate((figure) => parseFloat(getComputedStyle(figure).fontSize));
  expect(await size(".verdict-banner .chief dd")).toBeGreaterThanOrEqual(await size(".strip .figures-of-three b"));
  await expect(verdict(page), "with reduced motion, an outline marks it").toHaveCSS("animation-name", "mark");
  const touch = async () => {
    const { height } = (await stage(page).boundingBox())!;
    await stage(page).click({ position: { x: 20, y: height - 20 } });
  };
  await touch();
  await verdict(page).getByText("Oversold").click();
  await expect(verdict(page)).toBeVisible();
  await page.clock.fastForward(3_000);
  await verdict(page).getByText("Oversold").click();
  await expect(verdict(page)).toBeVisible();
  await touch();
  await page.clock.resume();
  await expect(verdict(page)).toHaveCount(0);
  await expect(panel.getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  await expect(panel).toContainText("Nothing is left here. The next crowd gets a fresh sale on the same terms.");
});

test("where the list cannot be brought up to date, it is said since when, over it", async ({ page, sale, complaints }) => {
  complaints.forgive(/503 \(Service Unavailable\)/);
  await open(page, "/");
  const entry = listed(page, sale.id);
  await expect(entry).toBeVisible();
  const error = { error: { code: "unavailable", message: "Redis did not answer.", field: null } };
  await page.route("**/api/sales**", (route) => route.fulfill({ status: 503, json: error }));
  const banner = page.getByRole("alert").filter({ hasText: /Redis is unreachable.*Since \d\d:\d\d:\d\d · Figures as of \d\d:\d\d:\d\d/ });
  await expect(banner).toBeInViewport();
  await expect(entry).toBeVisible();
  await page.unroute("**/api/sales**");
  await expect(banner).toHaveCount(0);
});

test("whoever lets a crowd loose sees its charts, unless they have chosen to see something else", async ({ page, post }) => {
  await page.setViewportSize(DESK);
  // Something is left when it is stopped: otherwise "Again" leads to a fresh sale.
  await slowCrowds(page);
  const { sale } = await post<{ sale: string }>("/api/stock/open", { quantity: 100 });
  await openLive(page, `/stock/${sale}`);
  await expect(page.getByRole("tab", { name: "Take part", selected: true })).toBeVisible();
  await strip(page).getByRole("button", { name: "Let a crowd loose" }).click();
  await expect(page.getByRole("tab", { name: "Crowd", selected: true })).toBeVisible();
  await expect(page).toHaveURL(/\?tab=crowd$/);
  await expect(page.locator(".crowd .chart").first()).toBeInViewport({ ratio: 1 });
  await strip(page).getByRole("button", { name: "Stop" }).click();
  await tab(page, "Take part");
  await strip(page).getByRole("button", { name: "Again" }).click();
  await expect(strip(page).getByRole("button", { name: "Stop" })).toBeVisible();
  await expect(page.getByRole("tab", { name: "Take part", selected: true })).toBeVisible();
});

test("the lists of attempts are paused by a button, the pointer and the focus, and show the attempts of one user", async ({ page, post }) => {
  const { sale } = await post<{ sale: string }>("/api/coupon/open", { total: 2 });
  const claim = (user: string) => post("/api/coupon/claim", { sale, user });
  for (const user of ["Ada", "Ben", "Cleo", "Dora"]) await claim(user);
  await openLive(page, `/coupons/${sale}`);
  await tab(page, "Attempts");
  const attempts = page.getByRole("region", { name: "Attempts", exact: true });
  const refused = attempts.getByRole("region", { name: "Newest refused attempts" });
  const won = attempts.getByRole("region", { name: "Newest claims" });
  await expect(refused.getByRole("row")).toHaveCount(3);
  await attempts.getByRole("searchbox", { name: "Filter by user" }).fill("AD");
  await expect(won.getByRole("row")).toHaveCount(2);
  await expect(won).toContainText("Ada");
  await expect(refused.getByRole("row")).toHaveCount(1);
  await expect(attempts.getByText("No matching user among the newest attempts.")).toBeVisible();
  await attempts.getByRole("searchbox", { name: "Filter by user" }).fill("");
  await expect(refused.getByRole("row")).toHaveCount(3);

  const pause = attempts.getByRole("button", { name: "Pause" });
  await pause.click();
  await expect(pause).toHaveAttribute("aria-pressed", "true");
  await claim("Eve");
  await expect(attempts.getByRole("definition").first(), "the counts go on").toHaveText("5");
  await expect(refused).not.toContainText("Eve");
  await pause.click();
  await expect(refused).toContainText("Eve");

  await refused.focus();
  await refused.hover();
  // The pointer leaves, the focus stays.
  await page.mouse.move(0, 0);
  await claim("Fay");
  await expect(attempts.getByText("Paused while you read").first()).toBeVisible();
  await expect(attempts.getByRole("definition").first()).toHaveText("6");
  await expect(refused).not.toContainText("Fay");
  await refused.blur();
  await expect(refused).toContainText("Fay");
});

test("on a phone, strip and stage stay when the page is scrolled to its end", async ({ page, sale }) => {
  await page.setViewportSize(PHONE);
  await openLive(page, sale.path);
  await expect(strip(page).getByText(/Ledger lag \d+ events?/)).toBeVisible();
  await page.getByRole("tabpanel").getByRole("button").last().scrollIntoViewIfNeeded();
  await expect(strip(page)).toBeInViewport({ ratio: 1 });
  await expect(stage(page)).toBeInViewport();
});

for (const font of ["Inter", "its fallback"]) {
  test(`long figures in a narrow strip do not move the stage: ${font}`, async ({ complaints, page, openTickets, post }) => {
    if (font !== "Inter") await withoutFont(page, complaints);
    const sale = await openTickets({ hall: "stadium" });
    await openLive(page, sale.path);
    const tops = async () => {
      const tops = [];
      // From 1245 pixels on, all of the strip is in one row.
      for (const width of [960, 1244, 1245, 1280, 1379, 1380, 1440]) {
        await page.setViewportSize({ width, height: 900 });
        tops.push((await stage(page).boundingBox())!.y);
      }
      return tops;
    };
    const before = await tops();
    const crowd = { kind: "ticket", sale: sale.id, users: 1_500, concurrency: 100, repeat_rate: 0, arrival: "burst" };
    await post("/api/crowd/start", crowd);
    await expect(strip(page).getByText("Done", { exact: true })).toBeVisible();
    await expect.poll(tops).toEqual(before);
    await fillInLongest(page);
    await expect.poll(tops, "with the longest figures").toEqual(before);
  });
}

test("figures change ten times a second at most, however fast events come, and end with the truth", async ({ page, openSale, startCrowd, post }) => {
  const sale = await openSale({ count: 100_000, total_cents: 10_000_000 });
  await openLive(page, sale.path);
  const left = strip(page).locator(".left b");
  const changes = await left.evaluateHandle((figure) => {
    const changes: number[] = [];
    new MutationObserver(() => changes.push(performance.now())).observe(figure, { characterData: true, childList: true, subtree: true });
    return changes;
  });
  // The last would come after half a minute.
  const status = await startCrowd(sale, { users: 60_000, concurrency: 200, repeat_rate: 0, arrival: { kind: "constant", per_s: 2_000 } });
  await expect.poll(async () => (await changes.jsonValue()).length).toBeGreaterThan(5);
  await post("/api/crowd/stop", { run: (await status()).run });
  await expect.poll(async () => (await status()).phase).toBe("stopped");
  const { pending } = await post<{ pending: number }>("/api/red-packet/snapshot", { sale: sale.id });
  await expect(left).toHaveText(pending.toLocaleString("en-US"));
  const at = await changes.jsonValue();
  expect(at.length).toBeLessThanOrEqual((at[at.length - 1] - at[0]) / 100 + 2);
});
