import { defineConfig } from "@playwright/test";
import tests from "./playwright.config";

/** Takes the README's pictures: `cargo xtask screenshots`. */
export default defineConfig(tests, { testDir: "screenshots", workers: 1, outputDir: "test-results/screenshots" });
