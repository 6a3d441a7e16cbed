import type { Page } from "@playwright/test";
import { expect, look, open, openLive, test } from "../fixtures";
import { expectLeft, listed } from "../list";

/** The menu of what an operator may do with a sale. */
const menu = (page: Page) => page.getByRole("main").locator(".more > summary");

test("an operator closes a sale, and archives it when the ledger has all of it", async ({ page, sale, complaints, inLedger }) => {
  await openLive(page, sale.path);
  const main = page.getByRole("main");
  const countdown = main.getByText(/^\d\d:\d\d:\d\d left$/);
  await expect(countdown).toBeVisible();

  await test.step("closing asks first, and nothing comes under the pointer that a second click would press", async () => {
    const place = await main.getByRole("link", { name: "Present" }).boundingBox();
    await expect(main.getByRole("button", { name: "Close sale" })).toBeHidden();
    await menu(page).click();
    await main.getByRole("button", { name: "Close sale" }).dblclick();
    await expect(page).toHaveURL(sale.path);
    expect(await main.getByRole("link", { name: "Present" }).boundingBox()).toEqual(place);
    // The second click may take the focus away again.
    await expect(main.getByRole("button", { name: "Yes, close it" })).toBeVisible();
    await main.getByRole("button", { name: "Keep it", exact: true }).click();
    await expect(main.getByRole("button", { name: "Close sale" })).toBeFocused();
    await expect(main.getByText("Open", { exact: true })).toBeVisible();
    await main.getByRole("button", { name: "Close sale" }).click();
    await expect(main.getByRole("button", { name: "Yes, close it" })).toBeFocused();
    await main.getByRole("button", { name: "Yes, close it" }).click();
    await expect(main.getByRole("button", { name: "Archive" }), "the focus goes on").toBeFocused();
    await page.keyboard.press("Enter");
    await expect(main.getByRole("button", { name: "Yes, archive it" })).toBeFocused();
    await page.keyboard.press("Escape");
    await expect(main.getByRole("button", { name: "Archive" })).toBeFocused();
  });

  await test.step("nothing counts down or can be tried any more, and the page says why", async () => {
    await expect(countdown).toHaveCount(0);
    const why = "This sale was closed. Unclaimed money was refunded to the sender.";
    const buttons = [
      page.getByRole("region", { name: "Try it yourself" }).getByRole("button", { name: "Claim a packet" }),
      page.getByRole("button", { name: "Let a crowd loose" }),
    ];
    for (const button of buttons) {
      await expect(button).toBeDisabled();
      await expect(button).toHaveAccessibleDescription(why);
    }
  });

  await test.step("the list says what went back", async () => {
    const list = await page.context().newPage();
    await open(list, "/");
    const entry = listed(list, sale.id);
    await expectLeft(entry, "0 of 100 left");
    await expect(entry).toContainText("¥100.00 refunded");
    await list.close();
  });

  await test.step("its page says where its history is", async () => {
    // Opened, closed and refunded.
    await inLedger(sale, 3);
    complaints.forgive(/410 \(Gone\)/);
    await main.getByRole("button", { name: "Archive" }).click();
    await main.getByRole("button", { name: "Yes, archive it" }).click();
    await expect(page.getByRole("heading", { name: "Sale archived" })).toBeVisible();
    await expect(main, "the page that takes its place has the focus").toBeFocused();
    await page.getByRole("link", { name: "View its history" }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("sale")).toBe(sale.id);
    await expect(page.getByRole("table", { name: "Rows, newest first" }).getByText("Closed")).toBeVisible();
  });

  await test.step("the list shows it only when asked for archived sales", async () => {
    const filter = `/?id=${encodeURIComponent(sale.id)}`;
    await page.goto(filter);
    await expect(page.getByText("No matches.")).toContainText("Archived sales were left out.");
    await page.getByRole("link", { name: "Search archived sales" }).click();
    await expect(page).toHaveURL(`/?state=archived&id=${encodeURIComponent(sale.id)}`);
    await expect(page.getByText("No matches.")).toHaveCount(0);
    await expect(page.getByRole("link", { name: sale.id })).toBeVisible();
  });
});

