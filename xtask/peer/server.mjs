// What one would write in an afternoon, for comparison: node server.mjs REDIS_SOCKET SCRIPT PACKETS
//
// One process with Fastify and ioredis, which sends what waits for Redis in one write, and the article's script, one call
// for each attempt. It answers POST /claim with {"user": ..}, keeps no events and no ledger, and checks nothing. When it is
// ready, it prints where it listens.

import { readFileSync } from "node:fs";
import Fastify from "fastify";
import { Redis } from "ioredis";

const [path, script, packets] = process.argv.slice(2);
const CHUNK = 10_000;

const redis = new Redis({ path, enableAutoPipelining: true });
redis.defineCommand("claim", { numberOfKeys: 4, lua: readFileSync(script, "utf8") });
for (let first = 0; first < Number(packets); first += CHUNK) {
  const chunk = Array.from({ length: CHUNK }, (_, index) => JSON.stringify({ id: first + index, money: 100 }));
  await redis.lpush("pending", ...chunk);
}

const app = Fastify();
app.post("/claim", async ({ body }) => {
  const packet = await redis.claim("pending", "consumed", "claimants", body.user);
  return packet ? JSON.parse(packet) : { outcome: "none" };
});
console.log(await app.listen({ host: "127.0.0.1", port: 0 }));
