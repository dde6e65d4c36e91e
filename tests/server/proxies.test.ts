import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { afterAll, describe, expect, it, vi } from "vitest";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { projectRoot } from "../../supabase/embedded/project-root";
import { ownDataDir } from "../embedded/own-stack";
import { bearer, create } from "../setup/world";
import { openStream } from "../streams/stream-reader";
import { openOwnDatabase, startService } from "./own-service";

/** The sample of each proxy, on a port of this machine and without a certificate; nothing else of it is changed. */
const samples = {
  nginx: {
    words: (file: string, folder: string) => ["-p", folder, "-c", file, "-g", "daemon off;"],
    write: (sample: string, port: number, upstream: number, folder: string) => {
      const site = sample
        .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
        .replace(/^ *(http2 on|ssl_certificate(_key)? .*);$/gm, "")
        .replace("127.0.0.1:3000", `127.0.0.1:${upstream}`)
        .replace("server_name backlog.example.com", "server_name _");
      return `pid ${folder}/nginx.pid; error_log stderr; events {} http { access_log off; client_body_temp_path ${folder}/b; proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;\n${site}\n}`;
    },
    file: "deploy/nginx.conf",
  },
  caddy: {
    words: (file: string) => ["run", "--config", file, "--adapter", "caddyfile"],
    write: (sample: string, port: number, upstream: number) =>
      `{\n\tadmin off\n\tauto_https off\n}\n${sample
        .replace("backlog.example.com {", `http://127.0.0.1:${port} {`)
        .replace("127.0.0.1:3000", `127.0.0.1:${upstream}`)}`,
    file: "deploy/Caddyfile",
  },
} as const;

const present = (["nginx", "caddy"] as const).filter(
  (name) => spawnSync(name, [name === "nginx" ? "-v" : "version"]).status === 0,
);
for (const name of ["nginx", "caddy"] as const) {
  if (!present.includes(name)) console.log(`Left out: ${name} is not installed`);
}

const dataDir = await ownDataDir();
const service = await startService(dataDir, { env: { TRUST_PROXY: "127.0.0.1" } });
const store = await openOwnDatabase(dataDir);

async function startProxy(name: (typeof present)[number]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `backloom-${name}-`));
  const port = await findFreePort();
  const { file, words, write } = samples[name];
  const config = join(folder, "config");
  const sample = readFileSync(join(projectRoot, file), "utf8");
  writeFileSync(config, write(sample, port, service.port, folder));
  const child = spawn(name, words(config, folder), {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
  });
  let said = "";
  child.stderr.on("data", (chunk: Buffer) => {
    said += chunk.toString();
  });
  afterAll(async () => {
    if (child.exitCode !== null) return;
    child.kill("SIGTERM");
    await once(child, "exit");
  });
  const origin = `http://127.0.0.1:${port}`;
  await vi.waitFor(async () => expect((await fetch(`${origin}/api/ready`)).status, said).toBe(200), {
    timeout: 30_000,
    interval: 100,
  });
  return origin;
}

/** A request from another address of this machine, with what a client may say of itself. */
async function askFrom(localAddress: string, url: string): Promise<{ status: number; body: string }> {
  const headers = { "x-forwarded-for": "203.0.113.9", "content-type": "application/json" };
  const asked = request(url, { method: "POST", localAddress, headers });
  asked.end("{}");
  const [answer] = await once(asked, "response");
  return { status: answer.statusCode, body: await text(answer) };
}

describe.each(present)("behind %s as its sample sets it up", (name) => {
  it("Behind a sample proxy, streams deliver at once, and limits count by the client's address", async () => {
    const origin = await startProxy(name);
    const owner = await store.createUser();
    const { product, story } = await store.seedBacklog(owner);
    const token = await store.createToken(owner);
    const stream = await openStream(`${origin}/api/realtime/backlog?product_id=${product.id}`, bearer(token));
    await stream.nextNamed("ready");
    for (const title of ["One", "Two", "Three"]) {
      const { id } = await create(store.actorOf(owner), "create_task", { p_story_id: story.id, p_title: title });
      await stream.nextWhere(({ data }) => data.entity === "task" && data.id === id);
    }
    stream.close();

    // What only this machine may read is not read through a proxy that is on it.
    expect((await fetch(`${service.origin}/metrics`)).status).toBe(200);
    expect((await fetch(`${origin}/metrics`)).status).toBeGreaterThanOrEqual(401);

    await askFrom("127.0.0.9", `${origin}/api/auth/pair/start`);
    const rows = await store.query`select key from rate_limit_counters where key ~ '127.0.0.9|203.0.113.9'`;
    expect(rows.map(({ key }) => key).join()).toContain("127.0.0.9");
    expect(rows.map(({ key }) => key).join()).not.toContain("203.0.113.9");
  }, 90_000);
});

it("deploy/backloom.service is a unit that systemd understands", () => {
  const unit = join(projectRoot, "deploy/backloom.service");
  const { error, stderr } = spawnSync("systemd-analyze", ["verify", unit], { encoding: "utf8" });
  if (error) return console.log("Left out: systemd-analyze is not installed");
  const about = stderr.split("\n").filter((line) => line.includes("backloom.service"));
  // Here are neither the program nor the user that it names.
  expect(about.filter((line) => !/is not executable|user.*not exist/i.test(line))).toEqual([]);
});

it("deploy/backloom.service denies the service what it does not need", () => {
  const unit = join(projectRoot, "deploy/backloom.service");
  // 0 is closed, 10 is open; a unit that says nothing has 9.6.
  const words = ["security", "--offline=true", "--no-pager", "--threshold=20", unit];
  const { error, status, stdout } = spawnSync("systemd-analyze", words, { encoding: "utf8" });
  if (error) return console.log("Left out: systemd-analyze is not installed");
  expect(status, stdout).toBe(0);
});
