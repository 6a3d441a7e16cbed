// Stampede's server, and a Redis for two of them to share: started for tests, gone afterwards.

import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { expect } from "@playwright/test";

/** How long a process may take to be ready, and to stop, in milliseconds. */
export const PATIENCE = 30_000;

const program = process.env.STAMPEDE_BIN ?? join(import.meta.dirname, "../target/debug/stampede");

/** What servers of this worker panicked about. A panic that the page survived is a defect all the same. */
export const panics: string[] = [];

/** A process that was started, and how it is ended. */
export type Running = {
  url: string;
  /** Asks it to stop, and waits until it has. */
  stop: () => Promise<void>;
  /** Ends it at once, as a crash would. */
  kill: () => Promise<void>;
  /** Stops it where it is, with all of its connections open, until it goes on. */
  freeze: () => void;
  goOn: () => void;
};

/** A folder of its own for `what`, and the way to be rid of it. */
export async function folder(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), "stampede-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/** Starts `stampede serve` with `options`, and waits until it is ready. What it says goes to `log`. */
export async function serve(options: string[], log: { folder: string; name: string }, listen = "127.0.0.1:0"): Promise<Running> {
  await mkdir(log.folder, { recursive: true });
  const server = spawn(program, ["serve", "--listen", listen, ...options], { stdio: ["ignore", "pipe", "pipe"] });
  const said = createWriteStream(join(log.folder, `${log.name}.log`), { flags: "a" });
  server.stdout.pipe(said, { end: false });
  server.stderr.pipe(said, { end: false });
  let isMessage = false;
  createInterface(server.stderr).on("line", (line) => {
    // The first line has the place, and the one after it the message.
    if (isMessage) panics.push(`${panics.pop()} ${line}`);
    isMessage = line.includes("panicked at");
    if (isMessage) panics.push(line);
  });
  const signals = ends(server, () => said.end());
  try {
    const url = await address(createInterface(server.stdout));
    const asked = () => (url.startsWith("https:") ? statusOverTls(`${url}/readyz`) : fetch(`${url}/readyz`).then((answer) => answer.status)).catch(String);
    await expect.poll(asked, { timeout: PATIENCE, message: `${url}/readyz` }).toBe(200);
    return { url, ...signals };
  } catch (error) {
    await signals.kill();
    throw error;
  }
}

/** The status of an answer of a server whose certificate nobody vouches for. */
function statusOverTls(url: string): Promise<number | undefined> {
  return new Promise((answered, failed) => {
    const asking = request(url, { rejectUnauthorized: false, agent: false }, (answer) => {
      answer.resume();
      answered(answer.statusCode);
    });
    asking.once("error", failed).end();
  });
}

/** Makes a certificate for this machine in `path`. The answer is how a server is told to use it. */
export async function certify(path: string): Promise<string[]> {
  const [certificate, key] = [join(path, "cert.pem"), join(path, "key.pem")];
  const made = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1"];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"];
  await promisify(execFile)("openssl", [...made, ...names, "-keyout", key, "-out", certificate]);
  return ["--tls-cert", certificate, "--tls-key", key];
}

/** Copies the site of the tested server into `path`, under the names of another build: "another". Returns its folder. */
export async function anotherBuild(path: string): Promise<string> {
  const site = join(path, "site");
  await cp(join(dirname(program), "../site"), site, { recursive: true });
  const list = join(site, "hash.txt");
  const hashes = await readFile(list, "utf8");
  const hash = /^wasm: (\w+)$/m.exec(hashes)?.[1];
  expect(hash, "the hash of the WebAssembly").toBeDefined();
  for (const file of await readdir(join(site, "pkg"))) {
    await rename(join(site, "pkg", file), join(site, "pkg", file.replace(hash!, "another")));
  }
  await writeFile(list, hashes.replace(hash!, "another"));
  return site;
}

/** Starts a Redis on a socket in `path`, and waits until it answers. */
export async function redis(path: string): Promise<Running> {
  const socket = join(path, "redis.sock");
  const server = spawn("redis-server", ["--port", "0", "--unixsocket", socket, "--dir", path, "--appendonly", "yes"], { stdio: "ignore" });
  const signals = ends(server);
  const ping = () =>
    new Promise<string>((answered) => {
      const line = createConnection(socket, () => line.write("PING\r\n"));
      line.once("data", (answer) => {
        answered(String(answer));
        line.destroy();
      });
      line.once("error", (error) => answered(error.message));
    });
  await expect.poll(ping, { timeout: PATIENCE, message: socket }).toContain("PONG");
  return { url: `redis+unix://${socket}`, ...signals };
}

/** Keeps what the Redis in `path` has now. The answer crashes it, and starts one that knows nothing later. */
export async function keepRedis(path: string): Promise<(store: Running) => Promise<Running>> {
  const [data, kept] = [join(path, "appendonlydir"), join(path, "kept")];
  // What was answered is in its file.
  await cp(data, kept, { recursive: true });
  return async (store) => {
    await store.kill();
    await rm(data, { recursive: true });
    await cp(kept, data, { recursive: true });
    return redis(path);
  };
}

/** Asks a Redis, and returns what it answers. */
export async function redisCli(store: Running, ...words: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)("redis-cli", ["-s", new URL(store.url).pathname, ...words]);
  return stdout.trim();
}

/** Runs a command of `stampede`; any exit code but 0 fails the test. */
export async function run(...command: string[]): Promise<void> {
  await promisify(execFile)(program, command);
}

/** The two ways to end a process, each of which waits until it is gone, and how it is frozen. */
function ends(running: ChildProcess, after: () => void = () => {}): Omit<Running, "url"> {
  const gone = once(running, "exit").then(after);
  const end = (signal: NodeJS.Signals) => async () => {
    running.kill(signal);
    const timer = setTimeout(() => running.kill("SIGKILL"), PATIENCE);
    await gone;
    clearTimeout(timer);
  };
  return { stop: end("SIGTERM"), kill: end("SIGKILL"), freeze: () => running.kill("SIGSTOP"), goOn: () => running.kill("SIGCONT") };
}

/** The address that the server prints when it listens. */
async function address(lines: ReturnType<typeof createInterface>): Promise<string> {
  const printed = new Promise<string>((found, failed) => {
    lines.on("line", (line) => {
      const url = /Stampede is at (https?:\S+)/.exec(line)?.[1];
      if (url) found(url);
    });
    lines.once("close", () => failed(new Error("The server stopped before it listened: see its log in test-results.")));
  });
  const late = pause(PATIENCE, undefined, { ref: false }).then(() => {
    throw new Error("The server did not say where it listens.");
  });
  return Promise.race([printed, late]);
}
