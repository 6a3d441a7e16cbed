// The kinds of sale, for the specs that go through all of them.

import { expect } from "@playwright/test";

type Post = <Answer>(path: string, body: object) => Promise<Answer>;

export type Kind = {
  /** Its names in the API, in the paths of endpoints, and in those of pages. */
  id: string;
  segment: string;
  pages: string;
  /** As `stampede serve --demo` names its sale. */
  demo: string;
  names: { en: string; zh: string };
  /** The name of its scene. */
  scene: string;
  /** The terms of a sale, and those by which its page shows the most. */
  terms: object;
  fullTerms: object;
  /** The endpoint of an attempt, what the attempt wants, and the button that makes it. */
  attempt: { endpoint: string; wanted: object; button: string };
  /** What is left after it, and a meter that counts it, with its text. */
  left: string;
  meter: { name: string; text: string | RegExp };
  /** Opens a sale with this id of which a user gets something and is refused something. Returns what is no word of any language. */
  busy: (post: Post, id: string, user: string) => Promise<string[]>;
};

export const kinds: Kind[] = [
  {
    id: "red_packet",
    segment: "red-packet",
    pages: "red-packets",
    demo: "demo",
    names: { en: "Red packets", zh: "红包" },
    scene: "Queues",
    terms: { total_cents: 10_000, count: 100, splitter: "equal" },
    fullTerms: { total_cents: 10_000, count: 100, splitter: "double_mean" },
    attempt: { endpoint: "claim", wanted: {}, button: "Claim a packet" },
    left: "99",
    meter: { name: "Claimed", text: /^1 of 100/ },
    busy: async (post, id, user) => {
      await post("/api/red-packet/open", { id, count: 1_000, total_cents: 1_000_000_000_000, splitter: "line_cut" });
      for (const _ of ["won", "repeat"]) await post("/api/red-packet/claim", { sale: id, user });
      const crowd = { sale: id, users: 1_500, concurrency: 100, repeat_rate: 0.3, arrival: "burst", seed: 18_446_744_073 };
      const { run } = await post<{ run: string }>("/api/crowd/start", crowd);
      await expect.poll(async () => (await post<{ verdict: string }>("/api/crowd/status", { run })).verdict).toBe("holds");
      await post("/api/audit/now", { kind: "red_packet", sale: id });
      return [];
    },
  },
  {
    id: "ticket",
    segment: "ticket",
    pages: "tickets",
    demo: "stadium",
    names: { en: "Tickets", zh: "门票" },
    scene: "Seat map",
    terms: { hall: "theatre" },
    fullTerms: { hall: "theatre" },
    attempt: { endpoint: "reserve", wanted: { pick: [{ category: "circle", count: 1 }] }, button: "Hold best available" },
    left: "595",
    meter: { name: "circle", text: "159 of 160 free, 1 held, 0 sold" },
    busy: async (post, id, user) => {
      await post("/api/ticket/open", { id, hall: "stadium" });
      const { order } = await post<{ order: string }>("/api/ticket/reserve", { sale: id, user, seats: ["A01-01-01"] });
      await post("/api/ticket/pay", { sale: id, order });
      const others = ["Mei", "Lan"];
      for (const user of others) await post("/api/ticket/reserve", { sale: id, user, seats: ["A01-01-02"] });
      await post("/api/audit/now", { kind: "ticket", sale: id });
      return others;
    },
  },
  {
    id: "coupon",
    segment: "coupon",
    pages: "coupons",
    demo: "welcome",
    names: { en: "Coupons", zh: "优惠券" },
    scene: "Limits",
    terms: { total: 100 },
    fullTerms: { total: 1_000, per_user: 2, per_user_per_day: 1 },
    attempt: { endpoint: "claim", wanted: {}, button: "Claim a coupon" },
    left: "99",
    meter: { name: "Total", text: "1 of 100" },
    busy: async (post, id, user) => {
      const [total, per_user, time_zone] = [1_000_000, 1_000, "America/Argentina/ComodRivadavia"];
      await post("/api/coupon/open", { id, total, per_user, per_user_per_day: 1, time_zone });
      const claim = (request_id: string) => post<{ code: string }>("/api/coupon/claim", { sale: id, user, request_id });
      const { code } = await claim("1");
      await claim("2");
      await post("/api/coupon/limits", { sale: id, total, per_user, per_user_per_day: 1_000 });
      await post("/api/audit/now", { kind: "coupon", sale: id });
      return [time_zone, code, code.slice(-4), "coupon"];
    },
  },
  {
    id: "stock",
    segment: "stock",
    pages: "stock",
    demo: "phone",
    names: { en: "Stock", zh: "库存" },
    scene: "Quantity",
    terms: { quantity: 100 },
    fullTerms: { quantity: 10_000 },
    attempt: { endpoint: "deduct", wanted: { quantity: 3 }, button: "Deduct" },
    left: "97",
    meter: { name: "In Redis", text: "97" },
    busy: async (post, id, user) => {
      await post("/api/stock/open", { id, quantity: 5, low_mark: 1_000_000 });
      for (const quantity of [1, 6]) await post("/api/stock/deduct", { sale: id, user, quantity });
      await post("/api/stock/correct", { sale: id, counted: 1_000_000_000 });
      await post("/api/audit/now", { kind: "stock", sale: id });
      // Its ledger does not go on meanwhile.
      await post("/api/stock/pause", { sale: id, seconds: 60 });
      const { writer } = await post<{ writer: string }>("/api/ledger/status", {});
      return ["stock", "deduct", writer];
    },
  },
];

/** Opens a sale of a kind. Returns its id and the path of its page. */
export async function openSaleOf(kind: Kind, post: Post, terms = kind.terms): Promise<{ id: string; path: string }> {
  const { sale } = await post<{ sale: string }>(`/api/${kind.segment}/open`, terms);
  return { id: sale, path: `/${kind.pages}/${encodeURIComponent(sale)}` };
}