test("what keeps a sale from being archived is said", async ({ page, post, openTickets, inLedger, complaints }) => {
  const sale = await openTickets();
  await post("/api/ticket/reserve", { sale: sale.id, user: "Mei", pick: [{ category: "stalls", count: 1 }] });
  await post("/api/sales/close", { kind: "ticket", sale: sale.id });
  await inLedger(sale, 3);
  await openLive(page, sale.path);
  const best = page.getByRole("form", { name: "Best available" }).getByRole("button");
  await expect(best).toBeDisabled();
  await expect(best).toHaveAccessibleDescription("This sale was closed. No more seats can be held.");
  complaints.forgive(/409 \(Conflict\)/);
  await menu(page).click();
  await page.getByRole("button", { name: "Archive" }).click();
  await page.getByRole("button", { name: "Yes, archive it" }).click();
  const reason = page.getByRole("alert").filter({ hasText: "Nothing was changed." });
  await expect(reason).toContainText("something in it is still pending");
  // It does not lie over the question when that is asked again.
  await page.getByRole("button", { name: "Archive" }).click();
  await expect(reason).toBeHidden();
  await page.getByRole("button", { name: "Keep it" }).click();
});

test("pages that are open when their sale is archived say so, and ask no more", async ({ page, sale, post, visitor, complaints, inLedger }) => {
  complaints.forgive(/410 \(Gone\)/);
  const hidden = await visitor();
  await page.clock.install();
  await openLive(page, sale.path);
  await openLive(hidden, sale.path);
  await look(hidden, "hidden");
  const archived = { kind: "red_packet", sale: sale.id };
  await post("/api/sales/close", archived);
  await inLedger(sale, 3);
  await post("/api/sales/archive", archived);

  await expect(page.getByRole("heading", { name: "Sale archived" })).toBeVisible();
  const asked: string[] = [];
  // The header of every page asks for the health, and notes are loaded once.
  page.on("request", (request) => /\/api\/(health|sales\/notes)$/.test(request.url()) || asked.push(request.url()));
  await page.clock.fastForward("00:10");
  // A page that was disconnected meanwhile learns of it when it reconnects.
  await look(hidden, "visible");
  await expect(hidden.getByRole("heading", { name: "Sale archived" })).toBeVisible();
  expect(asked).toEqual([]);
});

test("the page of an archived sale lists its runs", async ({ sale, post, visitor, complaints, inLedger, startCrowd }) => {
  complaints.forgive(/410 \(Gone\)/);
  const crowd = await startCrowd(sale, { users: 20 });
  await expect.poll(async () => (await crowd()).verdict).toBe("holds");
  const archived = { kind: "red_packet", sale: sale.id };
  await post("/api/sales/close", archived);
  // Opened, won twenty times, closed and refunded.
  await inLedger(sale, 23);
  await post("/api/sales/archive", archived);
  // A run is kept a moment after its verdict.
  await expect.poll(async () => (await post<{ runs: object[] }>("/api/crowd/runs", archived)).runs).toHaveLength(1);
  const page = await visitor({ javaScriptEnabled: false });
  await page.goto(sale.path);
  await expect(page.getByRole("heading", { name: "Sale archived" })).toBeVisible();
  const ended = page.getByRole("region", { name: "How it ended", exact: true });
  await expect(ended).toContainText("0 of 100");
  await expect(ended).toContainText(/¥\d+\.\d\d refunded/);
  await expect(ended.getByRole("term").filter({ hasText: "Expires" })).toBeVisible();
  const runs = page.getByRole("region", { name: "Runs", exact: true });
  await expect(runs.getByRole("row")).toHaveCount(2);
  await expect(runs.getByRole("row").last()).toContainText(/Burst 20 users.*Holds/);
  await expect(runs.getByRole("link", { name: /^HTML / })).toBeVisible();
});
