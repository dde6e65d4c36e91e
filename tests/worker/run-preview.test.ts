import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { WantedPreview } from "~/wire/previews/contract";
import { openJournal } from "../../worker/base/journal";
import { readOptions } from "../../worker/base/options";
import { openWorkFolder } from "../../worker/base/work-folder";
import { readPreview } from "../../worker/git/preview-settings";
import { readRulesOf } from "../../worker/git/rules";
import type { LandingTools } from "../../worker/landing/run-tests";
import { takePorts } from "../../worker/previews/port-block";
import { type RunningPreview, runPreview } from "../../worker/previews/run-preview";
import { openSandbox } from "../../worker/sandbox/open-sandbox";
import type { Service } from "../../worker/service/service";
import { makeHome, makeRepository } from "./fixture";
import { sandboxProblem } from "./sandbox-scene";
import { isAlive, processesOf } from "./worker-process";

const home = makeHome();
const running: RunningPreview[] = [];
afterAll(async () => {
  await Promise.all(running.map(({ end }) => end()));
});
let number = 0;

/** A repository whose main branch has these files, and a separate worker that can run previews of it. */
async function scene(files: Record<string, string>, sandbox: "bwrap" | "off", args: string[] = []) {
  number += 1;
  const repo = join(home, `repo-${number}`);
  const git = makeRepository(repo);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
  git("add", "--force", ".");
  git("commit", "--quiet", "--allow-empty", "-m", "Files");
  const words = ["--url", "http://127.0.0.1:9", "--token", "t", "--exec", "true", "--repo", repo, "--sandbox", sandbox];
  const options = readOptions([...words, "--work-dir", join(home, `work-${sandbox}`), ...args], {});
  const folder = await openWorkFolder(
    options.workDir,
    join(options.workDir, "workers", String(number)),
    String(number),
  );
  const sandboxes = await openSandbox(options, folder, "");
  const service: Service = Object.assign(Object.create(null), {});
  const tools: LandingTools = {
    options,
    folder,
    sandboxes,
    service,
    journal: openJournal(() => undefined),
    clean: (text) => text,
  };
  const lines: string[] = [];
  const head_sha = git("rev-parse", "HEAD");
  const id = number.toString(16).padStart(32, "0");
  const wanted: WantedPreview = {
    id,
    job_id: id,
    head_sha,
    branch: "main",
    branch_prefix: "backloom",
    repo_url: "",
    may_reach: [],
    product: { id, repo_url: "" },
    origin: `http://${id}.localhost:3000`,
  };
  const start = async (signal = new AbortController().signal) => {
    const preview = await runPreview({ ...tools, wanted, signal, say: (line) => lines.push(line) });
    running.push(preview);
    return preview;
  };
  return { start, lines, repo, git, id, head_sha, folder };
}

/** What a program says of itself to who asks. */
function ask({ connect, port }: RunningPreview, path = "/"): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { host: `localhost:${port}`, connection: "close" };
    const asked = request({ createConnection: connect, path, headers }, async (answer) => {
      let text = "";
      for await (const piece of answer) text += piece;
      resolve(text);
    });
    asked.once("error", reject);
    asked.end();
  });
}

const server = (listen: string, answer = "answer.end(JSON.stringify({ pid: process.pid, env: process.env }))") =>
  `require("node:http").createServer((given, answer) => { ${answer} }).listen(${listen}, () => console.log("\\x1b[32mhere\\x1b[0m"));\n`;
const rules = "preview:\n  run: node server.js\n  ready_within: 60\n";
const ways = ["off", ...(sandboxProblem === null ? (["bwrap"] as const) : [])] as const;

