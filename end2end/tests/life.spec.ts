// The life of a sale: it opens by itself, is paused and goes on, and has a title.

import { type Page } from "@playwright/test";
import { definition, expect, open, openLive, strip, tab, test } from "../fixtures";
import { kinds } from "../kinds";
import { listed } from "../list";
import { clean, fitsEverywhere } from "../looks";

type Opened = { sale: string };
type Post = <Answer>(path: string, body: object) => Promise<Answer>;

const menu = (page: Page) => page.getByRole("main").locator(".more > summary");
const claim = (page: Page) => page.getByRole("region", { name: "Try it yourself" }).getByRole("button", { name: "Claim a packet" });
const state = (page: Page, name: string) => expect(strip(page).locator(".badge", { hasText: name })).toBeVisible();

/** Opens a red packet sale with this plan, and returns the path of its page. */
async function planned(post: Post, plan: object): Promise<{ id: string; path: string }> {
  const terms = { total_cents: 10_000, count: 100, splitter: "equal", ...plan };
  const { sale } = await post<Opened>("/api/red-packet/open", terms);
  return { id: sale, path: `/red-packets/${encodeURIComponent(sale)}` };
}

/** Opens a folded action of the menu, and returns its form. */
async function action(page: Page, name: string) {
  await menu(page).click();
  await page.locator(".action-form > summary", { hasText: name }).click();
  return page.getByRole("form", { name });
}

