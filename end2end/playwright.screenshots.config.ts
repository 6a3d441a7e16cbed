import { defineConfig } from "@playwright/test";
import tests from "./playwright.config";

/** Takes the README's pictures: `cargo xtask screenshots`. */
export default defineConfig(tests, { testDir: "screenshots", outputDir: "test-results/screenshots" });
