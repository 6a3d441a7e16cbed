// An isolated environment for each test: a server per worker with its own data folder, a fresh sale per test, and
// browsers whose errors fail the test.

import { join } from "node:path";
import { type Locator, test as base, expect, type APIRequestContext, type BrowserContext, type BrowserContextOptions, type Page } from "@playwright/test";
import { PATIENCE, folder, panics, redis, serve, type Running } from "./server";

export { expect };

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

export type TicketTerms = {
  id?: string;
  hall: "theatre" | "arena" | "stadium";
  layout: { categories: string[]; sections: { id: string; category: string; rows: number[] }[] };
  prices: Record<string, number>;
  limit_per_user?: number;
  hold_s?: number;
  extendable?: boolean;
};

/** A ticket sale, and the path of its page. */
export type TicketSale = { id: string; path: string };

/** What a crowd is told to do, as the API takes it. */
export type Orders = {
  users: number;
  concurrency: number;
  repeat_rate: number;
  arrival: "burst" | { kind: "ramp" | "constant"; per_s: number; over_s?: number };
  seed?: number;
};

/** Servers of one test's own over one data folder: stopped after the test, and the folder removed. */
export type Own = {
  /** The folder with their data. */
  path: string;
  /** Starts a server, by default on the Redis that it brings. */
  serve: (options?: string[], listen?: string) => Promise<Running>;
  /** Starts a Redis for several servers to share, or for the test to break. */
  redis: () => Promise<Running>;
  /** The file with what the servers log. */
  log: string;
};

/** A server of one test's own, on a Redis of its own. */
export type Alone = {
  server: Running;
  /** The test may stop it, and put one in its place that it has started. */
  store: Running;
  /** The folder with the data of both. */
  path: string;
  /** The file with what the server logs. */
  log: string;
};

/** Where a run stands, as far as tests ask. */
export type Run = {
  run: string;
  phase: "running" | "judging" | "done" | "stopped" | "lost";
  attempts: number;
  answered: number;
  mean_per_s: number;
  verdict: "holds" | "broken" | "unknown" | null;
};

type Test = {
  /** Errors and warnings in the browsers' consoles: none may be left at the end, and no server may have panicked. */
  complaints: {
    /** Lets complaints pass that the test itself provokes. */
    forgive: (pattern: RegExp) => void;
    listenTo: (context: BrowserContext) => void;
    /** The test is over, and its servers stop: that pages find them gone is no complaint. */
    end: () => void;
  };
  /** Posts JSON to the server and returns the JSON answer; any status but 200 fails the test. */
  post: <Answer>(path: string, body: object) => Promise<Answer>;
  /** Opens a red packet; what is not said gets a default. */
  openSale: (terms?: Partial<Terms>) => Promise<Sale>;
  /** A fresh sale of 100 packets. */
  sale: Sale;
  /** Lets a crowd loose on a sale, and returns how to ask where it stands. */
  startCrowd: (sale: Sale, orders: Partial<Orders>) => Promise<() => Promise<Run>>;
  /** Waits until the ledger has so many rows of a sale. */
  inLedger: (sale: { id: string }, rows: number) => Promise<void>;
  /** Opens a ticket sale; the theatre, where nothing else is said. */
  openTickets: (terms?: Partial<TicketTerms>) => Promise<TicketSale>;
  own: Own;
  /** A server whose Redis the test may break. */
  alone: Alone;
  /** Another browser window of somebody else, with nothing remembered. */
  visitor: (options?: BrowserContextOptions) => Promise<Page>;
};

type Worker = {
  /** A server of this worker's own, gone afterwards together with its data. */
  server: Running;
};

