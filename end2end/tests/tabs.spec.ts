// Many tabs of one browser: those that are hidden keep none from its live view, and live views keep none from the server.

import { type Page } from "@playwright/test";
import { expect, look, open, openLive, post, strip, test } from "../fixtures";
import { certify } from "../server";

const claimed = (page: Page) => page.getByRole("meter", { name: "Claimed" });

test("seven pages that are visible are live over one encrypted server", async ({ visitor, own }) => {
  const server = await own.serve(await certify(own.path));
  const first = await visitor({ baseURL: server.url, ignoreHTTPSErrors: true });
  const { sale } = await post<{ sale: string }>(first.request, "/api/red-packet/open", {
    total_cents: 10_000,
    count: 100,
    splitter: "equal",
  });
  const tabs = [first];
  while (tabs.length < 7) tabs.push(await first.context().newPage());
  // Over HTTP/1.1 the fifth would not be live.
  for (const tab of tabs) await openLive(tab, `/red-packets/${sale}`);
  for (const tab of tabs) expect(await tab.evaluate(() => document.visibilityState)).toBe("visible");
  const protocol = await first.evaluate(() => (performance.getEntriesByType("navigation")[0] as PerformanceNavigationTiming).nextHopProtocol);
  expect(protocol).toBe("h2");

  await first.getByRole("button", { name: "Claim a packet" }).click();
  for (const tab of tabs) await expect(claimed(tab)).toHaveAttribute("aria-valuenow", "1");
});

test("without encryption eight tabs are live, each while it is in front", async ({ sale, page, post }) => {
  const tabs: Page[] = [];
  while (tabs.length < 8) {
    const before = tabs.at(-1);
    if (before) await look(before, "hidden");
    const tab = before ? await page.context().newPage() : page;
    await openLive(tab, sale.path);
    tabs.push(tab);
  }
  await post("/api/red-packet/claim", { sale: sale.id, user: "Mei" });
  const [last, ...others] = tabs.reverse();
  await expect(claimed(last)).toHaveAttribute("aria-valuenow", "1");
  let front = last;
  for (const tab of others) {
    await look(front, "hidden");
    await look(tab, "visible");
    await expect(claimed(tab)).toHaveAttribute("aria-valuenow", "1");
    front = tab;
  }
});

test("without encryption a fifth window says that it is not live, its buttons work, and it is live when another is hidden", async ({
  sale,
  page,
}) => {
  const windows = [page];
  while (windows.length < 4) windows.push(await page.context().newPage());
  for (const window of windows) await openLive(window, sale.path);
  const fifth = await page.context().newPage();
  await open(fifth, sale.path);
  await expect(fifth.getByRole("status").getByText("Not live", { exact: true }).first()).toBeVisible();
  await expect(fifth.getByRole("alert").getByText("This page is not live.")).toBeVisible();
  // It does not claim that there is no crowd.
  await expect(strip(fifth).getByText("Not live", { exact: true })).toBeVisible();

  // Two connections are left: what is done here is answered, and seen where the page is live.
  await fifth.getByRole("button", { name: "Claim a packet" }).click();
  await expect(fifth.getByText(/is yours: packet #1/)).toBeVisible();
  for (const window of windows) await expect(claimed(window)).toHaveAttribute("aria-valuenow", "1");
  await expect(claimed(fifth)).toHaveAttribute("aria-valuenow", "0");

  await look(windows[2], "hidden");
  await expect(fifth.getByText("Live", { exact: true })).toBeVisible();
  await expect(claimed(fifth)).toHaveAttribute("aria-valuenow", "1");
  await expect(fifth.getByText("This page is not live.")).toBeHidden();
  // Now it is the other that has no slot, and says so.
  await look(windows[2], "visible");
  await expect(strip(windows[2]).getByText("Not live", { exact: true })).toBeVisible();

  // A page that the browser has kept counts, too.
  await windows[3].goto("about:blank");
  await expect(windows[2].getByText("Live", { exact: true })).toBeVisible();
  await windows[3].goBack();
  await expect(strip(windows[3]).getByText("Not live", { exact: true })).toBeVisible();
  await fifth.close();
  await expect(windows[3].getByText("Live", { exact: true })).toBeVisible();
});