describe.each(ways)("a preview, sandbox %s", { tags: "thorough", timeout: 120_000 }, (sandbox) => {
  it("A preview runs at its commit with its variables, and nothing of it is left at its end", async () => {
    const files = {
      ".backloom.yml": `${rules}env: { SHOP: beds }\n`,
      "server.js": server("process.env.PORT, '127.0.0.1'"),
    };
    const { start, lines, id, folder } = await scene(files, sandbox);
    const preview = await start();
    const { env } = JSON.parse(await ask(preview));
    expect(env).toMatchObject({
      HOST: "127.0.0.1",
      PORT: String(preview.port),
      BACKLOOM_PORT: String(preview.port),
      BACKLOOM_PORT_9: String(preview.port + 9),
      SHOP: "beds",
      BACKLOOM_BRANCH: "main",
      BACKLOOM_JOB: id,
      BACKLOOM_PREVIEW_URL: `http://${id}.localhost:3000`,
    });
    if (sandbox === "bwrap") expect(preview.port).toBe(3000);
    else expect(preview.port).toBeGreaterThanOrEqual(20_000);
    expect(lines).toContain("here");
    await preview.end();
    await expect(ask(preview)).rejects.toThrow();
    expect(readdirSync(folder.worktrees)).toEqual([]);
    expect(processesOf(id)).toEqual([]);
  });

  it("A server that listens on ::1 only is reached", async () => {
    const { start } = await scene(
      { ".backloom.yml": rules, "server.js": server("process.env.PORT, '::1'", "answer.end('six')") },
      sandbox,
    );
    expect(await ask(await start())).toBe("six");
  });

  it("A server that answers 500 at first is ready when it does not any more", async () => {
    const answer = "answer.statusCode = process.uptime() < 2 ? 500 : 200; answer.end('up')";
    const { start } = await scene({ ".backloom.yml": rules, "server.js": server("process.env.PORT", answer) }, sandbox);
    expect(await ask(await start())).toBe("up");
  });

  it.each([
    ["never answers", 2, "setInterval(() => undefined, 1_000)\n", /nothing answers on port/],
    [
      "ignores PORT",
      8,
      `${server("5173")}console.log("Local: http://localhost:5173/");\n`,
      /ready on 5173, but PORT was \d+: the command ignores PORT/,
    ],
    ["answers 500", 8, server("process.env.PORT", "answer.statusCode = 500; answer.end()"), /\/ answers 500/],
    ["takes requests and answers none", 2, server("process.env.PORT", ""), /nothing answers on port/],
    ["ends", 60, 'console.error("no database"); process.exit(3);\n', /It ended with 3/],
  ])("A server that %s is not ready, and the reason says why", async (_, seconds, script, reason) => {
    // Long enough for a program that has to speak, on a busy machine.
    const brief = rules.replace("60", String(seconds));
    const { start, id } = await scene({ ".backloom.yml": brief, "server.js": script }, sandbox);
    await expect(start()).rejects.toThrow(reason);
    expect(processesOf(id)).toEqual([]);
  });

  it("A program that does not end when asked, and one that it left behind, are killed", async () => {
    const script = `process.on("SIGTERM", () => undefined);
      require("node:child_process").spawn("sleep", ["1000"], { detached: true, stdio: "ignore" }).unref();
      ${server("process.env.PORT", "answer.end('up')")}`;
    const { start, id } = await scene({ ".backloom.yml": rules, "server.js": script }, sandbox);
    const preview = await start();
    const pids = processesOf(id);
    expect(pids.length).toBeGreaterThan(1);
    await preview.end();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it("A preview that is ended while it starts leaves nothing", async () => {
    const { start, id, lines } = await scene(
      { ".backloom.yml": rules, "server.js": "console.log('slow'); setInterval(() => undefined, 1_000)" },
      sandbox,
    );
    const stop = new AbortController();
    const starting = start(stop.signal);
    await expect.poll(() => lines, { timeout: 60_000 }).toContain("slow");
    stop.abort();
    await expect(starting).rejects.toThrow();
    expect(processesOf(id)).toEqual([]);
  });
});

it.skipIf(sandboxProblem !== null)(
  "Twenty previews in sandboxes all have port 3000, and none reaches another",
  { tags: "thorough", timeout: 180_000 },
  async () => {
    const answer = "answer.end(process.env.BACKLOOM_PREVIEW)";
    const names = Array.from({ length: 20 }, (_, index) => index);
    const scenes = await Promise.all(
      names.map(() => scene({ ".backloom.yml": rules, "server.js": server("process.env.PORT", answer) }, "bwrap")),
    );
    const previews = await Promise.all(scenes.map(({ start }) => start()));
    expect(previews.map(({ port }) => port)).toEqual(names.map(() => 3000));
    expect(await Promise.all(previews.map((one) => ask(one)))).toEqual(scenes.map(({ id }) => id));
    await expect(fetch("http://127.0.0.1:3000/")).rejects.toThrow();
  },
);

it.skipIf(sandboxProblem !== null)("A preview cannot have the port of the sandbox's own proxy", async () => {
  const { start } = await scene(
    { ".backloom.yml": `${rules}  port: 3128\n`, "server.js": server("process.env.PORT") },
    "bwrap",
  );
  await expect(start()).rejects.toThrow("Port 3128 is the worker's own");
});

it("No two previews outside of a sandbox get the same ports, and ports that are taken are passed over", async () => {
  const folder = join(home, "ports");
  mkdirSync(folder);
  const blocks = await Promise.all(Array.from({ length: 8 }, () => takePorts(folder)));
  const ports = blocks.map(({ port }) => port);
  expect(new Set(ports).size).toBe(8);
  for (const { release } of blocks) await release();
  expect(JSON.parse(readFileSync(join(folder, "ports.json"), "utf8"))).toEqual({});
  writeFileSync(join(folder, "ports.json"), JSON.stringify({ 20000: "999999999 long ago" }));
  const again = await takePorts(folder);
  expect(ports).toContain(again.port);
  await again.release();
});

const launch = (configurations: object[], extra = "") =>
  `{ // committed\n  "version": "0.0.1", ${extra}\n  "configurations": ${JSON.stringify(configurations)}, }\n`;
const web = { name: "web", runtimeExecutable: "npm", runtimeArgs: ["run", "it's"], port: 4000 };

it.each<[string, Record<string, string>, unknown]>([
  ["says nothing", {}, "unset"],
  ["wants none", { ".backloom.yml": "preview: none\n", ".claude/launch.json": launch([web]) }, "none"],
  [
    "has launch.json",
    { ".claude/launch.json": launch([web]) },
    { run: `'npm' 'run' 'it'\\''s'`, port: 4000, isPortFixed: false },
  ],
  [
    "names the second configuration",
    {
      ".backloom.yml": "preview: api\n",
      ".claude/launch.json": launch([web, { name: "api", program: "api.js", autoPort: false, env: { A: "1" } }]),
    },
    { run: "'node' 'api.js'", port: 3000, isPortFixed: true, environment: { A: "1" } },
  ],
  [
    "names one that is not there",
    { ".backloom.yml": "preview: api\n", ".claude/launch.json": launch([web]) },
    /names no configuration/,
  ],
  ["has an address only", { ".claude/launch.json": launch([{ name: "web", url: "https://example.com" }]) }, "unset"],
  ["has a launch.json of 1 MB", { ".claude/launch.json": launch([web], `"x": "${"x".repeat(1_000_000)}",`) }, /64 KiB/],
  ["has a launch.json that is none", { ".claude/launch.json": "[1" }, /not as documented/],
  [
    "says all itself",
    {
      ".backloom.yml":
        "preview: { run: npm start, port: 8080, ready: /up, ready_within: 20s, stop_after: 5m, host: keep, fixed_port: 8080 }\n",
    },
    { run: "npm start", port: 8080, ready: "/up", readySeconds: 20, stopSeconds: 300, host: "keep", fixedPort: 8080 },
  ],
])("What a preview runs, where a repository %s", async (_, files, expected) => {
  const { repo, head_sha } = await scene(files, "off");
  const read = readRulesOf(repo, head_sha).then((found) => readPreview(repo, head_sha, found));
  if (expected instanceof RegExp) await expect(read).rejects.toThrow(expected);
  else if (typeof expected === "string") expect(await read).toBe(expected);
  else expect(await read).toMatchObject(expected as object);
});

it("A preview starts what the main branch says, not what the work says, and in no folder outside", {
  timeout: 60_000,
}, async () => {
  const away = { name: "web", runtimeExecutable: "true", cwd: "../.." };
  const { start } = await scene({ ".claude/launch.json": launch([away]) }, "off");
  await expect(start()).rejects.toThrow("--trust-setup");
  const trusted = await scene({ ".claude/launch.json": launch([away]) }, "off", ["--trust-setup"]);
  await expect(trusted.start()).rejects.toThrow("not in the repository");
  const { git, repo, head_sha } = await scene({ ".backloom.yml": rules }, "off");
  git("checkout", "--quiet", "-b", "work");
  writeFileSync(join(repo, ".backloom.yml"), "preview: { run: steal }\n");
  git("commit", "--quiet", "-am", "Steal");
  const base = git("merge-base", "HEAD", "main");
  expect(base).toBe(head_sha);
  expect(await readPreview(repo, base, await readRulesOf(repo, base))).toMatchObject({ run: "node server.js" });
});

it("A fixed port of the worker's machine leads to the preview while it runs", { timeout: 60_000 }, async () => {
  const { port, release } = await takePorts(join(home, "work-off"));
  const { start } = await scene(
    {
      ".backloom.yml": `${rules}  fixed_port: ${port}\n`,
      "server.js": server("process.env.PORT", "answer.end('fixed')"),
    },
    "off",
  );
  const preview = await start();
  expect(await (await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: "close" } })).text()).toBe("fixed");
  await preview.end();
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  await release();
});
