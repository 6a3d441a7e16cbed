// Checks of accessibility, and of layouts from a phone to a wall display.

import AxeBuilder from "@axe-core/playwright";
import { type Locator, type Page } from "@playwright/test";
import { expect, tab, test } from "./fixtures";

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
export const PHONE = { width: 390, height: 844 };
export const DESK = { width: 1440, height: 900 };
export const WIDTHS = [390, 520, 760, 1130, 1440, 1920, 2560];

/** Expects no violation, in either theme. */
export async function clean(page: Page): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const) {
    await test.step(colorScheme, async () => {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      // No page has frames, so the results need not be put together in a page of their own, which takes three times as long.
      const axe = new AxeBuilder({ page }).options({ resultTypes: ["violations"] }).withTags(RULES).setLegacyMode();
      const { violations } = await axe.analyze();
      const found = violations.map(({ id, nodes }) => ({ id, where: nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`) }));
      expect(found, "violations").toEqual([]);
    });
  }
}

/** Expects that the page does not scroll sideways, and that each of its parts holds what is in it. */
export async function fits(page: Page): Promise<void> {
  const { width } = page.viewportSize()!;
  const beyond = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  expect.soft(beyond, `pixels beyond the right edge, at ${width}`).toBe(0);
  const parts = await page.getByRole("region").evaluateAll((regions) =>
    regions.filter(
      (region) => getComputedStyle(region).overflowX === "visible" && region.scrollWidth > region.clientWidth,
    ).map((region) => region.textContent?.slice(0, 20)),
  );
  expect.soft(parts, `parts with something sticking out, at ${width}`).toEqual([]);
}

/** Words in English that a region shows, but for names and what programs are called. */
export async function english(region: Locator, ...names: string[]): Promise<string[]> {
  const alike = /^(Redis|SHA|NOSCRIPT|UTC|lua|red_packet|claim|Stampede|CSV|JSON|HTML|Shift|Lines|stampede|recover|SALE)$/;
  const text = names.reduce((text, name) => text.replaceAll(name, ""), (await region.allInnerTexts()).join("\n"));
  return (text.match(/(?<!\w)[A-Za-z_]{3,}(?!\w)/g) ?? []).filter((word) => !alike.test(word));
}

/** Nothing sticks out of the page of a sale, whichever of its tabs is open, from a phone to a wall. */
export async function everyTabFits(page: Page): Promise<void> {
  for (const name of ["Take part", "Crowd", "Attempts", "Audit", "Script"] as const) {
    await tab(page, name);
    if (name === "Crowd") await page.getByText("All settings").click();
    if (name === "Audit") {
      await page.getByRole("button", { name: "Audit now" }).click();
      await expect(page.getByRole("region", { name: "Audit" }).getByRole("row").nth(1)).toBeVisible();
    }
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 900 });
      await fits(page);
    }
  }
}