export const test = base.extend<Test, Worker>({
  server: [
    async ({}, use, worker) => {
      const data = await folder();
      try {
        const log = { folder: worker.project.outputDir, name: `server-${worker.workerIndex}` };
        const server = await serve(["--data-dir", data.path], log);
        await use(server).finally(server.stop);
      } finally {
        await data.remove();
      }
    },
    { scope: "worker", timeout: 3 * PATIENCE },
  ],

  baseURL: async ({ server }, use) => use(server.url),

  complaints: [
    async ({}, use) => {
      const heard: string[] = [];
      let over = false;
      const hear = (complaint: string) => over || heard.push(complaint);
      // Without JavaScript nothing uses the program, and a busy machine uses it later than within "a few seconds".
      const forgiven: RegExp[] = [/\.wasm was preloaded using link preload but not used/];
      await use({
        forgive: (pattern) => forgiven.push(pattern),
        listenTo: (context) => {
          context.on("weberror", (error) => hear(String(error.error())));
          context.on("console", (said) => {
            if (["error", "warning"].includes(said.type())) hear(`${said.text()} (${said.location().url})`);
          });
        },
        end: () => (over = true),
      });
      const left = heard.filter((complaint) => !forgiven.some((pattern) => pattern.test(complaint)));
      expect.soft(left, "what the browsers complained about").toEqual([]);
      expect.soft(panics.splice(0), "what the servers panicked about").toEqual([]);
    },
    { auto: true },
  ],

  context: async ({ context, complaints }, use) => {
    complaints.listenTo(context);
    await use(context);
  },

  post: async ({ request }, use) => use((path, body) => post(request, path, body)),

  openSale: async ({ post }, use) =>
    use(async (wanted) => {
      const terms: Terms = { total_cents: 10_000, count: 100, splitter: "double_mean", ...wanted };
      const { sale } = await post<{ sale: string }>("/api/red-packet/open", terms);
      return { ...terms, id: sale, path: `/red-packets/${encodeURIComponent(sale)}` };
    }),

  sale: async ({ openSale }, use) => use(await openSale()),

  startCrowd: async ({ post }, use) =>
    use(async (sale, wanted) => {
      const orders: Orders = { users: 1_000, concurrency: 100, repeat_rate: 0, arrival: "burst", seed: 7, ...wanted };
      const { run } = await post<{ run: string }>("/api/crowd/start", { sale: sale.id, ...orders });
      return () => post<Run>("/api/crowd/status", { run });
    }),

  inLedger: async ({ post }, use) =>
    use(async (sale, rows) => {
      const total = async () => (await post<{ total: number }>("/api/ledger/search", { sale: sale.id })).total;
      await expect.poll(total, { message: `rows of ${sale.id}` }).toBe(rows);
    }),

  openTickets: async ({ post }, use) =>
    use(async (wanted) => {
      const { sale } = await post<{ sale: string }>("/api/ticket/open", { hall: "theatre", ...wanted });
      return { id: sale, path: `/tickets/${encodeURIComponent(sale)}` };
    }),

  own: async ({ complaints }, use, info) => {
    const { path, remove } = await folder();
    const log = { folder: info.project.outputDir, name: `server-${info.testId}` };
    const running: Running[] = [];
    const kept = async (starting: Promise<Running>) => {
      const started = await starting;
      running.push(started);
      return started;
    };
    try {
      await use({
        path,
        serve: (options = [], listen) => kept(serve(["--data-dir", path, ...options], log, listen)),
        redis: () => kept(redis(path)),
        log: join(log.folder, `${log.name}.log`),
      });
    } finally {
      complaints.end();
      for (const one of running.reverse()) {
        one.goOn();
        await one.stop();
      }
      await remove();
    }
  },

  alone: async ({ own }, use) => {
    const store = await own.redis();
    const server = await own.serve(["--redis", store.url]);
    const alone = { server, store, path: own.path, log: own.log };
    await use(alone);
    // The one that the test has put in the first one's place, if it has.
    if (alone.store !== store) await alone.store.stop();
  },

  visitor: async ({ browser, complaints, baseURL, locale }, use) => {
    const contexts: BrowserContext[] = [];
    await use(async (options) => {
      const context = await browser.newContext({ baseURL, locale, ...options });
      complaints.listenTo(context);
      contexts.push(context);
      return context.newPage();
    });
    for (const context of contexts) await context.close();
  },
});

/** Posts JSON and returns the JSON answer; any status but 200 fails the test. */
export async function post<Answer>(request: APIRequestContext, url: string, body: object): Promise<Answer> {
  const answer = await request.post(url, { data: body });
  expect(answer.status(), `${url} answered ${await answer.text()}`).toBe(200);
  return answer.json();
}

/** Like `post`, for what needs the lab to itself: waits until what an earlier test has left there is over. */
export async function postToLab<Answer>(request: APIRequestContext, url: string, body: object): Promise<Answer> {
  let answer = await request.post(url, { data: body });
  const next = async () => (answer.status() === 409 ? (answer = await request.post(url, { data: body })) : answer);
  await expect.poll(async () => (await next()).status(), `what ${url} answers`).toBe(200);
  return answer.json();
}

/** Goes to a page and waits until the browser has taken over: before that, buttons are off. */
export async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await expect(page.getByRole("banner").getByRole("button").last()).toBeEnabled();
}

/** Holds the WebAssembly back until the returned function is called. */
export async function holdBack(page: Page): Promise<() => void> {
  let arrive = () => {};
  const arrived = new Promise<void>((resolve) => (arrive = resolve));
  await page.route("**/*.wasm", async (route) => {
    await arrived;
    await route.continue();
  });
  return arrive;
}

/** Keeps the font from a page until the returned function is called: its text is drawn by the fallback meanwhile. */
export async function withoutFont(page: Page, complaints: Test["complaints"]): Promise<() => Promise<void>> {
  complaints.forgive(/ERR_FAILED.*\.woff2/);
  await page.route("**/*.woff2", (route) => route.abort());
  return () => page.unroute("**/*.woff2");
}

/** Tells a page that its tab is, or is not, in front. A headless browser shows all of them. */
export async function look(page: Page, state: "visible" | "hidden"): Promise<void> {
  await page.evaluate((state) => {
    Object.defineProperty(document, "visibilityState", { configurable: true, get: () => state });
    Object.defineProperty(document, "hidden", { configurable: true, get: () => state === "hidden" });
    document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
  }, state);
}

/** Goes to a sale's page and waits until it is live. */
export async function openLive(page: Page, url: string): Promise<void> {
  await open(page, url);
  await expect(page.getByText("Live", { exact: true })).toBeVisible();
}

/** Shows a part of a sale's page. */
export async function tab(page: Page, name: "Take part" | "Crowd" | "Attempts" | "Audit" | "Script"): Promise<void> {
  const chosen = page.getByRole("tab", { name, exact: true });
  await chosen.click();
  await expect(chosen).toHaveAttribute("aria-selected", "true");
}

/** The text that a term has in a list of definitions. */
export const definition = (where: Locator, term: string | RegExp) =>
  where.getByRole("term").filter({ hasText: term }).locator("xpath=following-sibling::dd[1]");

/** Lets the crowds that a page starts come slowly, one user a second: they end only when they are stopped. */
export const slowCrowds = (page: Page) =>
  page.route("**/api/crowd/start", (route) => {
    const orders = { ...route.request().postDataJSON(), arrival: { kind: "constant", per_s: 1 } };
    return route.continue({ postData: JSON.stringify(orders) });
  });

/** What stays above all parts: the figures, the course of the crowd and its buttons. */
export const strip = (page: Page) => page.getByRole("region", { name: "At a glance" });
