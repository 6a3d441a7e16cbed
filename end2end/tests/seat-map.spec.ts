// What the seat map shows of its own accord, and what one can ask of it: names, prices, seats, by pointer and keyboard.

import { type Page } from "@playwright/test";
import { expect, holdBack, openLive, strip, test } from "../fixtures";
import { DESK, PHONE, clean, english } from "../looks";

const region = (page: Page) => page.getByRole("region", { name: "Seat map" });
const canvas = (page: Page) => page.getByRole("application", { name: "Seat map" });
const card = (page: Page) => region(page).getByRole("status");
const overview = (page: Page) => region(page).getByRole("img", { name: "The whole hall" });
const choice = (page: Page) => page.getByRole("region", { name: "Select seats" });
const orders = (page: Page) => page.getByRole("region", { name: "Your orders" });
const list = (page: Page) => page.getByRole("region", { name: "By section and row" });
const seat = (page: Page, row: number, number: number) =>
  list(page).getByRole("button", { name: new RegExp(`^Row ${row}, seat ${number},`) });
const price = (page: Page, name: string) => region(page).getByRole("button", { name });

/** Waits until the map is drawn, and says where on the page it is. */
async function drawn(page: Page) {
  await expect(page.locator("canvas.seats[data-event-id]")).toBeAttached();
  return (await canvas(page).boundingBox())!;
}

/** The sections whose names stand on the map. */
const names = async (page: Page) => ((await canvas(page).getAttribute("data-names")) ?? "").split(" ");

/** How many of the map's pixels have about the colour that a custom property stands for: lines are thin and soft. */
const pixels = (page: Page, property: string) =>
  page.locator("canvas.seats").evaluate((canvas: HTMLCanvasElement, property) => {
    const probe = new OffscreenCanvas(1, 1).getContext("2d")!;
    probe.fillStyle = getComputedStyle(canvas).getPropertyValue(property);
    probe.fillRect(0, 0, 1, 1);
    const wanted = probe.getImageData(0, 0, 1, 1).data;
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    const isClose = (at: number) => [0, 1, 2].every((channel) => Math.abs(data[at + channel] - wanted[channel]) < 24);
    let count = 0;
    for (let at = 0; at < data.length; at += 4) if (isClose(at)) count++;
    return count;
  }, property);

/** How far the seats on the map reach, in CSS pixels: whatever has not the colour of its corner. */
const extent = (page: Page) =>
  page.locator("canvas.seats").evaluate((canvas: HTMLCanvasElement) => {
    const { width, height } = canvas;
    const pixels = new Uint32Array(canvas.getContext("2d")!.getImageData(0, 0, width, height).data.buffer);
    let [left, top, right, bottom] = [width, height, 0, 0];
    for (let at = 0; at < pixels.length; at++) {
      if (pixels[at] === pixels[0]) continue;
      const [x, y] = [at % width, Math.floor(at / width)];
      [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)];
    }
    const density = width / canvas.clientWidth;
    return { width: (right - left) / density, height: (bottom - top) / density };
  });

test("sections keep their names, however near the map is, and a press on the small picture of the hall moves the map there", async ({ openTickets, page }) => {
  await page.setViewportSize(DESK);
  const sale = await openTickets({ hall: "stadium" });
  await openLive(page, sale.path);
  const box = await drawn(page);
  await expect.poll(() => names(page)).toHaveLength(120);
  // From afar, a key's seat is a disc, as those on the map are.
  const first = price(page, "Category 1").locator("path");
  await expect.poll(async () => (await first.getAttribute("d"))!.split("Z").length - 1).toBe(1);
  const [x, y] = [box.x + box.width / 2, box.y + box.height * 0.9];
  await page.mouse.move(x, y);
  for (let step = 0; step < 12; step++) {
    await page.mouse.wheel(0, -300);
    // Whichever section is pointed at, its name is there.
    const section = async () => (await card(page).textContent())?.match(/^[ABC]\d\d/)?.[0];
    await page.mouse.move(x + (step % 2), y);
    await expect(card(page)).toContainText(/[ABC]\d\d-/);
    await expect.poll(async () => (await names(page)).includes((await section()) ?? "")).toBe(true);
  }
  expect((await names(page)).length).toBeLessThan(10);

  await region(page).getByRole("button", { name: "Show all" }).click();
  await expect(overview(page)).toHaveCount(0);
  for (let step = 0; step < 6; step++) await region(page).getByRole("button", { name: "Zoom in" }).click();
  await expect(overview(page)).toBeVisible();
  // Positions count from within the border.
  const [width, height] = await overview(page).evaluate((picture) => [picture.clientWidth, picture.clientHeight]);
  const pointed = async () => {
    await canvas(page).hover({ position: { x: box.width / 2, y: box.height / 2 } });
    await canvas(page).hover({ position: { x: box.width / 2 + 1, y: box.height / 2 } });
    return card(page).textContent();
  };
  await overview(page).click({ position: { x: width / 2, y: height * 0.975 } });
  await expect.poll(pointed).toMatch(/^C01-/);
  await overview(page).hover({ position: { x: width / 2, y: height * 0.975 } });
  await page.mouse.down();
  await overview(page).hover({ position: { x: width * 0.025, y: height / 2 } });
  await page.mouse.up();
  await expect.poll(pointed).toMatch(/^C11-/);
  await region(page).getByRole("button", { name: "Show all" }).click();
  await expect(overview(page)).toHaveCount(0);
});

