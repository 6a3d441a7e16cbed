import { defineConfig } from "@playwright/test";
import tests from "./playwright.config";

/** Measures the pages under load: `cargo xtask bench --page`. What depends on the machine's mood is no test. */
export default defineConfig(tests, { testDir: "speed", workers: 1, outputDir: "test-results/speed" });
