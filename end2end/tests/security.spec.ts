// Answers to invalid requests, and headers that restrict browsers.

import { expect, open, tab, test } from "../fixtures";

test("every answer keeps browsers from guessing and framing", async ({ request, sale }) => {
  const [style] = (await (await request.get("/")).text()).match(/\/pkg\/stampede\.\w+\.css/) ?? [];
  expect(style, "the style sheet of the page").toBeDefined();
  for (const path of ["/", sale.path, "/healthz", "/readyz", style!, "/favicon.svg", "/api/no-such-thing", "/nowhere"]) {
    const headers = (await request.get(path)).headers();
    expect.soft(headers, path).toMatchObject({
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      "referrer-policy": "same-origin",
    });
  }
});

test("the live view of an unknown sale is a 404 that says so", async ({ request, sale }) => {
  const unknown = await request.get("/live/red-packet/nobody-opened-this");
  expect(unknown.status()).toBe(404);
  expect(await unknown.json()).toMatchObject({ error: { code: "unknown_sale" } });
  const noEvent = await request.get(`/live/red-packet/${sale.id}?after=yesterday`);
  expect(noEvent.status()).toBe(400);
  expect(await noEvent.json()).toMatchObject({ error: { code: "bad_request", field: "after" } });
});

test("text that looks like HTML stays text", async ({ openSale, page, post, request }) => {
  const sale = await openSale({ id: `</title><b>${crypto.randomUUID()}</b>` });
  const user = "<img src=x onerror=alert(1)>";
  await post("/api/red-packet/claim", { sale: sale.id, user });
  expect(await (await request.get(sale.path)).text()).not.toContain(sale.id);
  page.on("dialog", () => expect(false, "a script ran").toBe(true));
  await open(page, `${sale.path}?tab=attempts`);
  await expect(page).toHaveTitle(`Red packets ${sale.id} · Stampede`);
  await expect(page.getByText(sale.id, { exact: true })).toBeVisible();
  await expect(page.getByRole("cell", { name: user })).toBeVisible();
  await expect(page.getByRole("main").getByRole("img")).toHaveCount(0);
  await open(page, "/");
  await expect(page.getByRole("link", { name: sale.id })).toBeVisible();
});

test("an id that needs encoding has its page and its live view", async ({ openSale, page, post }) => {
  const sale = await openSale({ id: `a/b?c#d%20 红包 & ${crypto.randomUUID().slice(0, 8)}` });
  await open(page, sale.path);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await post("/api/red-packet/claim", { sale: sale.id, user: "Mei" });
  await expect(page.getByRole("meter", { name: "Claimed" })).toHaveAttribute("aria-valuenow", "1");
  // What changes the rest of the address leaves the id as it is.
  await tab(page, "Audit");
  await expect(page).toHaveURL(`${sale.path}?tab=audit`);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await page.keyboard.press("f");
  await expect(page).toHaveURL(`${sale.path}?tab=audit&present=1`);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expect(page.getByText(sale.id, { exact: true })).toBeVisible();
  // A filter for it finds it, also where the browser follows the address.
  await open(page, "/?id=nobody-opened-this");
  const filter = page.getByRole("searchbox", { name: "ID or title contains" });
  await filter.fill(sale.id);
  await filter.press("Enter");
  await expect(page.getByRole("link", { name: sale.id })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("link", { name: sale.id })).toBeVisible();
});

test("an id that no page can hold is refused on a page that works", async ({ page, complaints }) => {
  complaints.forgive(/400 \(Bad Request\)/);
  await open(page, "/stock/%00");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.getByRole("link", { name: "Go to sales" }).click();
  await expect(page).toHaveURL("/");
});

test("many who come at once get each their own page", async ({ openSale, request }) => {
  const sales = await Promise.all(Array.from({ length: 4 }, () => openSale()));
  const visits = Array.from({ length: 24 }, async (_, visit) => {
    const sale = sales[visit % sales.length];
    const answer = await request.get(sale.path, { headers: { "accept-language": visit % 3 ? "en" : "zh" } });
    expect.soft(answer.status()).toBe(200);
    const html = await answer.text();
    const [title, lang] = visit % 3 ? [/<title>Red packets \w+ \w+ · Stampede<\/title>/, "en"] : [/<title>红包 \p{Script=Han}{4} · Stampede<\/title>/u, "zh-CN"];
    expect.soft(title.test(html), `${title}`).toBe(true);
    for (const part of [`<html lang="${lang}"`, sale.id, "</main>"]) {
      expect.soft(html.includes(part), part).toBe(true);
    }
  });
  await Promise.all(visits);
});

test("whoever leaves before the page is there does no harm", async ({ sale, server }) => {
  const visits = Array.from({ length: 24 }, async (_, visit) => {
    const leave = new AbortController();
    const page = fetch(server.url + sale.path, { signal: leave.signal })
      .then((answer) => answer.text())
      .catch(() => {});
    // Some leave at once, some in the middle.
    for (let turns = visit % 20; turns > 0; turns--) await new Promise(setImmediate);
    leave.abort();
    await page;
  });
  await Promise.all(visits);
  expect((await fetch(server.url + sale.path)).status).toBe(200);
});

test("a script that is not ours does not run", async ({ page, sale, complaints }) => {
  complaints.forgive(/Content Security Policy/);
  await open(page, sale.path);
  const refused = await page.evaluate(
    () =>
      new Promise<string>((heard) => {
        document.addEventListener("securitypolicyviolation", (violation) => heard(violation.effectiveDirective));
        const script = document.createElement("script");
        script.textContent = "document.title = 'taken over'";
        document.body.append(script);
      }),
  );
  expect(refused).toMatch(/^script-src/);
  await expect(page).not.toHaveTitle("taken over");
});