test("after the best available, the map shows where they are", async ({ openTickets, page }) => {
  await page.setViewportSize(DESK);
  const sale = await openTickets({ hall: "stadium" });
  await openLive(page, sale.path);
  const before = await drawn(page);
  await expect(overview(page)).toHaveCount(0);
  const pick = choice(page).getByRole("form", { name: "Best available" });
  await pick.getByLabel("How many").selectOption("4");
  await pick.getByLabel("Category").selectOption("Category 3 · ¥680.00");
  await pick.getByRole("button", { name: "Hold best available" }).click();
  const held = orders(page).getByText(/^A\d\d-01-\d\d$/);
  await expect(held).toHaveCount(4);
  const section = (await held.first().textContent())!.slice(0, 3);
  await expect(overview(page)).toBeVisible();
  await expect.poll(() => names(page)).toContain(section);
  expect((await names(page)).length).toBeLessThan(10);
  // The best are in the middle of the view.
  await canvas(page).hover({ position: { x: before.width / 2 + 10, y: before.height / 2 } });
  await expect(card(page)).toContainText(new RegExp(`${section}-01-.*yours`, "is"));
  // And whatever happens beside it, the map stays where and as large as it was.
  expect(await canvas(page).boundingBox()).toEqual(before);
});

test("a chosen seat's chip points at it on the map, and deselects it only by its cross", async ({ openTickets, page }) => {
  await page.setViewportSize(DESK);
  const sale = await openTickets();
  await openLive(page, sale.path);
  await drawn(page);
  await seat(page, 1, 3).click();
  await seat(page, 1, 4).click();
  const chip = choice(page).getByRole("button", { name: /^S-01-03/ });
  await chip.hover();
  await expect(card(page)).toContainText("S-01-03");
  await choice(page).getByRole("heading", { name: "Select seats" }).hover();
  await expect(card(page)).toBeEmpty();
  await choice(page).getByRole("button", { name: /^S-01-04/ }).focus();
  await expect(card(page)).toContainText("S-01-04");
  await expect(overview(page)).toHaveCount(0);
  await chip.click();
  await expect(overview(page)).toBeVisible();
  await expect(choice(page).getByRole("listitem")).toHaveCount(2);
  await choice(page).getByRole("button", { name: "Deselect S-01-03" }).click();
  await expect(choice(page).getByRole("listitem")).toHaveText([/S-01-04/]);
  await expect(choice(page).getByRole("heading", { name: "Your selection" })).toBeFocused();
  await expect(card(page)).not.toContainText("S-01-03");
});

