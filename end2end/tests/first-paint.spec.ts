// What the server renders is true before the browser takes over, and where there is no JavaScript.

import { expect, strip, test } from "../fixtures";

test("the latest audit and the ledger's lag come with the page", async ({ inLedger, post, sale, visitor }) => {
  await inLedger(sale, 1);
  const page = await visitor({ javaScriptEnabled: false });
  const audit = page.getByRole("region", { name: "Audit" });
  const lag = strip(page).getByRole("term").filter({ hasText: "Ledger lag" }).locator("xpath=following-sibling::dd[1]");
  await post("/api/audit/now", { kind: "red_packet", sale: sale.id });
  await page.goto(`${sale.path}?tab=audit`);
  await expect(audit.getByRole("row", { name: /All packets accounted for 100 100 Holds/ })).toBeVisible();
  await expect(audit.getByText(/^Not audited yet/)).toHaveCount(0);
  await expect(lag).toHaveText("0");
});
