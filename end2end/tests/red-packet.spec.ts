// One sale, one reader: opening it, claiming from it, its end.

import { expect, holdBack, open, openLive, strip, tab, test } from "../fixtures";
import { kinds } from "../kinds";
import { expectLeft, listed } from "../list";

test("the form says what is wrong beside the field, and opens a sale that has its page", async ({ page, sale, complaints }) => {
  complaints.forgive(/400 \(Bad Request\)|409 \(Conflict\)/);
  await open(page, "/");
  const form = page.getByRole("form", { name: "Open a red packet sale" });
  const openSale = form.getByRole("button", { name: "Open sale" });
  const packets = form.getByLabel("Packets");
  await packets.fill("1000001");
  await openSale.click();
  await expect(packets).toHaveAccessibleDescription(/whole number from 1 to 1,000,000/);
  await expect(packets).toHaveAttribute("aria-invalid", "true");
  await packets.fill("20");
  await form.getByLabel("Total amount").fill("ten");
  await openSale.click();
  await expect(form.getByLabel("Total amount")).toHaveAccessibleDescription(/an amount in its currency/);
  await expect(packets).toHaveAttribute("aria-invalid", "false");
  await form.getByLabel("Total amount").fill("88.88");
  await form.getByLabel("Minutes").fill("half");
  await openSale.click();
  await expect(form.getByLabel("Minutes")).toHaveAccessibleDescription("Enter a whole number of minutes.");
  await form.getByLabel("Minutes").fill("30");

  await test.step("an id that is taken is told as taken, and nothing else", async () => {
    await form.getByLabel("ID").fill(sale.id);
    await openSale.click();
    await expect(form.getByLabel("ID")).toHaveAccessibleDescription(/Another sale already has this ID\. Choose a different one/);
    await expect(form).not.toContainText("Up to 64");
    await expect(form, "what is safe for an attempt is said of attempts only").not.toContainText("you get the original answer");
    await form.getByLabel("ID").fill("");
  });

  await form.getByLabel("Split").selectOption("Random cuts");
  await form.getByLabel("Seed").fill("7");
  await openSale.click();
  await expect(page).toHaveURL(/\/red-packets\/.+/);
  await expect(page.getByRole("heading", { level: 1, name: "Red packets" })).toBeVisible();
  const figures = page.getByRole("region", { name: "Figures" });
  await expect(figures).toContainText("¥88.88");
  await expect(page.getByRole("meter", { name: "Pending" })).toHaveAttribute("aria-valuetext", "20 of 20, ¥88.88");
  await expect(page.getByText("Random cuts")).toBeVisible();
});

test("what is left is all of it only when it is", async ({ openSale, visitor, post }) => {
  const sale = await openSale({ count: 100_000, total_cents: 10_000_000, splitter: "equal" });
  await post("/api/red-packet/claim", { sale: sale.id, user: "Mei" });
  const page = await visitor({ javaScriptEnabled: false });
  await page.goto(sale.path);
  await expect(strip(page)).toContainText(/99,999\s*of 100,000\s*99\.999%/);
});

test("the first page lists sales with what is left", async ({ page, sale, post }) => {
  await open(page, "/");
  const entry = listed(page, sale.id);
  await expectLeft(entry, "100 of 100 left");
  await post("/api/red-packet/claim", { sale: sale.id, user: "somebody" });
  await expectLeft(entry, "99 of 100 left");
  // The curve beside it falls by the same, from the right edge on.
  await expect(entry.locator(".sparkline .line")).toHaveAttribute("d", /^M0\.0 0\.0.*L[\d.]+ 2\.0(L|$)/);
  await entry.getByRole("link", { name: sale.id }).click();
  await expect(page).toHaveURL(sale.path);
  await expect(page.getByRole("meter", { name: "Claimed" })).toHaveAttribute("aria-valuenow", "1");
});