test('"Show on map" brings the map into view, on a phone and on a low desk', async ({ openTickets, page }) => {
  const sale = await openTickets();
  await openLive(page, sale.path);
  await drawn(page);
  await seat(page, 1, 3).click();
  await choice(page).getByRole("button", { name: "Hold these seats" }).click();
  await expect(orders(page).getByText("Held for you")).toBeVisible();
  // The map would go on by a pointer that leaves it as the page scrolls.
  await page.mouse.move(1, 1);
  for (const viewport of [PHONE, { width: 1440, height: 600 }]) {
    await page.setViewportSize(viewport);
    for (const from of [list(page), orders(page)]) {
      const show = from.getByRole("button", { name: "Show on map" });
      await show.scrollIntoViewIfNeeded();
      await page.evaluate(() => scrollBy(0, 10_000));
      // By its handler: a click would scroll to the button first.
      await show.dispatchEvent("click");
      // A fraction of a pixel is no matter.
      await expect(canvas(page)).toBeInViewport({ ratio: 0.99 });
      await expect(card(page)).toContainText("S-01-03");
    }
  }
});

test("the keyboard's crosshair goes from seat to seat, and says what a key did", async ({ openTickets, page, post }) => {
  await page.setViewportSize(DESK);
  const sale = await openTickets();
  await post("/api/ticket/reserve", { sale: sale.id, user: "Lan", seats: ["S-03-10"] });
  await openLive(page, sale.path);
  await drawn(page);
  await seat(page, 1, 9).click();
  await list(page).getByRole("button", { name: "Show on map" }).click();
  await test.step("a reader who goes on before the next frame keeps the focus", async () => {
    const clear = choice(page).getByRole("button", { name: "Clear" });
    await clear.focus();
    await canvas(page).evaluate((canvas, clear) => {
      (clear as HTMLButtonElement).click();
      canvas.focus();
    }, await clear.elementHandle());
    await expect(choice(page).getByText("No seats selected.")).toBeVisible();
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    await expect(canvas(page)).toBeFocused();
  });

  // The first key shows the crosshair at the seat in the middle; it goes on from there.
  await page.keyboard.press("ArrowDown");
  await expect(card(page)).toContainText(/S-01-09/);
  await page.keyboard.press("ArrowRight");
  await expect(card(page)).toContainText("S-01-10");
  // Each row has one seat more than the one before: straight down is a seat to the right in every other row.
  await page.keyboard.press("ArrowDown");
  await expect(card(page)).toContainText("S-02-11");
  await page.keyboard.press("ArrowDown");
  await expect(card(page)).toContainText("S-03-11");
  await page.keyboard.press("ArrowLeft");
  await expect(card(page)).toContainText("S-03-10");

  await page.keyboard.press("Enter");
  await expect(card(page)).toContainText("S-03-10 is held by someone else.");
  await expect(choice(page).getByText("No seats selected.")).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("Space");
  await expect(card(page)).toContainText("S-03-09 selected, ¥88.00.");
  await expect(choice(page).getByRole("listitem")).toHaveText([/S-03-09/]);
  // Said once: the panel shows the same, silently.
  const panel = choice(page).getByText("S-03-09 selected, ¥88.00.");
  await expect(panel).toHaveAttribute("aria-live", "off");
  await page.keyboard.press("Enter");
  await expect(card(page)).toContainText("S-03-09 deselected.");
  await expect(choice(page).getByRole("listitem")).toHaveCount(0);
});

test("from afar, keys reach every part of the hall, and Enter comes closer first", async ({ openTickets, page }) => {
  await page.setViewportSize(DESK);
  const sale = await openTickets({ hall: "stadium" });
  await openLive(page, sale.path);
  await drawn(page);
  await canvas(page).focus();
  await page.keyboard.press("ArrowRight");
  const at = async () => (await card(page).textContent())?.match(/^[ABC]\d\d-\d\d-\d\d/)?.[0];
  await expect.poll(at).toBeTruthy();
  const sections = new Set<string>();
  for (let step = 0; step < 30; step++) {
    await page.keyboard.press("ArrowDown");
    sections.add((await at())!.slice(0, 1));
  }
  expect(sections).toContain("C");
  const chosen = (await at())!;
  await page.keyboard.press("Enter");
  await expect(overview(page)).toBeVisible();
  await expect(choice(page).getByRole("listitem")).toHaveCount(0);
  await expect(card(page)).toContainText("Zoomed in. Press Enter again to select.");
  await page.keyboard.press("Enter");
  await expect(choice(page).getByRole("listitem")).toHaveText([new RegExp(chosen)]);
});

