// A sale of coupons: claiming, refusals by limit, redeeming, giving back, looking up a user, changing the limits.

import { type Request } from "@playwright/test";
import { definition, expect, open, openLive, tab, test } from "../fixtures";
import { clean, fitsEverywhere } from "../looks";

type Opened = { sale: string };

/** Opens a sale, and returns the path of its page. */
async function openCoupons(post: <A>(path: string, body: object) => Promise<A>, terms: object) {
  const { sale } = await post<Opened>("/api/coupon/open", terms);
  return { id: sale, path: `/coupons/${encodeURIComponent(sale)}` };
}

test("the form says what is wrong beside the field, and opens a sale that has its page", async ({ page, post, complaints }) => {
  complaints.forgive(/400 \(Bad Request\)/);
  await open(page, "/");
  await page.getByRole("region", { name: "Open a sale" }).getByRole("button", { name: "Coupons" }).click();
  const form = page.getByRole("form", { name: "Open a coupon sale" });
  await form.getByLabel("Time zone").fill("Mars/Olympus");
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(form.getByLabel("Time zone")).toHaveAccessibleDescription(/Enter a time zone/);
  await form.getByLabel("Time zone").fill("Europe/Berlin");
  await form.getByLabel("Total", { exact: true }).fill("0");
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(form.getByLabel("Total", { exact: true })).toHaveAccessibleDescription(/from 1 to 1,000,000/);

  await form.getByLabel("Total", { exact: true }).fill("20");
  await form.getByLabel("Per user", { exact: true }).fill("");
  await form.getByLabel("Per user and day").fill("1");
  await form.getByLabel("Coupons given back still count toward the limits").check();
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(page).toHaveURL(/\/coupons\/.+/);
  const sale = decodeURIComponent(new URL(page.url()).pathname.split("/")[2] ?? "");
  expect(await post("/api/coupon/snapshot", { sale })).toMatchObject({ given_back_counts: true, time_zone: "Europe/Berlin" });
  await expect(page.getByRole("heading", { level: 1, name: "Coupons" })).toBeVisible();
  const limits = page.getByRole("region", { name: "Limits", exact: true });
  await expect(limits.getByRole("meter", { name: "Total" })).toHaveAttribute("aria-valuetext", "0 of 20");
  // Where there is no limit, there is nothing to measure.
  await expect(limits.getByText("No limit", { exact: true })).toBeVisible();
  await expect(limits.getByRole("meter", { name: "Per user", exact: true })).toHaveCount(0);
  const reset = limits.getByText(/The next day begins in .+ \(Europe\/Berlin\)\./);
  const shown = await reset.innerText();
  await expect(reset, "it counts down").not.toHaveText(shown);
});