test("who claims gets a packet, and the same one again, but only under a name", async ({ openSale, page, complaints }) => {
  complaints.forgive(/400 \(Bad Request\)/);
  const sale = await openSale({ count: 10, total_cents: 1_000, splitter: "equal" });
  await openLive(page, sale.path);
  const mine = page.getByRole("region", { name: "Try it yourself" });
  await mine.getByLabel("Your name").fill("");
  await mine.getByRole("button", { name: "Claim a packet" }).click();
  await expect(mine.getByLabel("Your name")).toHaveAccessibleDescription("Enter a name.");
  await mine.getByLabel("Your name").fill("Mei");
  const grab = mine.getByRole("button", { name: "Claim a packet" });
  await grab.click();
  await expect(mine.getByRole("status")).toHaveText(/¥1\.00\s*is yours: packet #1\./);
  await grab.click();
  await expect(mine.getByRole("status")).toHaveText(/¥1\.00\s*You already have packet #1. Nothing changed\./);

  await expect(page.getByRole("meter", { name: "Pending" })).toHaveAttribute("aria-valuetext", "9 of 10, ¥9.00");
  await expect(page.getByRole("meter", { name: "Claimed" })).toHaveAttribute("aria-valuetext", "1 of 10, ¥1.00");
  await tab(page, "Attempts");
  const rows = page.getByRole("region", { name: "Newest attempts" }).getByRole("row");
  await expect(rows.filter({ hasText: "Won" })).toContainText(["Mei"]);
  await expect(rows.filter({ hasText: "Repeat" })).toContainText(["Mei"]);
  await expect(page.getByRole("region", { name: "Figures" })).toContainText("Mei, packet #1");
});

test("whoever comes too late sees that it is over", async ({ openSale, page, post }) => {
  const sale = await openSale({ count: 1, total_cents: 8 });
  await post("/api/red-packet/claim", { sale: sale.id, user: "the quick one" });
  await openLive(page, sale.path);
  await expect(page.getByText("Sold out", { exact: true }).first()).toBeVisible();
  const mine = page.getByRole("region", { name: "Try it yourself" });
  await mine.getByRole("button", { name: "Claim a packet" }).click();
  await expect(mine.getByRole("status")).toHaveText(/Sold out: every packet has been claimed\./);
  await expect(page.getByRole("meter", { name: "Pending" })).toHaveAttribute("aria-valuetext", "0 of 1, ¥0.00");
});

test("a name that is typed before the browser side has arrived is kept", async ({ page, sale }) => {
  const arrive = await holdBack(page);
  await page.goto(sale.path, { waitUntil: "commit" });
  const mine = page.getByRole("region", { name: "Try it yourself" });
  await mine.getByLabel("Your name").fill("Mei");
  await expect(page.getByRole("button", { name: "Let a crowd loose" })).toBeDisabled();
  arrive();
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
  await mine.getByRole("button", { name: "Claim a packet" }).click();
  await tab(page, "Attempts");
  await expect(page.getByRole("region", { name: "Newest attempts" }).getByRole("row", { name: /Mei Won/ })).toBeVisible();
  // And remembered.
  await open(page, sale.path);
  await expect(mine.getByLabel("Your name")).toHaveValue("Mei");
});

test("what is left of an expired sale goes back to the sender by itself", async ({ openSale, page, post }) => {
  const sale = await openSale({ count: 4, total_cents: 400, splitter: "equal" });
  const claim = async (user: string) => (await post<{ outcome: string }>("/api/red-packet/claim", { sale: sale.id, user })).outcome;
  expect(await claim("Mei")).toBe("won");
  await openLive(page, sale.path);
  await post("/api/sales/schedule", { kind: "red_packet", sale: sale.id, ends_in_s: 1 });
  await expect(page.getByText("Refunded", { exact: true })).toBeVisible();
  await expect(page.getByText("3 packets (¥3.00) were refunded to the sender.")).toBeVisible();
  expect(await claim("late")).toBe("expired");
  expect(await claim("Mei")).toBe("repeat");
});

test("the audit counts and says that it holds; the script that runs is shown, with its name in Redis", async ({ page, sale, post }) => {
  await post("/api/red-packet/claim", { sale: sale.id, user: "Mei" });
  await openLive(page, `${sale.path}?tab=audit`);
  const audit = page.getByRole("region", { name: "Audit" });
  await audit.getByRole("button", { name: "Audit now" }).click();
  await expect(audit.getByRole("row", { name: /All packets accounted for 100 100 Holds/ })).toBeVisible();
  await expect(audit.getByRole("row", { name: /All money accounted for ¥100\.00 ¥100\.00 Holds/ })).toBeVisible();
  await expect(audit.getByRole("cell", { name: "Broken" })).toHaveCount(0);

  const script = await post<{ source: string; sha: string }>("/api/red-packet/script", {});
  await tab(page, "Script");
  const source = page.getByRole("region", { name: "Script", exact: true });
  await expect(source).toContainText(script.sha);
  await source.getByText("Show script").click();
  const shown = source.getByRole("region", { name: "Script source" });
  await expect(shown).toBeVisible();
  expect((await shown.textContent())?.trim()).toBe(script.source.trim());
});

test.describe("before WebAssembly, and without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("the page is whole", async ({ page, sale, post }) => {
    const { packet, cents } = await post<{ packet: number; cents: number }>("/api/red-packet/claim", { sale: sale.id, user: "Mei" });
    const answer = await page.goto(sale.path);
    expect(answer?.status()).toBe(200);
    // By its readable name, and the id beside it.
    await expect(page).toHaveTitle(/^Red packets \w+ \w+ · Stampede$/);
    await expect(page.getByText(sale.id, { exact: true })).toBeVisible();
    // Not by its text: that of a noscript element is skipped.
    await expect(page.locator(".without-script")).toBeVisible();
    await expect(page.locator(".link")).toBeHidden();
    await expect(page.getByRole("meter", { name: "Pending" })).toHaveAttribute("aria-valuenow", "99");
    await expect(page.getByRole("meter", { name: "Claimed" })).toHaveAttribute("aria-valuenow", "1");
    await expect(page.getByRole("region", { name: "Figures" })).toContainText(`Mei, packet #${packet}`);
    for (const name of ["Queues", "Try it yourself", "Amounts claimed"]) {
      await expect(page.getByRole("heading", { name, exact: true })).toBeVisible();
    }
    // The browser can send this form by itself; what needs JavaScript is disabled.
    await expect(page.getByRole("button", { name: "Claim a packet" })).toBeEnabled();
    await expect(page.getByRole("button", { name: "Let a crowd loose" })).toBeDisabled();
    // The tabs are links.
    await page.getByRole("tab", { name: "Attempts" }).click();
    const row = page.getByRole("region", { name: "Newest attempts" }).getByRole("row", { name: /Mei/ });
    await expect(row).toContainText(`¥${(cents / 100).toFixed(2)}`);
    for (const name of ["Crowd", "Audit", "Script"] as const) {
      await page.getByRole("tab", { name }).click();
      await expect(page.getByRole("heading", { name, exact: true })).toBeVisible();
    }
  });

  test("the first page lists the sale", async ({ page, sale, post }) => {
    // A reading of the list is given to others for a while.
    const newest = async () => (await post<{ sales: { sale: string }[] }>("/api/sales", { sort: "-opened_at" })).sales;
    await expect.poll(async () => (await newest()).map(({ sale }) => sale)).toContain(sale.id);
    await page.goto("/");
    await page.getByRole("link", { name: sale.id }).click();
    await expect(page).toHaveURL(sale.path);
  });

  test("no such sale, no such page: 404, and where to go from here", async ({ page, complaints }) => {
    complaints.forgive(/404 \(Not Found\)/);
    const nowhere = [...kinds.map(({ pages }) => [`/${pages}/nobody-opened-this`, "Sale not found"]), ["/nowhere", "Page not found"]];
    for (const [path, says] of nowhere) {
      await test.step(path, async () => {
        const answer = await page.goto(path);
        expect(answer?.status()).toBe(404);
        await expect(page.getByRole("heading", { name: says })).toBeVisible();
        await page.getByRole("main").getByRole("link", { name: "Go to sales" }).click();
        await expect(page).toHaveURL("/");
        await expect(page.getByRole("heading", { name: "Every item sold exactly once" })).toBeVisible();
      });
    }
  });
});

test("what another user got goes with the name, and an attempt that hangs says so", async ({ sale, page }) => {
  await openLive(page, sale.path);
  const form = page.getByRole("region", { name: "Try it yourself" });
  await form.getByLabel("Your name").fill("ann");
  await form.getByRole("button", { name: "Claim a packet" }).click();
  await expect(form).toContainText("is yours: packet #");
  await form.getByLabel("Your name").fill("bob");
  await expect(form).not.toContainText("is yours: packet #");
  let answer = () => {};
  const answered = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/api/red-packet/claim", async (route) => {
    await answered;
    await route.continue();
  });
  await form.getByRole("button", { name: "Claim a packet" }).click();
  await expect(form).toContainText("Waiting for the answer");
  await expect(form).toContainText("You may leave");
  answer();
  await expect(form).toContainText("is yours: packet #");
  await expect(form).not.toContainText("aiting for the answer");
});