test("the price key shows some categories only, on the map and in the list", async ({ openTickets, page, complaints }) => {
  complaints.forgive(/willReadFrequently/);
  await page.setViewportSize(DESK);
  const sale = await openTickets();
  await openLive(page, sale.path);
  const before = await drawn(page);
  await test.step("a key's seat has the colour and the shape that the map draws", async () => {
    const shape = price(page, "Stalls").locator("path");
    const color = await shape.evaluate((path) => getComputedStyle(path).fill);
    expect(color).toBe(await canvas(page).evaluate((canvas) => getComputedStyle(canvas).getPropertyValue("--seat-1")));
    // A ring from near, a disc from afar.
    const circles = async () => (await shape.getAttribute("d"))!.split("Z").length - 1;
    await expect.poll(circles).toBe(2);
  });
  const both = async () => [(await pixels(page, "--seat-1")) > 0, (await pixels(page, "--seat-2")) > 0];
  await expect.poll(both).toEqual([true, true]);
  const circle = price(page, "Circle ¥58");
  await expect(circle).toHaveAttribute("aria-pressed", "false");
  await circle.click();
  await expect(circle).toHaveAttribute("aria-pressed", "true");
  await expect.poll(both).toEqual([false, true]);
  // The list begins with the first row of what is left.
  await expect(list(page).getByLabel("Section", { exact: true })).toHaveValue("1");
  await expect(list(page).getByRole("group")).toHaveAccessibleName("Section C, row 1");
  await price(page, "Stalls ¥88").click();
  await expect.poll(both).toEqual([true, true]);
  await price(page, "Stalls ¥88").click();
  await circle.click();
  await expect(circle).toHaveAttribute("aria-pressed", "false");
  await expect.poll(both).toEqual([true, true]);
  expect(await canvas(page).boundingBox()).toEqual(before);
});

test("categories have names in each language, a custom layout's stay as they are", async ({ openTickets, page, post, visitor }) => {
  const sale = await openTickets({ hall: "arena" });
  await openLive(page, sale.path);
  await expect(price(page, "Lower tier ¥88")).toBeVisible();
  const chinese = await visitor({ locale: "zh-CN" });
  await chinese.goto(sale.path);
  for (const name of ["内场", "下层看台", "上层看台"]) await expect(chinese.getByRole("meter", { name })).toBeAttached();
  expect(await english(chinese.getByRole("main"), sale.id)).toEqual([]);

  const layout = { categories: ["stalls", "lounge"], sections: [
    { id: "P", category: "stalls", rows: [8, 8] },
    { id: "L", category: "lounge", rows: [6], y: 4 },
  ] };
  const own = await post<{ sale: string }>("/api/ticket/open", { layout, prices: { stalls: 5_000, lounge: 9_000 } });
  await chinese.goto(`/tickets/${encodeURIComponent(own.sale)}`);
  for (const name of ["stalls", "lounge"]) await expect(chinese.getByRole("meter", { name, exact: true })).toBeAttached();
});

test("the demand has a scale", async ({ openTickets, page, post }) => {
  await page.setViewportSize(DESK);
  const sale = await openTickets();
  await openLive(page, sale.path);
  const before = await drawn(page);
  const scale = region(page).getByRole("img", { name: /^Colors from 0 to/ });
  await expect(scale).toBeHidden();
  await region(page).getByRole("button", { name: "Demand" }).click();
  await expect(scale).toHaveAccessibleName("Colors from 0 to 0.5 attempts/s per 100 seats");
  // At 596 seats, and for as long as it takes to be seen: what is over is forgotten within seconds.
  const arrival = { kind: "constant", per_s: 50 };
  const { run } = await post<{ run: string }>("/api/crowd/start", { sale: sale.id, users: 100_000, concurrency: 20, repeat_rate: 0, arrival });
  await expect(scale).toHaveAccessibleName(/Colors from 0 to ([1-9]|\d\d)\.0 attempts/);
  await post("/api/crowd/stop", { run });
  await expect(scale).toContainText("attempts/s per 100 seats");
  expect(await canvas(page).boundingBox()).toEqual(before);
});

test("before the map is drawn, its place says what it waits for", async ({ openTickets, page }) => {
  const sale = await openTickets();
  const arrive = await holdBack(page);
  await page.goto(sale.path, { waitUntil: "commit" });
  const waiting = page.getByText("Loading the seat map…");
  await expect(waiting).toBeVisible();
  arrive();
  await drawn(page);
  await expect(waiting).toBeHidden();
});