test("a scheduled sale opens by itself in every window, however wrong their clocks are", async ({ page, visitor, post }) => {
  const sale = await planned(post, { opens_in_s: 600 });
  const windows = [page, await visitor(), await visitor()];
  for (const [place, minutes] of [[1, 11], [2, -11]]) {
    await windows[place].clock.install({ time: Date.now() + minutes * 60_000 });
  }
  for (const window of windows) {
    await openLive(window, sale.path);
    await window.evaluate(() => {
      // Each sentence is there for some seconds only.
      const [place, said] = [document.querySelector("main > p.unseen")!, [] as string[]];
      new MutationObserver(() => said.push(place.textContent!)).observe(place, { characterData: true, childList: true, subtree: true });
      Object.assign(globalThis, { said });
    });
  }
  for (const window of windows) {
    await state(window, "Scheduled");
    await expect(strip(window).getByRole("timer")).toHaveText(/^Opens in 00:(10:00|0[5-9]:\d\d)$/);
    await expect(claim(window)).toBeDisabled();
    await expect(claim(window)).toHaveAccessibleDescription(/^This sale opens at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d\./);
  }
  await post("/api/sales/schedule", { kind: "red_packet", sale: sale.id, opens_in_s: 20 });
  for (const window of windows) {
    await expect(claim(window)).toBeEnabled();
    await state(window, "Open");
    await expect(window.getByText("This sale is open.")).toHaveCount(1);
    const said = await window.evaluate(() => (globalThis as unknown as { said?: string[] }).said);
    expect(said, "the page was not loaded again").toEqual(expect.arrayContaining(["This sale opens in 10 seconds.", "This sale is open."]));
  }
  await page.getByLabel("Your name").fill("Mei");
  await claim(page).click();
  await expect(page.getByText(/is yours: packet #/)).toBeVisible();
});

for (const kind of kinds) {
  test(`${kind.names.en}: before the start nothing can be had, and a pause is seen live with its reason`, async ({ page, visitor, post }) => {
    const { sale } = await post<Opened>(`/api/${kind.segment}/open`, { ...kind.terms, opens_in_s: 600 });
    const path = `/${kind.pages}/${encodeURIComponent(sale)}`;
    await openLive(page, path);
    await state(page, "Scheduled");
    await expect(definition(page.getByRole("region", { name: "Terms" }), "Opens")).toHaveText(/^\d{4}-\d\d-\d\d /);
    const button = page.getByRole("tabpanel", { name: "Take part" }).getByRole("button", { name: kind.attempt.button }).first();
    await expect(button).toBeDisabled();
    const { outcome } = await post<{ outcome: string }>(`/api/${kind.segment}/${kind.attempt.endpoint}`, { sale, user: "Mei", ...kind.attempt.wanted });
    expect(outcome).toBe("not_open");

    const schedule = await action(page, "Change start or end");
    await schedule.getByLabel("Opens").fill("1 s");
    await schedule.getByRole("button", { name: "Change" }).click();
    await expect(schedule).toHaveCount(0);
    await state(page, "Open");
    await expect(strip(page).getByRole("timer").filter({ hasText: "Opens" })).toHaveCount(0);

    const other = await visitor();
    await openLive(other, path);
    const pause = await action(page, "Pause sale");
    await pause.getByLabel("Reason").fill("The price was wrong");
    await pause.getByRole("button", { name: "Pause" }).click();
    for (const window of [page, other]) {
      await state(window, "Paused");
      await expect(window.locator(".pause-banner")).toContainText("The price was wrong");
    }
    await expect(menu(page), "the focus goes back to the menu").toBeFocused();
    await menu(page).click();
    await page.getByRole("button", { name: "Resume sale" }).click();
    for (const window of [page, other]) {
      await state(window, "Open");
      await expect(window.locator(".pause-banner")).toHaveCount(0);
    }
  });
}

test("a paused and a scheduled sale, with the menu and its forms unfolded, are clean and fit every screen", async ({ page, post }) => {
  const texts = { title: { en: "W".repeat(100) }, description: { en: `${"W".repeat(200)}\nDoors open at nine.` } };
  const sale = await planned(post, { opens_in_s: 600, ...texts });
  await openLive(page, sale.path);
  await expect(page.getByRole("region", { name: "About this sale" })).toContainText("Doors open at nine.");
  await fitsEverywhere(page);
  await action(page, "Edit title and description");
  await clean(page);
  await page.keyboard.press("Escape");
  await post("/api/sales/schedule", { kind: "red_packet", sale: sale.id, opens_in_s: 1 });
  await state(page, "Open");
  await post("/api/sales/pause", { kind: "red_packet", sale: sale.id, reason: "W".repeat(200) });
  await state(page, "Paused");
  await fitsEverywhere(page);
  await clean(page);
});

test("a sale is found by its title, in the language of the reader, also after it was edited", async ({ page, visitor, post }) => {
  const sale = await planned(post, { title: { en: "Ten o'clock sneakers", zh: "十点球鞋" } });
  await openLive(page, sale.path);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Ten o'clock sneakers");
  await expect(page).toHaveTitle(/Ten o'clock sneakers/);
  const chinese = await visitor({ locale: "zh-CN" });
  await chinese.goto(sale.path);
  await expect(chinese.getByRole("heading", { level: 1 })).toContainText("十点球鞋");

  const describe = await action(page, "Edit title and description");
  await describe.getByLabel("Title in English").fill("");
  await describe.getByLabel("Title in Chinese").fill("x".repeat(101));
  await describe.getByRole("button", { name: "Save" }).click();
  await expect(describe.getByLabel("Title in Chinese")).toHaveAttribute("aria-invalid", "true");
  await describe.getByLabel("Title in Chinese").fill("九点球鞋");
  await describe.getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("heading", { level: 1 }), "in the other language, without one in the reader's").toContainText("九点球鞋");

  await open(page, "/");
  await page.getByRole("searchbox", { name: "ID or title contains" }).fill("九点球");
  await expect(listed(page, sale.id)).toContainText("九点球鞋");
  await page.getByRole("searchbox", { name: "ID or title contains" }).fill("ten o'clock");
  await expect(page.getByText("No matches.")).toBeVisible();
});

test("the form opens a sale with a start, a title and a currency, and says what is wrong with them", async ({ page }) => {
  await open(page, "/?kind=ticket");
  const form = page.getByRole("form", { name: "Open a ticket sale" });
  await expect(form.getByLabel("Title in English")).toBeHidden();
  await form.getByText("More: start, end, title").click();
  await form.getByLabel("Opens").fill("soon");
  await form.getByLabel("Currency").fill("DM");
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(form.getByLabel("Opens")).toHaveAccessibleDescription(/^Enter a future time/);
  await expect(form.getByLabel("Currency")).toHaveAttribute("aria-invalid", "true");
  await form.getByLabel("Opens").fill("10 min");
  await form.getByLabel("Currency").fill("jpy");
  for (const price of await form.getByRole("group", { name: "Seat prices" }).getByRole("textbox").all()) await price.fill("8,800");
  await form.getByLabel("Title in English").fill("Opening night");
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(page).toHaveURL(/\/tickets\/.+/);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("Opening night");
  await state(page, "Scheduled");
  await expect(page.getByRole("region", { name: "Availability", exact: true })).toContainText("JP¥8,800");
});

test("without JavaScript, a scheduled sale says when it opens", async ({ visitor, post }) => {
  const sale = await planned(post, { opens_in_s: 600, title: { zh: "十点" } });
  const page = await visitor({ javaScriptEnabled: false });
  await page.goto(sale.path);
  await expect(claim(page)).toBeDisabled();
  await expect(claim(page)).toHaveAccessibleDescription(/^This sale opens at .* UTC\./);
  await expect(page.getByRole("heading", { level: 1 })).toContainText("十点");
});

test("a closed sale is reopened, after a question", async ({ page, post, openTickets }) => {
  const sale = await openTickets();
  await openLive(page, sale.path);
  await post("/api/sales/close", { kind: "ticket", sale: sale.id });
  await state(page, "Closed");
  await menu(page).click();
  await page.getByRole("button", { name: "Reopen sale" }).click();
  await page.getByRole("button", { name: "Yes, reopen it" }).click();
  await state(page, "Open");
});

test("a crowd that comes before ten o'clock gets nothing before it", async ({ page, sale }) => {
  await openLive(page, `${sale.path}?tab=crowd`);
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  await panel.getByRole("radio", { name: "Ten o'clock sharp" }).check();
  await strip(page).getByRole("button", { name: "Crowd on a fresh sale" }).click();
  await expect(page).not.toHaveURL(new RegExp(sale.id));
  await expect(definition(page.getByRole("region", { name: "Terms" }), "Opens")).toHaveText(/^\d{4}-\d\d-\d\d /);
  await tab(page, "Crowd");
  const verdict = panel.getByRole("group", { name: "Verdict" });
  await expect(verdict.getByRole("heading", { name: "Verdict Holds" })).toBeVisible({ timeout: 60_000 });
  await expect(definition(verdict, "Before the start")).toHaveText("0");
  const early = definition(panel, "Not started");
  expect(Number((await early.textContent())!.replaceAll(",", "")), "they clicked before the start").toBeGreaterThan(0);
});
