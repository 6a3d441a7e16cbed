// The history of runs: on the page of each sale, two side by side, and as files.

import { readFile } from "node:fs/promises";
import AxeBuilder from "@axe-core/playwright";
import type { Locator, Page } from "@playwright/test";
import { expect, open, openLive, strip, test } from "../fixtures";

const card = (page: Page) => page.getByRole("region", { name: "Runs", exact: true });
const rows = (page: Page) => card(page).getByRole("table").first().locator("tbody").getByRole("row");
const compare = (row: Locator) => row.getByRole("link", { name: /^(Compare|Chosen) / });
const comparison = (page: Page) => page.getByRole("region", { name: "Two runs side by side" });
const line = (page: Page, name: string) => comparison(page).getByRole("row").filter({ has: page.getByRole("rowheader", { name, exact: true }) });

/** Waits until a crowd's run has its verdict. */
async function over(ask: () => Promise<{ verdict: string | null }>): Promise<void> {
  await expect.poll(async () => (await ask()).verdict).toBe("holds");
}

test("a run goes into the history by itself, and two are compared", async ({ page, sale, startCrowd }) => {
  await openLive(page, sale.path);
  await expect(card(page)).toContainText("No runs yet.");
  await over(await startCrowd(sale, { users: 150 }));
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page).first().getByRole("cell")).toContainText([/Burst 150 users/, "150", "100"]);
  await expect(rows(page).first()).toContainText("Holds");

  await over(await startCrowd(sale, { users: 300 }));
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page).first()).toContainText("300 users");

  await compare(rows(page).first()).click();
  await expect(card(page)).toContainText("Choose another run to compare it with.");
  await compare(rows(page).last()).click();
  await expect(comparison(page)).toBeVisible();
  // The earlier one is the first, whichever was chosen first.
  await expect(line(page, "Users").getByRole("cell")).toHaveText(["150", "300", "+150 (+100.0%)"]);
  await expect(line(page, "Won").getByRole("cell")).toHaveText(["100", "0", "−100 (−100.0%)"]);
  // The second crowd came to an emptied sale, which the comparison says before anything that follows from it.
  await expect(line(page, "Left at the start").getByRole("cell")).toHaveText(["100", "0", "−100 (−100.0%)"]);
  await expect(line(page, "Arrival").getByRole("cell")).toHaveText(["Burst", "Burst", ""]);

  // Both over each other, from nothing to the last answer.
  const curves = comparison(page).getByRole("figure");
  await expect(curves).toContainText("Attempts answered");
  await expect(curves.locator(".line")).toHaveCount(2);
  await expect(curves.locator(".line.second")).toHaveCount(1);
  await comparison(page).getByText("View as table").click();
  const table = comparison(page).getByRole("table").last();
  await expect(table.getByRole("columnheader")).toHaveText(["Time", "First", "Second"]);
  await expect(table.locator("tbody").getByRole("row").last().getByRole("cell")).toHaveText(["150", "300"]);

  // A link shows the same, also on another tab of the page.
  await page.getByRole("tab", { name: "Audit" }).click();
  await expect(page).toHaveURL(/runs=.*&tab=audit$/);
  await page.reload();
  await expect(line(page, "Users")).toContainText("300");
  await expect(page.getByRole("banner").getByRole("button").last()).toBeEnabled();
  const { violations } = await new AxeBuilder({ page }).include(".runs").analyze();
  expect(violations).toEqual([]);
  await comparison(page).getByRole("link", { name: "End comparison" }).click();
  await expect(page.getByRole("heading", { name: "Runs", exact: true })).toBeFocused();
  await expect(comparison(page)).toBeHidden();
  await expect(page).toHaveURL(/\?tab=audit$/);
});

test("the presets are named, at tickets as well", async ({ page, openTickets }) => {
  const sale = await openTickets();
  await openLive(page, sale.path);
  await page.getByRole("tab", { name: "Crowd" }).click();
  await page.getByRole("radio", { name: "Everyone at once" }).check();
  await strip(page).getByRole("button", { name: "Let a crowd loose" }).click();
  await expect(rows(page).first()).toContainText("Everyone at once");
  await expect(card(page).getByRole("columnheader", { name: "Held" })).toBeVisible();
});

test("the report is a file that needs nothing else", async ({ page, sale, startCrowd, visitor }) => {
  await over(await startCrowd(sale, { users: 150 }));
  await openLive(page, sale.path);
  const file = async (name: string) => {
    const started = page.waitForEvent("download");
    await rows(page).first().getByRole("link", { name: new RegExp(`^${name} `) }).click();
    const download = await started;
    expect(download.suggestedFilename()).toMatch(new RegExp(`-red-packets-run-\\d{4}-\\d\\d-\\d\\d\\.${name.toLowerCase()}$`));
    return download.path();
  };
  expect(JSON.parse(await readFile(await file("JSON"), "utf8"))).toMatchObject({ sale: sale.id, phase: "done", figures: { outcomes: { won: 100 } } });
  expect(await readFile(await file("CSV"), "utf8")).toContain("figures,outcomes.won,,100\n");

  const html = await readFile(await file("HTML"), "utf8");
  const reader = await visitor({ javaScriptEnabled: false, offline: true });
  const asked: string[] = [];
  reader.on("request", (request) => asked.push(request.url()));
  await reader.setContent(html);
  await expect(reader.getByRole("heading", { level: 1 })).toHaveText(/^Crowd run at \w+ \w+$/);
  await expect(reader.getByText(sale.id, { exact: true }).first()).toBeVisible();
  await expect(reader.getByText("Holds").first()).toBeVisible();
  await expect(reader.getByRole("table").last()).toContainText("All packets accounted for");
  expect(asked).toEqual([]);
});

test("runs are read, and compared, without JavaScript", async ({ sale, startCrowd, visitor }) => {
  await over(await startCrowd(sale, { users: 150 }));
  await over(await startCrowd(sale, { users: 300 }));
  const page = await visitor({ javaScriptEnabled: false });
  await expect(async () => {
    await page.goto(sale.path);
    await expect(rows(page)).toHaveCount(2);
  }).toPass();
  await compare(rows(page).first()).click();
  await compare(rows(page).last()).click();
  await expect(line(page, "Users")).toContainText("300");
});

test("a link to runs that are gone says so", async ({ page, sale }) => {
  await open(page, `${sale.path}?runs=a,b`);
  await expect(card(page)).toContainText("This link names a run that is no longer kept.");
});