for (const [width, height, least] of [[1366, 640, 320], [1280, 720, 360], [2560, 1440, 800]]) {
  test(`the ring fills its stage: ${width} by ${height}`, async ({ openTickets, page, complaints }) => {
    complaints.forgive(/willReadFrequently/);
    await page.setViewportSize({ width, height });
    const sale = await openTickets({ hall: "stadium" });
    await openLive(page, sale.path);
    const box = await drawn(page);
    const ring = await extent(page);
    expect(ring.height).toBeGreaterThanOrEqual(least);
    expect(ring.width / ring.height, "an oval").toBeGreaterThan(1.6);
    expect(Math.max(ring.width / box.width, ring.height / box.height)).toBeGreaterThan(0.95);
    // The keys are all there, uncut.
    await expect(region(page).getByRole("group", { name: "Show only these categories" }).getByRole("button")).toHaveCount(6);
    for (const category of [1, 6]) await expect(price(page, `Category ${category}`)).toBeInViewport({ ratio: 1 });
  });
}

test("on a phone held sideways, the map has most of the screen", async ({ openTickets, page }) => {
  await page.setViewportSize({ width: 844, height: 390 });
  const sale = await openTickets({ hall: "stadium" });
  await openLive(page, sale.path);
  const { height } = await drawn(page);
  expect(height).toBeGreaterThanOrEqual(200);
  // What is above it is low enough for it to be seen at once.
  await expect(canvas(page)).toBeInViewport({ ratio: 0.3 });
  const middles = await strip(page).locator(":scope > *").evaluateAll((parts) =>
    parts.map((part) => part.getBoundingClientRect()).map(({ top, height }) => top + height / 2),
  );
  expect(Math.max(...middles) - Math.min(...middles), "pixels between the middles of the strip's parts").toBeLessThan(8);
  await canvas(page).scrollIntoViewIfNeeded();
  await expect(canvas(page)).toBeInViewport({ ratio: 0.99 });
  // Nothing stays over what is scrolled to.
  await choice(page).getByRole("button", { name: "Hold best available" }).click();
  await expect(orders(page).getByText("Held for you")).toBeVisible();
});

test("a press selects where seats are 24 pixels apart, and comes closer where they are not", async ({ openTickets, page }) => {
  await page.setViewportSize(DESK);
  const sale = await openTickets({ hall: "stadium" });
  await openLive(page, sale.path);
  const box = await drawn(page);
  const middle = { x: box.width / 2, y: box.height / 2 };
  const number = async (x: number) => {
    // Not the card of the seat before.
    await page.mouse.move(0, 0);
    await expect(card(page)).not.toContainText(/C01-/);
    await canvas(page).hover({ position: { x, y: middle.y } });
    await expect(card(page)).toContainText(/C01-\d\d-\d\d/);
    return Number(/C01-\d\d-(\d\d)/.exec((await card(page).textContent())!)![1]);
  };
  await canvas(page).click({ position: { x: middle.x, y: box.height * 0.9 } });
  const [left, right] = [await number(middle.x - 120), await number(middle.x + 120)];
  expect(Math.abs(right - left), "seats on 240 pixels").toBeLessThanOrEqual(10);
  await expect(choice(page).getByRole("listitem")).toHaveCount(0);
  // A step farther away, they are nearer to each other.
  await region(page).getByRole("button", { name: "Zoom out" }).click();
  expect(Math.abs((await number(middle.x + 120)) - (await number(middle.x - 120)))).toBeGreaterThan(10);
  await canvas(page).click({ position: middle });
  await expect(choice(page).getByRole("listitem")).toHaveCount(0);
  await canvas(page).click({ position: middle });
  await expect(choice(page).getByRole("listitem")).toHaveText([/C01-/]);
});