test("a coupon is claimed, copied, redeemed and given back, and a limit refuses by name", async ({ context, page, post }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  // The longest id and name.
  const id = `${crypto.randomUUID()}-`.padEnd(64, "W");
  const sale = await openCoupons(post, { id, total: 10, per_user: 2, per_user_per_day: 2 });
  await openLive(page, sale.path);
  const mine = page.getByRole("region", { name: "Try it yourself" });
  await mine.getByLabel("Your name").fill("W".repeat(64));
  const claim = mine.getByRole("button", { name: "Claim a coupon" });
  await claim.click();
  const answer = mine.locator(".answers");
  await expect(answer).toHaveText(/[0-9A-Z]{4}-[0-9A-Z]{4}-[0-9A-Z]{4}\s*is yours\./);
  const apart = await answer.evaluate((answer) => {
    const [button, sentence] = [answer.querySelector("button")!, answer.querySelector("span:last-of-type:not(.icon)")!];
    return sentence.getBoundingClientRect().left - button.getBoundingClientRect().right;
  });
  expect(apart, "pixels from the button that copies to the sentence").toBeLessThan(16);
  const held = page.getByRole("region", { name: "Coupons of a user" });
  await expect(held.getByRole("row")).toHaveCount(2);
  await expect(page.getByRole("meter", { name: "Per user", exact: true })).toHaveAttribute("aria-valuetext", "1 of 2");
  await fitsEverywhere(page);
  await clean(page);
  await test.step("its code is copied", async () => {
    const code = await answer.locator(".coupon-code").innerText();
    // It is said for a moment only.
    const said = await answer.getByRole("status").evaluateHandle((status) => {
      const said: string[] = [];
      new MutationObserver(() => said.push(status.textContent!)).observe(status, { characterData: true, childList: true, subtree: true });
      return said;
    });
    await answer.getByRole("button", { name: "Copy code" }).click();
    await expect.poll(() => said.jsonValue()).toContain("Copied");
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
  });
  await claim.click();
  await expect(held.getByRole("row")).toHaveCount(3);
  await claim.click();
  await expect(answer).toContainText("You have reached the limit per user.");
  await expect(page.getByRole("meter", { name: "Total" })).toHaveAttribute("aria-valuetext", "2 of 10");
  await expect(page.getByRole("meter", { name: "Per user and day" })).toHaveAttribute("aria-valuetext", "2 of 2");
  await test.step("the stage says who was refused by which limit, and when coupons were claimed", async () => {
    const limits = page.getByRole("region", { name: "Limits", exact: true });
    const refused = (name: string) => limits.locator(".limit").filter({ has: page.getByRole("heading", { name, exact: true }) }).getByText(/\d refused/);
    await expect(refused("Per user")).toHaveText("1 refused");
    await expect(refused("Per user and day")).toHaveText("0 refused");
    await limits.getByText("View as table").click();
    // The minute may have ended in between.
    const claims = async () => (await limits.locator("td.figure").allInnerTexts()).map(Number);
    await expect.poll(async () => (await claims()).reduce((sum, claims) => sum + claims, 0)).toBe(2);
  });

  await held.getByRole("button", { name: /^Redeem / }).first().click();
  await expect(held.getByRole("status")).toContainText("is redeemed.");
  await expect(held.getByRole("status"), "its button is gone").toBeFocused();
  await expect(held.getByRole("button", { name: /^Redeem / })).toHaveCount(1);
  await held.getByRole("button", { name: /^Give back / }).click();
  await expect(held.getByRole("status")).toContainText("is given back.");
  await expect(held.getByRole("button", { name: /^Give back / })).toHaveCount(0);
  await expect(page.getByRole("meter", { name: "Total" })).toHaveAttribute("aria-valuetext", "1 of 10");

  await tab(page, "Attempts");
  const attempts = page.getByRole("region", { name: "Attempts", exact: true });
  await expect(attempts.getByRole("cell", { name: "Refused: limit per user", exact: true })).toHaveCount(1);
  await expect(definition(attempts, /^Per user$/)).toHaveText("1");
  await expect(definition(attempts, /^Total$/)).toHaveText("0");
});

