import { expect, look, openLive, test } from "../fixtures";

test("an operator closes a sale, and archives it when the ledger has all of it", async ({ page, sale, complaints, inLedger }) => {
  await openLive(page, sale.path);
  const main = page.getByRole("main");

  await test.step("closing asks first", async () => {
    await main.getByRole("button", { name: "Close sale" }).click();
    await expect(main.getByRole("button", { name: "Yes, close it" })).toBeFocused();
    await main.getByRole("button", { name: "No", exact: true }).click();
    await expect(main.getByRole("button", { name: "Close sale" })).toBeFocused();
    await expect(main.getByText("Open", { exact: true })).toBeVisible();
    await main.getByRole("button", { name: "Close sale" }).click();
    await main.getByRole("button", { name: "Yes, close it" }).click();
    await expect(main.getByRole("button", { name: "Archive" })).toBeVisible();
  });

  await test.step("who comes now is told so", async () => {
    const mine = page.getByRole("region", { name: "Try it yourself" });
    await mine.getByLabel("Your name").fill("Mei");
    await mine.getByRole("button", { name: "Claim a packet" }).click();
    await expect(mine.getByRole("status")).toContainText("This sale was closed.");
  });

  await test.step("its page says where its history is", async () => {
    // Opened, closed and refunded.
    await inLedger(sale, 3);
    complaints.forgive(/410 \(Gone\)/);
    await main.getByRole("button", { name: "Archive" }).click();
    await main.getByRole("button", { name: "Yes, archive it" }).click();
    await expect(page.getByRole("heading", { name: "Sale archived" })).toBeVisible();
    await page.getByRole("link", { name: "View its history" }).click();
    await expect.poll(() => new URL(page.url()).searchParams.get("sale")).toBe(sale.id);
    await expect(page.getByRole("region", { name: "Rows, newest first" }).getByText("Closed")).toBeVisible();
  });

  await test.step("the list shows it only when asked for archived sales", async () => {
    const filter = `/?id=${encodeURIComponent(sale.id)}`;
    await page.goto(filter);
    await expect(page.getByText("No matches.")).toBeVisible();
    await page.goto(`${filter}&state=archived`);
    await expect(page.getByRole("link", { name: sale.id, exact: true })).toBeVisible();
  });
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
  page.on("request", (request) => asked.push(request.url()));
  await page.clock.fastForward("00:10");
  // Who looked away meanwhile is told when the line stands again.
  await look(hidden, "visible");
  await expect(hidden.getByRole("heading", { name: "Sale archived" })).toBeVisible();
  expect(asked).toEqual([]);
});
