import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { projectRoot } from "../../supabase/embedded/project-root";
import { openStage, startRun } from "./fixture";
import { flags } from "./flags";
import { sandboxProblem } from "./sandbox-scene";
import { endOf, fakeAgent, follow, startWorker, workerFile } from "./worker-process";

const { t, app, ada, token, home, repo, git } = await openStage();

/** A person with a home and a folder of programs on their PATH. */
function person(name: string) {
  const own = join(home, name, "home");
  const bin = join(home, name, "bin");
  for (const folder of [own, bin]) mkdirSync(folder, { recursive: true });
  return {
    own,
    put(file: string, text: string) {
      mkdirSync(join(own, file, ".."), { recursive: true });
      writeFileSync(join(own, file), text);
    },
    program(called: string, script: string) {
      writeFileSync(join(bin, called), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    },
    environment: { HOME: own, PATH: `${bin}:${process.env.PATH}` },
    installed: () => readdirSync(own).includes(".backloom") && existsSync(join(own, ".backloom/agents")),
  };
}

const agentScript = `FAKE_ENDING=done exec "${process.execPath}" "${fakeAgent}"`;

/** Replaces npm: notes its words, and installs the agent in the given folder. */
const npmScript = (code = 0) => `echo "$*" >> "$HOME/npm-asked"
[ ${code} = 0 ] || exit ${code}
while [ "$1" != --prefix ]; do shift; done
mkdir -p "$2/node_modules/.bin"
printf '%s\\n' '#!/bin/sh' '${agentScript.replaceAll('"', "")}' > "$2/node_modules/.bin/qwen"
chmod +x "$2/node_modules/.bin/qwen"`;

const wordsFor = (code: string, agent: string) => [
  ...flags({ url: app.origin, token, "work-dir": join(home, "work"), once: true, repo, product: code }),
  ...flags({ name: `worker-${code}`, agent }),
];

/** The worker in a new terminal, with what is typed there. */
function inTerminal(words: readonly string[], environment: Record<string, string>, typed: string) {
  const line = [process.execPath, workerFile, ...words, "--sandbox", "off"];
  const quoted = line.map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qefc", quoted, "/dev/null"], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, NODE_OPTIONS: "", ...environment },
  });
  const worker = follow(child);
  void worker.said(/\[y\/N\]/).then(
    () => child.stdin.write(typed),
    () => undefined,
  );
  return worker;
}

it("Agents of the ACP registry are listed with the day of the copy, and how they are started", async () => {
  const worker = startWorker(["agents", "--registry"]);
  expect(await worker.ended).toBe(0);
  expect(worker.output()).toMatch(/^ACP registry, copy of \d{4}-\d\d-\d\d; start one with --agent <id>\n/);
  expect(worker.output()).toMatch(/^qwen-code +Qwen Code: npx @qwen-code\/qwen-code@[\d.]+ --acp/m);
  expect(worker.output()).toMatch(/^kimi .*only an archive, which is not supported: .*https:\/\/\S+/m);
  expect(worker.output()).toMatch(/^gemini +Gemini CLI: built in$/m);
});

it("An agent that the ACP registry does not have is refused with the nearest ids", async () => {
  for (const [name, near] of [
    ["qwen", /the nearest: qwen-code/],
    ["copilot", /the nearest: github-copilot/],
    ["hal9000", /`agents --registry` lists\n/],
  ] as const) {
    const worker = startWorker(wordsFor("NONE", name));
    expect(await worker.ended).toBe(1);
    expect(worker.output()).toContain(`There is no agent "${name}"`);
    expect(worker.output()).toMatch(near);
  }
});

it("An agent of the ACP registry does the task as the person's own program, and the attempt has its id", async () => {
  const { own, program: put, environment } = person("own");
  put("qwen", `echo "$*" > "${own}/started"; ${agentScript}`);
  put("npm", npmScript());
  const run = await startRun(t, ada, { code: "OWN" });
  await endOf(startWorker(wordsFor("OWN", "qwen-code"), environment));
  const [job] = (await run.read()).jobs;
  expect(job).toMatchObject({ status: "done", summary: "All done." });
  const { attempts } = await getAgentJob(t.actorOf(ada), { job_id: String(job?.id) });
  expect(attempts).toMatchObject([{ agent: "qwen-code" }]);
  expect(readFileSync(join(own, "started"), "utf8")).toMatch(/^--acp\b/);
  expect(existsSync(join(own, "npm-asked"))).toBe(false);
});

