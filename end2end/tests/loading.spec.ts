// What a browser loads, and how often.

import { expect, open, test } from "../fixtures";

test("a second page, and a second visit, load no script and no style again", async ({ page, sale }) => {
  // Of each file of the build, how many bytes came over the network: none when it was kept.
  const loaded = () =>
    page.evaluate(() => {
      const files = performance.getEntriesByType("resource") as PerformanceResourceTiming[];
      return files.filter((file) => file.name.includes("/pkg/")).map((file) => [file.name, file.transferSize] as const);
    });

  await open(page, "/");
  const first = await loaded();
  for (const kind of ["js", "wasm", "css"]) {
    const sizes = first.filter(([name]) => name.endsWith(`.${kind}`)).map(([, size]) => size);
    expect(Math.max(...sizes), kind).toBeGreaterThan(0);
  }
  for (const path of [sale.path, "/"]) {
    await open(page, path);
    const again = await loaded();
    expect(again.length, path).toBeGreaterThanOrEqual(3);
    expect(again.filter(([, size]) => size > 0), path).toEqual([]);
  }
});

test("pages come compressed", async ({ page, sale }) => {
  const answer = await page.goto(sale.path);
  expect(answer?.headers()["content-encoding"]).toMatch(/^(br|gzip)$/);
});

test("a page is whole for everybody who opens it at the same time", async ({ request }) => {
  for (const path of ["/", "/learn?level=14", "/lab/step", "/duel"]) {
    // The server renders with several threads; what one page forgets too early shows only among many.
    for (let round = 0; round < 8; round += 1) {
      const answers = await Promise.all(Array.from({ length: 16 }, () => request.get(path)));
      expect(new Set(answers.map((answer) => answer.status())), path).toEqual(new Set([200]));
    }
  }
});
