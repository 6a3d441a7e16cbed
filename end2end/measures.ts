// How pages are measured: what Chromium's main thread was at, and how figures are spread.

import { type Browser } from "@playwright/test";

/** An entry of Chromium's trace, as far as it is read. Durations in microseconds. */
type Traced = { name: string; pid: number; tid: number; dur?: number; tdur?: number; args?: { name?: string } };

/** Begins to trace what pages do; the answer ends it, and gives how long each task was at work, in milliseconds. */
export async function trace(browser: Browser): Promise<() => Promise<number[]>> {
  const chromium = await browser.newBrowserCDPSession();
  const entries: Traced[] = [];
  chromium.on("Tracing.dataCollected", ({ value }) => entries.push(...(value as unknown as Traced[])));
  const traceConfig = { includedCategories: ["disabled-by-default-devtools.timeline"], excludedCategories: ["*"] };
  await chromium.send("Tracing.start", { transferMode: "ReportEvents", traceConfig });
  return async () => {
    const ended = new Promise<unknown>((done) => chromium.once("Tracing.tracingComplete", done));
    await chromium.send("Tracing.end");
    await ended;
    const thread = ({ pid, tid }: Traced) => `${pid} ${tid}`;
    const mains = entries.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain").map(thread);
    const tasks = mains.map((main) => entries.filter((entry) => entry.name === "RunTask" && thread(entry) === main));
    // Chromium keeps pages in reserve; the one that has worked most is ours.
    const work = (tasks: Traced[]) => tasks.reduce((sum, { tdur = 0 }) => sum + tdur, 0);
    const [ours] = tasks.sort((a, b) => work(b) - work(a));
    return ours.map(({ dur = 0, tdur = dur }) => tdur / 1_000);
  };
}

/** The value that a share of all do not exceed. */
export function at(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export function spread(values: number[]): string {
  const [p50, p95, p99, most] = [0.5, 0.95, 0.99, 1].map((share) => at(values, share).toFixed(0));
  return `p50 ${p50} ms, p95 ${p95} ms, p99 ${p99} ms, most ${most} ms, of ${values.length}`;
}