it("An agent of the ACP registry is not fetched without a terminal, and the worker says so", async () => {
  const { own, program: put, environment, installed } = person("alone");
  put("npm", npmScript());
  const worker = startWorker(wordsFor("ALONE", "qwen-code"), environment);
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toMatch(/without a terminal nothing is fetched: start the worker once in a terminal/);
  expect(existsSync(join(own, "npm-asked"))).toBe(false);
  expect(installed()).toBe(false);
});

it("An agent of which the ACP registry has only an archive is not fetched, and its page is named", async () => {
  const worker = startWorker(wordsFor("ARCHIVE", "kimi"), person("archive").environment);
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toMatch(/Kimi CLI is not installed .*not supported: put kimi on PATH as https:\/\/\S+ says/);
});

it("An agent of the ACP registry is not fetched where the person does not say yes", async () => {
  const { own, program: put, environment, installed } = person("no");
  put("npm", npmScript());
  for (const typed of ["\n", "no\n"]) {
    const worker = inTerminal(wordsFor("NO", "qwen-code"), environment, typed);
    expect(await worker.ended).toBe(1);
    expect(worker.output()).toContain("nothing was fetched");
  }
  expect(existsSync(join(own, "npm-asked"))).toBe(false);
  expect(installed()).toBe(false);
});

it("An agent of the ACP registry does not count as installed where npm fails", async () => {
  const { own, program: put, environment } = person("failing");
  put("npm", npmScript(1));
  const worker = inTerminal(wordsFor("FAILING", "qwen-code"), environment, "y\n");
  expect(await worker.ended).toBe(1);
  expect(worker.output()).toMatch(/npm could not install @qwen-code\/qwen-code@/);
  expect(readdirSync(join(own, ".backloom/agents"))).toEqual([]);
});

it("An agent of the ACP registry is installed after one question, and found from then on", async () => {
  const { own, program: put, environment } = person("asked");
  put("npm", npmScript());
  const first = await startRun(t, ada, { code: "ASKED" });
  const asked = inTerminal(wordsFor("ASKED", "qwen-code"), environment, "y\n");
  expect(await asked.ended, asked.output()).toBe(0);
  expect(asked.output()).toMatch(/npm install .*@qwen-code\/qwen-code@[\d.]+\s+Install it\? \[y\/N\]/);
  expect((await first.read()).jobs).toMatchObject([{ status: "done" }]);
  const second = await startRun(t, ada, { code: "AGAIN" });
  const inside = sandboxProblem === null ? ["--sandbox", "bwrap", "--mount", projectRoot] : [];
  const output = await endOf(startWorker([...wordsFor("AGAIN", "qwen-code"), ...inside], environment));
  expect(output).not.toContain("Install it?");
  expect((await second.read()).jobs).toMatchObject([{ status: "done" }]);
  expect(readFileSync(join(own, "npm-asked"), "utf8").trim().split("\n")).toHaveLength(1);
});

it.skipIf(sandboxProblem !== null)("A registry agent's sandbox has nothing of the home but its own", async () => {
  const { put, program: make, environment } = person("boxed");
  for (const file of [".qwen/settings.json", ".qwen/oauth_creds.json", ".kimi/config.toml", ".ssh/id"]) {
    put(file, "{}");
  }
  const look = `for file in .qwen/settings.json .qwen/oauth_creds.json .kimi/config.toml .ssh/id; do
[ -e "$HOME/$file" ] && echo "$file" >> seen.txt
done
[ -w "$HOME/.qwen/settings.json" ] && echo writable >> seen.txt
echo "\${QWEN_TEST_KEY:-none} \${OTHER_TEST_KEY:-none}" >> seen.txt`;
  make("qwen", `${look}\n${agentScript}`);
  const run = await startRun(t, ada, { code: "BOXED" });
  const words = [...wordsFor("BOXED", "qwen-code"), "--sandbox", "bwrap", "--mount", projectRoot];
  const keys = { QWEN_TEST_KEY: "mine", OTHER_TEST_KEY: "not yours" };
  const output = await endOf(startWorker(words, { ...environment, ...keys }));
  const [job] = (await run.read()).jobs;
  expect(job, output).toMatchObject({ status: "done" });
  expect(git("show", `${job?.branch}:seen.txt`).split("\n")).toEqual([
    ".qwen/settings.json",
    ".qwen/oauth_creds.json",
    "mine none",
  ]);
});
