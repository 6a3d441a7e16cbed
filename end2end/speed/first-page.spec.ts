// The first visit, with nothing in the cache, over a slow line: when it can be read, and when its buttons work.

import { type Browser } from "@playwright/test";
import { expect, test } from "../fixtures";
import { at } from "../measures";

/** What DevTools call a slow line: 1.6 Mbit/s down, 0.75 Mbit/s up, 150 ms for each request. */
const LINE = { offline: false, latency: 150, downloadThroughput: (1.6e6 / 8) | 0, uploadThroughput: (0.75e6 / 8) | 0 };
const VISITS = 5;
/** What is asked of a page, in milliseconds. */
const READABLE_WITHIN = 1_500;
const WORKS_WITHIN = 4_000;

type Visit = { readable: number; works: number; bytes: number };

test.describe("a first visit over 1.6 Mbit/s", () => {
  test.describe.configure({ timeout: 120_000 });

  test("the list of sales", async ({ browser, baseURL, openSale }) => {
    await openSale();
    await measure("the list of sales", browser, `${baseURL}/`, "main .form-grid button");
  });

  test("a red packet sale", async ({ browser, baseURL, openSale }) => {
    const sale = await openSale();
    await measure("a red packet sale", browser, `${baseURL}${sale.path}`, "main .tab-panel button:enabled");
  });

  test("a stadium", async ({ browser, baseURL, openTickets }) => {
    const sale = await openTickets({ hall: "stadium" });
    await measure("a stadium", browser, `${baseURL}${sale.path}`, "main .tab-panel button:enabled");
  });
});

/** Visits a page a few times, each with an empty cache, and prints the medians. `button` is one that works once the page does. */
async function measure(name: string, browser: Browser, url: string, button: string): Promise<void> {
  const visits: Visit[] = [];
  for (let visit = 0; visit < VISITS; visit++) visits.push(await visited(browser, url, button));
  const median = (figure: (visit: Visit) => number) => at(visits.map(figure), 0.5);
  const [readable, works, bytes] = [median(({ readable }) => readable), median(({ works }) => works), median(({ bytes }) => bytes)];
  console.log(`${name}: readable after ${readable.toFixed(0)} ms, works after ${works.toFixed(0)} ms, ${(bytes / 1_000).toFixed(0)} kB`);
  expect.soft(readable, "readable").toBeLessThan(READABLE_WITHIN);
  expect.soft(works, "its buttons work").toBeLessThan(WORKS_WITHIN);
}

async function visited(browser: Browser, url: string, button: string): Promise<Visit> {
  const context = await browser.newContext();
  const page = await context.newPage();
  const line = await context.newCDPSession(page);
  await line.send("Network.enable");
  await line.send("Network.emulateNetworkConditions", LINE);
  let bytes = 0;
  line.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(url, { waitUntil: "commit" });
  const works = await page.evaluate(
    (button) =>
      new Promise<number>((done) => {
        const look = () => {
          const found = document.querySelector<HTMLButtonElement>(button);
          if (found && !found.disabled) done(performance.now());
          else requestAnimationFrame(look);
        };
        look();
      }),
    button,
  );
  const readable = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0].startTime);
  await context.close();
  return { readable, works, bytes };
}