test("where everybody is greedy, the limit per user refuses and is kept", async ({ page, post }) => {
  const sale = await openCoupons(post, { total: 1_000, per_user: 2 });
  await openLive(page, `${sale.path}?tab=crowd`);
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  await panel.getByRole("radio", { name: "All greedy" }).check();
  // So few that all coupons are not gone before anybody claims a third.
  await panel.getByText("All settings").click();
  await panel.getByLabel("Users", { exact: true }).fill("100");
  await expect(panel.getByLabel("Greedy", { exact: true })).toHaveValue("100");
  const started = page.waitForResponse("**/api/crowd/start");
  await panel.getByRole("button", { name: "Let a crowd loose" }).click();
  const { run } = await (await started).json();
  await expect(panel.getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  const { outcomes } = await post<{ outcomes: Record<string, number> }>("/api/crowd/status", { run });
  expect(outcomes.per_user).toBeGreaterThan(0);
});

test("while a crowd runs, the chart shows its claims a second", async ({ page, post }) => {
  const sale = await openCoupons(post, { total: 1000 });
  await openLive(page, `${sale.path}?tab=crowd`);
  const stage = page.getByRole("region", { name: "Limits", exact: true });
  await expect(stage.getByText("Claims per minute")).toBeVisible();
  const arrival = { kind: "constant", per_s: 20 };
  const { run } = await post<{ run: string }>("/api/crowd/start", { sale: sale.id, users: 1000, concurrency: 20, repeat_rate: 0, arrival });
  await expect(stage.getByText("Claims per second, by this crowd")).toBeVisible();
  await expect(stage.locator(".chart .time")).toContainText(/(?<![\d.])[1-9]\d*(\.\d+)? s/);
  await post("/api/crowd/stop", { run });
  await expect(page.locator(".verdict-banner")).toBeVisible();
  // What is pointed at is read on the charts of the panel, too.
  const panel = page.getByRole("region", { name: "Crowd", exact: true });
  await panel.locator(".chart").first().hover();
  await expect(stage.locator(".readout")).toHaveText(/^\d+(\.\d+)? s: [\d,]+\/(s|\d+ ms)$/);
  const shown = (await stage.locator(".readout").innerText()).split(":")[0];
  await expect(panel.locator(".readout").first()).toContainText(`${shown}: `);
  await expect(stage.getByText(/Claims per (second|\d+ ms), by this crowd/), "beside its verdict").toBeVisible();
  const color = (path: string) => stage.locator(path).evaluate((shape) => getComputedStyle(shape).fill);
  const claims = await color(".chart .area");
  await page.reload();
  await expect(stage.getByText("Claims per minute")).toBeVisible();
  expect(await color(".bars path"), "claims have one colour").toBe(claims);
  await expect(stage.locator(".values > span")).toHaveText([/^\d+\/min$/, /^\d+\/min$/, "0"]);
  await expect(stage.getByText(/^mean [\d.]+\/min$/)).toBeVisible();
});

test("a user is looked up by name, and of two who are looked up one after the other the second is shown", async ({ page, post }) => {
  const sale = await openCoupons(post, { total: 10, per_user: 3 });
  for (const user of ["li", "mo"]) await post("/api/coupon/claim", { sale: sale.id, user });
  await openLive(page, sale.path);
  const held = page.getByRole("region", { name: "Coupons of a user" });
  await held.getByLabel("User", { exact: true }).fill("li");
  await held.getByRole("button", { name: "Look up" }).click();
  await expect(held.getByRole("heading", { name: "li" })).toBeVisible();
  await expect(held).toContainText("2 left");
  await held.getByLabel("User", { exact: true }).fill("nobody");
  await held.getByRole("button", { name: "Look up" }).click();
  await expect(held).toContainText("No coupons.");

  // The first answer comes after the second.
  let release = () => {};
  const second = new Promise<void>((done) => (release = done));
  await page.route("**/api/coupon/user", async (route) => {
    if (route.request().postDataJSON().user === "li") await second;
    // Nobody waits for that one any more.
    await route.continue().catch(() => undefined);
  });
  const isFirst = (request: Request) => request.url().endsWith("/api/coupon/user") && request.postDataJSON().user === "li";
  const ended = new Promise<void>((done) => {
    for (const event of ["requestfinished", "requestfailed"] as const) {
      page.on(event as "requestfinished", (request) => isFirst(request) && done());
    }
  });
  for (const user of ["li", "mo"]) {
    await held.getByLabel("User", { exact: true }).fill(user);
    await held.getByRole("button", { name: "Look up" }).click();
  }
  await expect(held.getByRole("heading", { name: "mo" })).toBeVisible();
  release();
  await ended;
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await expect(held.getByRole("heading", { name: "mo" })).toBeVisible();
  await expect(held.getByRole("heading", { name: "li" })).toHaveCount(0);
});

test("limits edited while a crowd runs refuse further claims and break nothing", async ({ page, post }) => {
  const sale = await openCoupons(post, { total: 100_000 });
  await openLive(page, `${sale.path}?tab=crowd`);
  // The last would come after hours.
  const { run } = await post<{ run: string }>("/api/crowd/start", {
    kind: "coupon", sale: sale.id, users: 100_000, concurrency: 100, repeat_rate: 0, arrival: { kind: "constant", per_s: 200 },
  });
  const limits = page.getByRole("region", { name: "Limits", exact: true });
  await expect(limits.getByRole("meter", { name: "Total" })).toHaveAttribute("aria-valuetext", /^[1-9][\d,]* of 100,000$/);
  await tab(page, "Take part");
  const form = page.getByRole("region", { name: "Change the limits" });
  await form.getByLabel("Total", { exact: true }).fill("1");
  await form.getByRole("button", { name: "Set limits" }).click();
  await form.getByRole("button", { name: "Set it" }).click();
  await expect(limits.getByRole("meter", { name: "Total" })).toHaveAttribute("aria-valuetext", /^[\d,]+ of 1$/);
  const outcomes = async () => (await post<{ outcomes: Record<string, number> }>("/api/crowd/status", { run })).outcomes;
  await expect.poll(async () => (await outcomes()).total).toBeGreaterThan(0);
  const { won } = await outcomes();
  await post("/api/crowd/stop", { run });
  await expect(page.locator(".verdict-banner").getByRole("heading", { name: "Verdict Holds" })).toBeVisible();
  expect((await outcomes()).won, "nobody won after the change").toBe(won);
});

test("limits are changed, with a question where nobody would get one any more", async ({ page, post }) => {
  const sale = await openCoupons(post, { total: 10 });
  for (const user of ["ann", "bob", "cid"]) {
    await post("/api/coupon/claim", { sale: sale.id, user });
  }
  await openLive(page, sale.path);
  const form = page.getByRole("region", { name: "Change the limits" });
  const total = form.getByLabel("Total", { exact: true });
  const meter = page.getByRole("meter", { name: "Total" });
  await total.fill("5");
  await form.getByRole("button", { name: "Set limits" }).click();
  await expect(form.getByRole("status")).toHaveText("The limits are in force.");
  await expect(meter).toHaveAttribute("aria-valuetext", "3 of 5");
  await total.fill("2");
  await form.getByRole("button", { name: "Set limits" }).click();
  await expect(form).toContainText("3 coupons are claimed already.");
  await form.getByRole("button", { name: "Not now" }).click();
  await expect(meter).toHaveAttribute("aria-valuetext", "3 of 5");
  await form.getByRole("button", { name: "Set limits" }).click();
  await form.getByRole("button", { name: "Set it" }).click();
  await expect(meter).toHaveAttribute("aria-valuetext", "3 of 2");
  await total.fill("");
  await form.getByRole("button", { name: "Set limits" }).click();
  await expect(page.getByRole("region", { name: "Limits", exact: true })).toContainText("3, no limit");
  await expect(meter).toHaveCount(0);
});

test("a redemption is taken back after a question, and the coupon can be redeemed again", async ({ page, post }) => {
  const sale = await openCoupons(post, { total: 10 });
  const { code } = await post<{ code: string }>("/api/coupon/claim", { sale: sale.id, user: "mei" });
  await post("/api/coupon/redeem", { sale: sale.id, code, request_id: "till" });
  await openLive(page, sale.path);
  const held = page.getByRole("region", { name: "Coupons of a user" });
  await held.getByLabel("User", { exact: true }).fill("mei");
  await held.getByRole("button", { name: "Look up" }).click();
  await held.getByRole("button", { name: "Take back" }).click();
  await expect(held).toContainText(`Take the redemption of ${code} back?`);
  await held.getByRole("button", { name: "Leave it" }).click();
  await held.getByRole("button", { name: "Take back" }).click();
  await clean(page);
  await fitsEverywhere(page);
  await held.getByRole("button", { name: "Take it back" }).click();
  await expect(held.getByRole("status")).toHaveText(`The redemption of ${code} is taken back.`);
  await expect(held.getByRole("status"), "its buttons are gone").toBeFocused();
  await expect(definition(page.getByRole("region", { name: "Limits", exact: true }), /^Redeemed$/)).toHaveText("0");
  await held.getByRole("button", { name: /^Redeem / }).click();
  await expect(held.getByRole("status")).toHaveText(`${code} is redeemed.`);
});

test("a total of 0 stops claims after a question, and the page says so until it is raised", async ({ page, post }) => {
  const sale = await openCoupons(post, { total: 10 });
  await openLive(page, sale.path);
  const edit = page.getByRole("region", { name: "Change the limits" });
  const claim = page.getByRole("region", { name: "Try it yourself" });
  const meter = page.getByRole("region", { name: "Limits", exact: true });
  await edit.getByLabel("Total", { exact: true }).fill("0");
  await edit.getByRole("button", { name: "Set limits" }).click();
  await expect(edit).toContainText("Nobody gets another coupon until you raise the limit. Stop claims?");
  await edit.getByRole("button", { name: "Set it" }).click();
  await expect(meter).toContainText("0, stopped");
  await expect(claim).toContainText("Claiming is stopped.");
  await expect(claim.getByRole("button", { name: "Claim a coupon" })).toBeDisabled();
  await edit.getByLabel("Total", { exact: true }).fill("1");
  await edit.getByRole("button", { name: "Set limits" }).click();
  await expect(claim.getByRole("button", { name: "Claim a coupon" })).toBeEnabled();
});

test("own codes and the users who may claim are uploaded from a text and a file, and given in their order", async ({ page, post, complaints }) => {
  complaints.forgive(/40[09] \((Bad Request|Conflict)\)/);
  await open(page, "/");
  await page.getByRole("region", { name: "Open a sale" }).getByRole("button", { name: "Coupons" }).click();
  const form = page.getByRole("form", { name: "Open a coupon sale" });
  await form.getByLabel("Own codes").fill("1,000,001");
  await form.getByLabel("Only for").fill("2");
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(form.getByLabel("Own codes")).toHaveAccessibleDescription(/from 0 to 1,000,000/);
  await form.getByLabel("Own codes").fill("3");
  await form.getByRole("button", { name: "Open sale" }).click();
  await expect(page).toHaveURL(/\/coupons\/.+/);
  const sale = decodeURIComponent(new URL(page.url()).pathname.split("/")[2] ?? "");
  const mine = page.getByRole("region", { name: "Try it yourself" });
  await expect(mine.getByText("its lists are not uploaded yet")).toBeVisible();

  const codes = page.getByRole("region", { name: "Upload own codes" });
  await codes.getByLabel("List").fill("Summer-1\nSUMMER2");
  await codes.getByRole("button", { name: "Upload" }).click();
  await expect(codes.getByText("The list has 2 entries; the sale was opened for 3.")).toBeVisible();
  await codes.getByLabel("List").fill("Summer-1\nSUMMER2\nsummer1");
  await codes.getByRole("button", { name: "Upload" }).click();
  await expect(codes.getByText(/has "summer1" already/)).toBeVisible();
  await codes.getByLabel("List").fill("Summer-1\nSUMMER2\nSUMMER3");
  await codes.getByRole("button", { name: "Upload" }).click();
  await expect(codes, "it is whole").toHaveCount(0);

  const users = page.getByRole("region", { name: "Upload the users" });
  await expect(users.getByRole("progressbar")).toHaveAttribute("aria-valuetext", "0 of 2 uploaded");
  const file = { name: "users.csv", mimeType: "text/csv", buffer: Buffer.from("ann,1\n\"Wang, Wei\",2\n") };
  await users.getByLabel("Or a file").setInputFiles(file);
  await expect(users.getByText("2 entries from the file")).toBeVisible();
  await users.getByRole("button", { name: "Remove file" }).click();
  await expect(users.getByText("2 entries from the file")).toBeHidden();
  await users.getByLabel("Or a file").setInputFiles(file);
  await clean(page);
  await users.getByRole("button", { name: "Upload" }).click();
  await expect(users).toHaveCount(0);

  await mine.getByLabel("Your name").fill("eve");
  await mine.getByRole("button", { name: "Claim a coupon" }).click();
  await expect(mine.locator(".answers")).toContainText("your name is not on the list");
  await mine.getByLabel("Your name").fill("Wang, Wei");
  await mine.getByRole("button", { name: "Claim a coupon" }).click();
  await expect(mine.locator(".answers")).toContainText(/Summer-1\s*is yours\./);
  await expect(definition(page.getByRole("main"), "Own codes")).toHaveText("2 of 3 left");
  await expect(definition(page.getByRole("main"), "Only for")).toHaveText("2 users");
  expect(await post("/api/coupon/audit", { sale })).toMatchObject({ verdict: "holds" });
});
