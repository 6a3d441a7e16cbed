// Prints what a failed test did last, and what its server said last.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Reporter, type TestCase, type TestResult, type TestStep } from "@playwright/test/reporter";

const LINES = 20;

/** What is done in the browser and what is expected, in order; not what holds such steps together. */
const actions = (steps: TestStep[]): TestStep[] =>
  steps.flatMap((step) => [...(["pw:api", "expect"].includes(step.category) ? [step] : []), ...actions(step.steps)]);

export default class Failures implements Reporter {
  onTestEnd(test: TestCase, result: TestResult): void {
    if (["passed", "skipped"].includes(result.status)) return;
    const { outputDir } = test.parent.project()!;
    const done = actions(result.steps).map((step) => `${step.error ? "✗" : "✓"} ${step.title} (${step.duration} ms)`);
    this.print("What it did last", done);
    for (const server of [`server-${result.workerIndex}.log`, `server-${test.id}.log`].map((name) => join(outputDir, name))) {
      if (existsSync(server)) this.print(`The end of ${server}`, readFileSync(server, "utf8").trimEnd().split("\n"));
    }
    const trace = result.attachments.find(({ name }) => name === "trace")?.path;
    if (trace) console.log(`    All of it: npx playwright show-trace ${trace}\n`);
  }

  private print(title: string, lines: string[]): void {
    console.log([`    ${title}:`, ...lines.slice(-LINES).map((line) => `      ${line}`)].join("\n"));
  }
}
