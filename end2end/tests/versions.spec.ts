// A page of one version and the files or answers of another, as while servers are upgraded one after the other.

import { type Page } from "@playwright/test";
import { expect, holdBack, look, open, openLive, post, test } from "../fixtures";
import { anotherBuild } from "../server";

/** What browsers say about a file that is not there, and the page about not starting. */
const MISSING = /404 \(Not Found\)|MIME type|dynamically imported module|failed to fetch Wasm|WebAssembly|no style sheet/;
const LIVE = "**/live/**";

const notStarted = (page: Page) => page.getByRole("alert").filter({ hasText: "This page could not be started" });
const otherVersion = (page: Page) => page.getByRole("status").filter({ hasText: "The server has another version of this page." });

/** Counts the documents that a page asks for from now on. */
function documents(page: Page): () => number {
  let count = 0;
  page.on("request", (request) => {
    if (request.isNavigationRequest()) count += 1;
  });
  return () => count;
}

/** Has a page ask for a file of another build, which the server does not have, while `is` says so. */
async function misses(page: Page, file: string, is: () => boolean): Promise<void> {
  await page.route(`**/pkg/*.${file}`, (route, request) =>
    is() ? route.continue({ url: request.url().replace(/\.\w+\.(\w+)$/, ".0123456789abcdef.$1") }) : route.fallback(),
  );
}

/** Goes to a page that may load itself again before it is whole. */
const goTo = (page: Page, url: string) => page.goto(url, { waitUntil: "commit" });

for (const file of ["js", "wasm", "css"]) {
  test(`a page whose file is missing loads itself once more, and starts: ${file}`, async ({ page, sale, complaints }) => {
    complaints.forgive(MISSING);
    const loaded = documents(page);
    await misses(page, file, () => loaded() === 1);
    await goTo(page, sale.path);
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    await expect(notStarted(page)).toHaveCount(0);
    expect(loaded()).toBe(2);
    // Once it has started, the next upgrade may come.
    await misses(page, file, () => loaded() === 3);
    await goTo(page, sale.path);
    await expect.poll(loaded).toBe(4);
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
  });

  test(`a page whose file stays missing says so, and can be read and used: ${file}`, async ({ page, sale, complaints }) => {
    complaints.forgive(MISSING);
    const loaded = documents(page);
    await misses(page, file, () => true);
    await goTo(page, sale.path);
    await expect(notStarted(page)).toBeVisible();
    expect(loaded()).toBe(2);
    await expect(page.getByRole("meter", { name: "Claimed" })).toHaveAttribute("aria-valuenow", "0");
    await page.getByRole("button", { name: "Claim a packet" }).click();
    await expect(page.getByText(/is yours: packet #1\./)).toBeVisible();
    await expect(notStarted(page)).toBeVisible();
    expect(loaded()).toBe(3);

    await page.unroute(`**/pkg/*.${file}`);
    await notStarted(page).getByRole("link", { name: "Try again" }).click();
    await expect(page.getByText("Live", { exact: true })).toBeVisible();
    expect(loaded()).toBe(4);
  });
}

test("a page with an outcome keeps it when it cannot be started", async ({ page, sale, complaints }) => {
  complaints.forgive(MISSING);
  const loaded = documents(page);
  await holdBack(page);
  await goTo(page, sale.path);
  await misses(page, "wasm", () => loaded() === 2);
  await page.getByRole("button", { name: "Claim a packet" }).click();
  await expect(notStarted(page)).toBeVisible();
  await expect(page.getByText(/is yours: packet #1\./)).toBeVisible();
  expect(loaded()).toBe(2);
});

test("a page that cannot be started says so in the language of its reader", async ({ sale, visitor, complaints }) => {
  complaints.forgive(MISSING);
  const page = await visitor({ locale: "zh-CN" });
  await misses(page, "wasm", () => true);
  await goTo(page, sale.path);
  await expect(page.getByRole("alert").filter({ hasText: "此页未能启动" })).toBeVisible();
});

test("an open page goes on with a server of another version, and offers to be loaded again", async ({ page, request, own, complaints }) => {
  complaints.forgive(/ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET/);
  const store = await own.redis();
  const old = await own.serve(["--redis", store.url]);
  const terms = { total_cents: 10_000, count: 100, splitter: "equal" };
  const { sale } = await post<{ sale: string }>(request, `${old.url}/api/red-packet/open`, terms);
  await openLive(page, `${old.url}/red-packets/${sale}`);
  await expect(otherVersion(page)).toHaveCount(0);
  await old.stop();
  await own.serve(["--redis", store.url, "--site-dir", await anotherBuild(own.path)], new URL(old.url).host);

  await expect(otherVersion(page)).toBeVisible();
  await page.getByRole("button", { name: "Claim a packet" }).click();
  await expect(page.getByText(/is yours: packet #1\./)).toBeVisible();
  await otherVersion(page).getByRole("link", { name: "Reload the page" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-build", "another");
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expect(otherVersion(page)).toHaveCount(0);
});

/** What a server of another version might send: messages that this page cannot read. */
const UNREADABLE = { contentType: "text/event-stream", body: 'event: build\ndata: another\n\nid: 1-0\ndata: {"unheard":"of"}\n\n' };

/** Has the live view of a page send what it cannot read, and returns how often it was asked for. */
async function sendUnreadable(page: Page): Promise<() => number> {
  let asked = 0;
  await page.route(LIVE, (route) => {
    asked += 1;
    return route.fulfill(UNREADABLE);
  });
  return () => asked;
}

test("a page that cannot read the live view of another version loads itself again, once", async ({ page, sale, complaints }) => {
  complaints.forgive(/a message of the live view cannot be read/);
  const loaded = documents(page);
  const asked = await sendUnreadable(page);
  await goTo(page, sale.path);
  await expect.poll(loaded).toBe(2);
  await expect(otherVersion(page)).toBeVisible();
  // It goes on looking for a server that it can read.
  const before = asked();
  await expect.poll(asked).toBeGreaterThan(before + 2);
  expect(loaded()).toBe(2);
  await expect(page.getByRole("meter", { name: "Claimed" })).toHaveAttribute("aria-valuenow", "0");
  await page.unroute(LIVE);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await expect(otherVersion(page)).toHaveCount(0);
});

test("a page does not load itself again under its reader's hands", async ({ page, sale, complaints }) => {
  complaints.forgive(/a message of the live view cannot be read/);
  const loaded = documents(page);
  await openLive(page, sale.path);
  const name = page.getByLabel("Your name");
  await name.fill("Me");
  const asked = await sendUnreadable(page);
  await look(page, "hidden");
  await look(page, "visible");
  await expect(otherVersion(page)).toBeVisible();
  await expect.poll(asked).toBeGreaterThan(2);
  expect(loaded()).toBe(1);
  await expect(name).toHaveValue("Me");
  await name.blur();
  await expect.poll(loaded).toBe(2);
});

test("a page that cannot read its answers asks which version the server has, and loads itself again, once", async ({ page }) => {
  const loaded = documents(page);
  await open(page, "/");
  let asked = 0;
  await page.route("**/api/sales", (route) => {
    asked += 1;
    return route.fulfill({ json: { unheard: "of" } });
  });
  await page.route("**/readyz", (route) => route.fulfill({ json: { status: "ready", build: "another" } }));
  await expect.poll(loaded).toBe(2);
  await expect(otherVersion(page)).toBeVisible();
  const before = asked;
  await expect.poll(() => asked).toBeGreaterThan(before + 2);
  expect(loaded()).toBe(2);
});
