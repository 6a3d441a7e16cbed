import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { defineConfig } from "@playwright/test";

/** The system's browser: nothing is downloaded. */
const chromium = (process.env.PATH ?? "")
  .split(delimiter)
  .flatMap((folder) => ["chromium", "chromium-browser", "google-chrome"].map((name) => join(folder, name)))
  .find(existsSync);

// No web server here: each worker starts one of its own, see fixtures.ts.
export default defineConfig({
  testDir: "tests",
  outputDir: "test-results",
  reporter: "list",
  forbidOnly: !!process.env.CI,
  retries: 0,
  workers: 1,
  use: {
    locale: "en-US",
    screenshot: "only-on-failure",
    launchOptions: {
      executablePath: chromium,
      // Playwright adds --no-sandbox by itself. The rest keeps Chromium from calling home.
      args: [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-quic",
        "--no-first-run",
      ],
    },
  },
});
