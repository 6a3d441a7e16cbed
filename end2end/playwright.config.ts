import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { defineConfig } from "@playwright/test";

/** The system's browser: nothing is downloaded. The one without a window's parts takes a fifth less time. */
const chromium = (process.env.PATH ?? "")
  .split(delimiter)
  .flatMap((folder) => ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"].map((name) => join(folder, name)))
  .find(existsSync);

// No web server here: each worker starts one of its own, see fixtures.ts.
export default defineConfig({
  testDir: "tests",
  outputDir: "test-results",
  reporter: [["list"], ["./failures.ts"], ["json", { outputFile: "test-results/report.json" }]],
  forbidOnly: !!process.env.CI,
  retries: 0,
  fullyParallel: true,
  // One more than there are cores, as each waits now and then.
  workers: availableParallelism() + 1,
  // Long enough for the slowest machine: a test that gets there has failed.
  timeout: 240_000,
  expect: { timeout: 30_000 },
  use: {
    locale: "en-US",
    actionTimeout: 30_000,
    screenshot: "only-on-failure",
    // Pictures of each moment would cost more than the page does; one is taken at the end.
    trace: { mode: "retain-on-failure", screenshots: false },
    launchOptions: {
      executablePath: chromium,
      // Playwright adds --no-sandbox by itself. The rest keeps Chromium from calling home.
      args: [
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--disable-quic",
        "--no-first-run",
        // As browsers with a window do: letters are as wide as the font says, so that its fallback takes as much room.
        "--font-render-hinting=none",
      ],
    },
  },
});