test("a selection that leaves a single seat says so, and can be held", async ({ openTickets, page, post }) => {
  const sale = await openTickets();
  await post("/api/ticket/reserve", { sale: sale.id, user: "Lan", seats: ["S-01-08"] });
  await openLive(page, sale.path);
  const hint = choice(page).getByRole("status").filter({ hasText: "Your selection leaves" });
  await seat(page, 1, 4).click();
  await expect(hint).toHaveCount(0);
  await seat(page, 1, 6).click();
  await expect(hint).toHaveText("Your selection leaves S-01-05, S-01-07 as single free seats.");
  await seat(page, 1, 5).click();
  await expect(hint).toHaveText("Your selection leaves S-01-07 as a single free seat.");
  await choice(page).getByRole("button", { name: "Hold these seats" }).click();
  await expect(orders(page).getByText("Held for you")).toBeVisible();
  await expect(hint).toHaveCount(0);
  // At the aisle.
  await seat(page, 1, 2).click();
  await expect(hint).toHaveText(/S-01-01, S-01-03/);
});

test("on a phone, a seat's card is within the map", async ({ openTickets, page }) => {
  await page.setViewportSize(PHONE);
  const sale = await openTickets();
  await openLive(page, sale.path);
  const box = await drawn(page);
  await seat(page, 1, 9).click();
  await list(page).getByRole("button", { name: "Show on map" }).click();
  const shown = card(page).locator(".seat-card");
  await expect(shown).toBeVisible();
  for (const share of [0.3, 0.49, 0.51, 0.95]) {
    await canvas(page).hover({ position: { x: box.width * share, y: box.height / 2 } });
    await expect(shown).toBeVisible();
    const [inner, outer] = [(await shown.boundingBox())!, (await page.locator(".hall").boundingBox())!];
    expect(inner.x, `the left edge at ${share}`).toBeGreaterThanOrEqual(outer.x);
    expect(inner.x + inner.width, `the right edge at ${share}`).toBeLessThanOrEqual(outer.x + outer.width);
  }
});

test("on a phone, the map is a low strip while a form is read, and has its height again at the top and for a seat", async ({ openTickets, page }) => {
  await page.setViewportSize(PHONE);
  const sale = await openTickets();
  await openLive(page, sale.path);
  const { height } = await drawn(page);
  const hall = page.locator(".hall");
  await seat(page, 1, 9).click();
  await page.mouse.wheel(0, 600);
  await expect.poll(async () => (await hall.boundingBox())!.height).toBeLessThan(96);
  await expect.poll(async () => (await page.getByRole("tablist").boundingBox())!.y, "the strip, the map and a gap").toBeLessThan(260);
  await expect(hall).toBeInViewport({ ratio: 1 });
  // All of it, drawn anew.
  const [drawnOn, shown] = [await canvas(page).boundingBox(), await hall.boundingBox()];
  expect(Math.abs(drawnOn!.height - shown!.height)).toBeLessThan(4);
  const isWhole = async () => {
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
    await expect.poll(async () => (await hall.boundingBox())!.height).toBeCloseTo(height, -1);
    await expect(region(page).getByRole("button", { name: "Zoom in" })).toBeVisible();
  };
  await expect(region(page).getByRole("button", { name: "Zoom in" })).toBeHidden();
  await canvas(page).focus();
  await isWhole();
  // A map that has the focus zooms by the wheel.
  await page.mouse.move(PHONE.width / 2, PHONE.height - 100);
  await page.mouse.wheel(0, 600);
  await expect.poll(async () => (await hall.boundingBox())!.height).toBeLessThan(96);
  await list(page).getByRole("button", { name: "Show on map" }).click();
  await isWhole();
});

test("how the map is used is unfolded from its tools, and described to screen readers", async ({ openTickets, page }) => {
  await page.setViewportSize(DESK);
  const sale = await openTickets();
  await openLive(page, sale.path);
  await drawn(page);
  await expect(canvas(page)).toHaveAccessibleDescription(/^Drag to move\./);
  await expect(page.getByText("Drag to move.")).toBeHidden();
  await page.locator(".map-help > summary").click();
  await expect(page.getByText("Drag to move.")).toBeInViewport({ ratio: 1 });
  await clean(page);
});

test("all that lies over the map is clean", async ({ openTickets, page }) => {
  const sale = await openTickets();
  await openLive(page, sale.path);
  await drawn(page);
  await seat(page, 1, 3).click();
  await region(page).getByRole("button", { name: "Demand" }).click();
  await price(page, "Stalls").click();
  await choice(page).getByRole("button", { name: /^S-01-03/ }).click();
  await expect(overview(page)).toBeVisible();
  await clean(page);
});
