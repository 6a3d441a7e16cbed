// Checks of accessibility, and of layouts from a phone to a wall display.

import AxeBuilder from "@axe-core/playwright";
import { type Locator, type Page } from "@playwright/test";
import { expect, test } from "./fixtures";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1440, height: 900 };
const WIDTHS = [390, 520, 760, 1130, 1440, 1920, 2560];

/** A size and a theme. No theme has a layout of its own, so these two show all that there is to see. */
type Look = { viewport: { width: number; height: number }; colorScheme: "light" | "dark" };
export const LIGHT_DESK: Look = { viewport: DESK, colorScheme: "light" };
export const DARK_PHONE: Look = { viewport: PHONE, colorScheme: "dark" };

/** Expects that axe finds nothing in a page as it is now, on the desk in the light and on a phone in the dark. */
export async function clean(page: Page, looks: Look[] = [LIGHT_DESK, DARK_PHONE]): Promise<void> {
  const before = page.viewportSize()!;
  for (const { viewport, colorScheme } of looks) {
    await test.step(`${viewport.width} pixels wide, ${colorScheme}`, async () => {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      // What lies half below the stage, which stays, is no finding.
      await page.evaluate(() => window.scrollTo({ top: 0, behavior: "instant" }));
      // No page has frames, so the results need not be put together in a page of their own, which takes three times as long.
      const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).withTags(RULES).setLegacyMode();
      const { violations } = await axe.analyze();
      const found = violations.map(({ id, nodes }) => ({ id, where: nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`) }));
      expect.soft(found, "violations").toEqual([]);
    });
  }
  await page.setViewportSize(before);
}

/** Expects that the page does not scroll sideways, and that each of its parts holds what is in it. */
export async function fits(page: Page): Promise<void> {
  const { width, beyond, parts } = await page.evaluate(() => {
    // As many as there are regions for a screen reader; asked for by their roles, they would take ten times as long.
    const regions = [...document.querySelectorAll("section[aria-labelledby], section[aria-label], [role=region]")];
    const holds = (region: Element) => getComputedStyle(region).overflowX !== "visible" || region.scrollWidth <= region.clientWidth;
    return {
      width: window.innerWidth,
      beyond: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      parts: regions.filter((region) => !holds(region)).map((region) => region.textContent?.slice(0, 20)),
    };
  });
  expect.soft(beyond, `pixels beyond the right edge, at ${width}`).toBe(0);
  expect.soft(parts, `parts with something sticking out, at ${width}`).toEqual([]);
}

/** Expects that nothing sticks out of a page as it is now, from a phone to a wall. */
export async function fitsEverywhere(page: Page): Promise<void> {
  // Setting the size by Playwright takes ten times as long.
  const browser = await page.context().newCDPSession(page);
  for (const width of WIDTHS) {
    await browser.send("Emulation.setDeviceMetricsOverride", { width, height: 900, deviceScaleFactor: 1, mobile: false });
    await fits(page);
  }
  await page.setViewportSize(page.viewportSize()!);
  await browser.detach();
}

/** Words in English that a region shows, but for names and what programs are called. A region without any text is none. */
export async function english(region: Locator, ...names: string[]): Promise<string[]> {
  const alike = /^(Redis|SHA|NOSCRIPT|UTC|lua|red_packet|claim|Stampede|CSV|JSON|HTML|Shift|Lines|stampede|recover|SALE)$/;
  const shown = (await region.allInnerTexts()).join("\n");
  expect(shown.trim(), "the text of what is looked at").not.toBe("");
  const text = names.reduce((text, name) => text.replaceAll(name, ""), shown);
  return (text.match(/(?<!\w)[A-Za-z_]{3,}(?!\w)/g) ?? []).filter((word) => !alike.test(word));
}
