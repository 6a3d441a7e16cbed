// How pages are measured: what Chromium's main thread was at, when its frames were presented, and how figures are spread.

import { type Browser } from "@playwright/test";

/** An entry of Chromium's trace, as far as it is read. Times in microseconds. */
type Traced = { name: string; ph: string; pid: number; tid: number; ts: number; dur?: number; tdur?: number; args?: { id?: string; name?: string } };

/** What Chromium recorded of a page. In milliseconds. */
type Recorded = {
  /** How long each task was at work. */
  worked: number[];
  /** From each `performance.mark`, by its name, until the frame that was made at that moment was presented. */
  presented: Map<string, number>;
};

/** Begins to trace what pages do; the answer ends it. */
export async function trace(browser: Browser): Promise<() => Promise<Recorded>> {
  const chromium = await browser.newBrowserCDPSession();
  const entries: Traced[] = [];
  chromium.on("Tracing.dataCollected", ({ value }) => entries.push(...(value as unknown as Traced[])));
  const includedCategories = ["devtools.timeline", "disabled-by-default-devtools.timeline", "blink.user_timing"];
  await chromium.send("Tracing.start", { transferMode: "ReportEvents", traceConfig: { includedCategories, excludedCategories: ["*"] } });
  return async () => {
    const ended = new Promise<unknown>((done) => chromium.once("Tracing.tracingComplete", done));
    await chromium.send("Tracing.end");
    await ended;
    const thread = ({ pid, tid }: Traced) => `${pid} ${tid}`;
    const mains = entries.filter(({ name, args }) => name === "thread_name" && args?.name === "CrRendererMain").map(thread);
    const pages = mains.map((main) => entries.filter((entry) => thread(entry) === main).sort((a, b) => a.ts - b.ts));
    const tasks = (page: Traced[]) => page.filter(({ name }) => name === "RunTask");
    // Chromium keeps pages in reserve; the one that has worked most is ours.
    const work = (page: Traced[]) => tasks(page).reduce((sum, { tdur = 0 }) => sum + tdur, 0);
    const [ours] = pages.sort((a, b) => work(b) - work(a));
    return { worked: tasks(ours).map(({ dur = 0, tdur = dur }) => tdur / 1_000), presented: presented(ours) };
  };
}

/** By the name of each mark in a page's entries, how long it took until its frame was presented. */
function presented(entries: Traced[]): Map<string, number> {
  const out = new Map(entries.filter(({ name }) => name === "AnimationFrame::Presentation").map(({ args, ts }) => [args?.id, ts]));
  const delays = new Map<string, number>();
  let frame: string | undefined;
  let marks: Traced[] = [];
  for (const entry of entries) {
    if (entry.ph === "I" && entry.name.startsWith("shown ")) marks.push(entry);
    if (entry.name !== "AnimationFrame") continue;
    if (entry.ph === "b") frame = entry.args?.id;
    // A frame shows what was changed until it was rendered.
    if (entry.ph === "e") {
      const at = out.get(frame);
      if (at !== undefined) for (const { name, ts } of marks) delays.set(name, (at - ts) / 1_000);
      marks = [];
    }
  }
  return delays;
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
