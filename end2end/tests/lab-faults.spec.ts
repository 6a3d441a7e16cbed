// Faults: injected by a button, read in the timeline until they heal, and refused where the server does not allow them.

import type { Page } from "@playwright/test";
import { expect, open, post, test as base } from "../fixtures";
import { clean, english, fitsEverywhere } from "../looks";
import type { Running } from "../server";

/** A server at which faults may be injected. */
const test = base.extend<{ faulty: Running }>({
  faulty: async ({ own }, use) => use(await own.serve(["--faults"])),
});

const faults = (page: Page) => page.getByRole("region", { name: "What to break" });
const timeline = (page: Page, fault: string) => page.getByRole("region", { name: "Timeline" }).getByRole("article", { name: fault }).first();

test("a fault is injected by its button, and its timeline says how it healed", async ({ page, faulty }) => {
  await open(page, `${faulty.url}/lab`);
  await page.getByRole("link", { name: "Rehearse an outage" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Faults" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Timeline" })).toContainText("Nothing has been injected");

  await test.step("one that happens at once", async () => {
    await faults(page).getByRole("button", { name: "Forget the scripts: Inject" }).click();
    const found = timeline(page, "Forget the scripts");
    await expect(found).toContainText("Redis flushed its scripts");
    await expect(found).toContainText("got NOSCRIPT, and sent its source in the same call");
    await expect(found).toContainText("Healed");
  });

  await test.step("one that lasts, ended early", async () => {
    // Longer than the page asks for: all of this is to happen meanwhile.
    await page.route("**/api/lab/inject", (route) => route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), ms: 60_000 }) }));
    const button = faults(page).getByRole("button", { name: /^Stop the ledger's writer: Inject for 10 s$/ });
    await button.click();
    const found = timeline(page, "Stop the ledger's writer");
    await expect(found).toContainText("In progress");
    await expect(button).toBeDisabled();
    await found.getByRole("button", { name: "End it now" }).click();
    await expect(found).toContainText("The fault was ended early.");
    await expect(found).toContainText(/The ledger has (everything that happened|caught up)/);
    await expect(found).toContainText("Healed");
    await expect(button).toBeEnabled();
    await expect(page.getByRole("status").filter({ hasText: /^Stop the ledger's writer: Healed, .* s after the fault ended$/ })).toBeVisible();
  });
});

test("a stock sale's quantity expires, and the next purchase loads it", async ({ page, request, faulty }) => {
  const api = <Answer>(path: string, body: object) => post<Answer>(request, `${faulty.url}${path}`, body);
  await api("/api/stock/open", { id: "phones", quantity: 10 });
  await api("/api/stock/deduct", { sale: "phones", user: "ann", quantity: 1 });
  await open(page, `${faulty.url}/lab/faults`);
  await faults(page).getByRole("button", { name: "Expire a quantity: Inject at phones" }).click();
  const found = timeline(page, "Expire a quantity");
  await expect(found).toContainText("The cached quantity, 9, is gone.");
  await expect(found).toContainText("Waiting for the next deduction");
  await api("/api/stock/deduct", { sale: "phones", user: "bob", quantity: 1 });
  await expect(found).toContainText("loaded the quantity: 9.");
  await expect(found).toContainText("Healed");
});

test("what cuts Redis off heals by itself, and nothing is lost", async ({ page, request, faulty, complaints }) => {
  // The page goes on asking which sales are open.
  complaints.forgive(/503 \(Service Unavailable\)/);
  const api = <Answer>(path: string, body: object) => post<Answer>(request, `${faulty.url}${path}`, body);
  await api("/api/red-packet/open", { id: "s", count: 10, total_cents: 1_000, splitter: "equal" });
  await api("/api/red-packet/claim", { sale: "s", user: "ann", request_id: "a" });
  await open(page, `${faulty.url}/lab/faults`);
  // By its button, it lasts for twenty seconds.
  await api("/api/lab/inject", { fault: "wire_slow", ms: 1_000 });
  await expect(timeline(page, "Slow the wire down")).toContainText(/What is sent to Redis arrives .* ms later\./);
  await expect(timeline(page, "Slow the wire down")).toContainText("Healed");
  const press = (name: string | RegExp) => faults(page).getByRole("button", { name }).click();
  const courses = [
    { name: "Cut the wire", says: /Every connection to Redis was closed\./, inject: () => press(/^Cut the wire: Inject/) },
    {
      name: "Kill Redis",
      says: /Redis process .* was killed\./,
      inject: async () => {
        await press("Kill Redis");
        await press("Yes, kill it");
      },
    },
  ];
  for (const { name, says, inject } of courses) {
    await test.step(name, async () => {
      await inject();
      const found = timeline(page, name);
      await expect(found).toContainText(says);
      await expect(found).toContainText("Healed");
    });
  }
  const again = await api<{ outcome: string }>("/api/red-packet/claim", { sale: "s", user: "ann", request_id: "a" });
  expect(again.outcome).toBe("repeat");
});

test("while Redis is away, the page does not say that there is no sale, and comes back by itself", async ({ page, request, faulty, complaints }) => {
  complaints.forgive(/503 \(Service Unavailable\)/);
  const api = <Answer>(path: string, body: object) => post<Answer>(request, `${faulty.url}${path}`, body);
  await api("/api/stock/open", { id: "phones", quantity: 10 });
  const { incident } = await api<{ incident: string }>("/api/lab/inject", { fault: "wire_cut", ms: 15_000 });
  // As the server sends it: the wire is cut for 15 seconds at most.
  await page.goto(`${faulty.url}/lab/faults`);
  await expect(faults(page)).toContainText("The open stock sales could not be loaded.");
  await expect(faults(page)).not.toContainText("No stock sale is open.");
  // In red, with an incident in progress: as much as there is on this page.
  await expect(timeline(page, "Cut the wire").getByRole("button", { name: "End it now" })).toBeVisible();
  await expect(page.getByRole("banner").getByRole("button").last()).toBeEnabled();
  await clean(page);
  await api("/api/lab/end-fault", { incident });
  await expect(faults(page).getByRole("button", { name: "Expire a quantity: Inject at phones" })).toBeEnabled();
});

test("the lab says that Redis is away, and when it is back", async ({ page, request, faulty, complaints }) => {
  complaints.forgive(/503 \(Service Unavailable\)/);
  const api = <Answer>(path: string, body: object) => post<Answer>(request, `${faulty.url}${path}`, body);
  await open(page, `${faulty.url}/lab`);
  await expect(page.getByRole("button", { name: "Run", exact: true })).toBeEnabled();
  const { incident } = await api<{ incident: string }>("/api/lab/inject", { fault: "wire_cut", ms: 15_000 });
  const banner = page.getByRole("alert").filter({ hasText: "Redis is unreachable" });
  await expect(banner).toBeVisible();
  await api("/api/lab/end-fault", { incident });
  await expect(banner).toBeHidden();
});

test("without --faults there is no button, and the page says how to start a server", async ({ page }) => {
  await open(page, "/lab/faults");
  await expect(page.getByRole("main")).toContainText("stampede serve --demo --faults");
  await expect(faults(page).getByRole("listitem")).toHaveCount(6);
  await expect(page.getByRole("main").getByRole("button")).toHaveCount(0);
});

test("no English word is left on a Chinese page, and nothing sticks out", async ({ visitor, faulty, request }) => {
  await post(request, `${faulty.url}/api/lab/inject`, { fault: "writer_stopped", ms: 100 });
  const page = await visitor({ locale: "zh-CN" });
  await open(page, `${faulty.url}/lab/faults`);
  const found = page.getByRole("region", { name: "时间线" }).getByRole("article", { name: "停止账本写入" });
  await expect(found).toContainText("已恢复");
  // The process that writes is named by its host.
  const writer = (await found.getByRole("listitem").filter({ hasText: "正在写入账本" }).innerText()).split(" ")[2] ?? "";
  expect(await english(page.getByRole("main"), writer, "SCRIPT FLUSH", "SIGKILL", "AOF", "--redis", "TLS")).toEqual([]);
  await clean(page);
  await fitsEverywhere(page);
  await page.close();
});
