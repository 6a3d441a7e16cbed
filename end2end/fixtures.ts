// A private world for each test: a server per worker with a data folder of its own, and a fresh sale per test.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { test as base, expect } from "@playwright/test";

export { expect };

/** How long a server may take to be ready, and to stop, in milliseconds. */
const PATIENCE = 30_000;

const program = process.env.STAMPEDE_BIN ?? join(import.meta.dirname, "../target/release/stampede");

export type Terms = {
  id?: string;
  total_cents: number;
  count: number;
  splitter: "double_mean" | "line_cut" | "equal";
  expires_in_s?: number;
  seed?: number;
};

/** A sale, its terms, and the path of its page. */
export type Sale = Terms & { id: string; path: string };

type Test = {
  /** Posts JSON to the server and returns the JSON answer; any status but 200 fails the test. */
  post: <Answer>(path: string, body: object) => Promise<Answer>;
  /** Opens a red packet; what is not said gets a default. */
  openSale: (terms?: Partial<Terms>) => Promise<Sale>;
  /** A fresh sale of 100 packets. */
  sale: Sale;
};

type Worker = {
  /** A server of this worker's own, gone afterwards together with its data. */
  server: { url: string };
};

export const test = base.extend<Test, Worker>({
  server: [
    async ({}, use, worker) => {
      const data = await mkdtemp(join(tmpdir(), "stampede-"));
      const server = spawn(program, ["serve", "--listen", "127.0.0.1:0", "--data-dir", data], {
        stdio: ["ignore", "pipe", "pipe"],
      });
      const gone = once(server, "exit");
      await mkdir(worker.project.outputDir, { recursive: true });
      const log = createWriteStream(join(worker.project.outputDir, `server-${worker.workerIndex}.log`));
      server.stdout.pipe(log, { end: false });
      server.stderr.pipe(log, { end: false });
      try {
        const url = await address(createInterface(server.stdout));
        await ready(url);
        await use({ url });
      } finally {
        server.kill("SIGTERM");
        const timer = setTimeout(() => server.kill("SIGKILL"), PATIENCE);
        await gone;
        clearTimeout(timer);
        log.end();
        await rm(data, { recursive: true, force: true });
      }
    },
    { scope: "worker", timeout: 3 * PATIENCE },
  ],

  baseURL: async ({ server }, use) => use(server.url),

  post: async ({ request }, use) =>
    use(async (path, body) => {
      const answer = await request.post(path, { data: body });
      expect(answer.status(), `${path} answered ${await answer.text()}`).toBe(200);
      return answer.json();
    }),

  openSale: async ({ post }, use) =>
    use(async (wanted) => {
      const terms: Terms = { total_cents: 10_000, count: 100, splitter: "double_mean", ...wanted };
      const { sale } = await post<{ sale: string }>("/api/red-packet/open", terms);
      return { ...terms, id: sale, path: `/red-packets/${encodeURIComponent(sale)}` };
    }),

  sale: async ({ openSale }, use) => use(await openSale()),
});

/** The address that the server prints when it listens. */
async function address(lines: ReturnType<typeof createInterface>): Promise<string> {
  const printed = new Promise<string>((found, failed) => {
    lines.on("line", (line) => {
      const url = /Stampede is at (http:\S+)/.exec(line)?.[1];
      if (url) found(url);
    });
    lines.once("close", () => failed(new Error("The server stopped before it listened: see its log in test-results.")));
  });
  const late = pause(PATIENCE, undefined, { ref: false }).then(() => {
    throw new Error("The server did not say where it listens.");
  });
  return Promise.race([printed, late]);
}

/** Waits until the server says that it is ready. */
async function ready(url: string): Promise<void> {
  const asked = () => fetch(`${url}/readyz`).then((answer) => answer.status, String);
  await expect.poll(asked, { timeout: PATIENCE, message: `${url}/readyz` }).toBe(200);
}
