import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { getAgentJob, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { standIns } from "../agents/stand-ins";
import { at, bearer } from "../setup/world";
import { openStream } from "../streams/stream-reader";
import { gitIn, openStage, type RunOptions, startRun } from "./fixture";
import { sandboxProblem } from "./sandbox-scene";
import { openToolGate } from "./tool-gate";
import { endOf, fakeAgent, follow, read, startWorker, workerFile } from "./worker-process";

const { t, app, ada, actor, token, home, repo } = await openStage();
const gate = await openToolGate(app.port);
const environment = { BACKLOOM_URL: gate.url, BACKLOOM_TOKEN: token };

/** A run with one task, its clone, and an agent that works until it is stopped. */
async function begin(code: string, product: RunOptions["product"] = {}) {
  const run = await startRun(t, ada, { code, product });
  const folder = join(home, code);
  const own = join(folder, "agent");
  mkdirSync(own, { recursive: true });
  gitIn(home)("clone", "--quiet", "--bare", repo, join(folder, "origin.git"));
  gitIn(folder)("clone", "--quiet", "origin.git", "clone");
  const heard = join(own, "heard.jsonl");
  const agentFor = (milliseconds: number, ending = "patient") =>
    `acp:HOME='${own}' FAKE_ENDING=${ending} FAKE_HEARD='${heard}' FAKE_MILLISECONDS=${milliseconds} exec '${process.execPath}' '${fakeAgent}'`;
  const place = ["--work-dir", join(folder, "work"), "--repo", join(folder, "clone")];
  const person: Record<string, string> = {};
  const work = (...words: string[]) => {
    const named = ["--name", `loom-${code}`, "--product", code, "--heartbeat", "0.3", ...words];
    return startWorker(["--url", gate.url, "--token", token, ...place, ...named], person);
  };
  const hand = (...words: string[]) =>
    startWorker([...words, ...place, "--product", code], { ...environment, ...person });
  const { productId } = run;
  const job = async () => getAgentJob(actor, { job_id: at((await run.read()).jobs, 0).id });
  return {
    agentFor,
    person,
    work,
    hand,
    job,
    productId,
    clone: gitIn(join(folder, "clone")),
    folder,
    heard: () =>
      read(heard)
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    origin: gitIn(join(folder, "origin.git")),
    async take(...words: string[]) {
      const taking = hand("take", "T-1", ...words);
      expect(await taking.ended, taking.output()).toBe(0);
      const place = /cd '(.+?)'/.exec(taking.output())?.[1] ?? "";
      expect(existsSync(place), taking.output()).toBe(true);
      return { place, output: taking.output() };
    },
    async run(...words: string[]) {
      const hands = hand(...words);
      return endOf(hands);
    },
  };
}

type Scene = Awaited<ReturnType<typeof begin>>;

async function whileAgentWorks({ work, agentFor, heard }: Scene) {
  const worker = work("--agent", agentFor(600_000), "--once");
  await expect.poll(() => heard().length, { timeout: 120_000, message: worker.output() }).toBeGreaterThan(0);
  return worker;
}

describe("take and give", { timeout: 240_000 }, () => {
  it("A person takes a job from its agent, and hands it in with proof in the same conversation", {
    tags: "thorough",
  }, async () => {
    const scene = await begin("TAKE");
    const worker = await whileAgentWorks(scene);
    const patient = scene.hand("take", "T-1");
    // Its tool call runs, and only --now does not wait for it.
    await patient.said(/Waiting for worker/);
    expect(await scene.job()).toMatchObject({ holder: null, status: "running" });
    await patient.end("SIGTERM");
    const { productId } = scene;
    const board = await openStream(`${app.origin}/api/realtime/backlog?product_id=${productId}&live=1`, bearer(token));
    await board.nextNamed("ready");
    const shown = board.nextWhere(({ data }) => data.entity === "job" && data.status === "CLAIMED");
    const { place, output } = await scene.take("--now");
    expect(output).not.toContain("does not wait");
    expect(statSync(`${place}.taken`).mode & 0o777).toBe(0o600);
    expect(statSync(join(place, "../../..")).mode & 0o777).toBe(0o700);
    await shown;
    board.close();
    expect(await worker.ended, worker.output()).toBe(0);
    const held = await scene.job();
    expect(held).toMatchObject({ holder: "person", holder_name: "ada", attempt: 2 });
    expect(held.attempts).toMatchObject([{ outcome: "returned", session_id: "fake-1" }, {}]);
    expect(await whyNotMoving(actor, { kind: "job", id: held.id })).toMatchObject({ reasons: [{ code: "held" }] });
    const second = scene.hand("take", "T-1");
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain("You have it in a terminal");

    writeFileSync(join(place, "by-hand.txt"), "by hand\n");
    gitIn(place)("add", "by-hand.txt");
    gitIn(place)("commit", "--quiet", "-m", "By hand");
    writeFileSync(join(place, "left.txt"), "left\n");
    const refused = scene.hand("give", "--test", "echo not yet; exit 1");
    expect(await refused.ended).toBe(1);
    expect(refused.output()).toContain("still yours");
    expect(await scene.job()).toMatchObject({ holder: "person", attempt: 2 });
    // The token is with the folder: a shell of the person needs none.
    const giving = startWorker(
      ["give", "--test", "test -e by-hand.txt", "--work-dir", join(scene.folder, "work"), "T-1"],
      { BACKLOOM_URL: "", BACKLOOM_TOKEN: "" },
    );
    await endOf(giving);
    const job = await scene.job();
    expect(job).toMatchObject({
      status: "done",
      holder: null,
      evidence: { test: { passed: true } },
      attempts: [{ session_id: "fake-1" }, { session_id: "fake-1", outcome: "done" }],
    });
    const files = scene.origin("ls-tree", "--name-only", String(job.branch)).split("\n");
    expect(files).toEqual(expect.arrayContaining(["by-hand.txt", "left.txt"]));
    expect(existsSync(place)).toBe(false);
  });

  it("A job that a person gives back continues in its agent's conversation with the changed files", {
    tags: "thorough",
  }, async () => {
    const scene = await begin("BACK");
    const worker = scene.work("--agent", scene.agentFor(0, "commits"), "--once");
    const said =
      "select from job_outputs o join agent_jobs j on j.id = o.job_id where j.id = $1 and o.text ~ 'first file'";
    const { id } = await scene.job();
    await expect.poll(async () => (await t.sql.query(said, [id])).rowCount, { timeout: 120_000 }).toBeGreaterThan(0);
    const { place } = await scene.take();
    await worker.ended;
    expect(existsSync(join(place, "first.txt"))).toBe(true);
    writeFileSync(join(place, "by-hand.txt"), "by hand\n");
    await scene.run("give", "--back", "T-1");
    expect(await scene.job()).toMatchObject({ status: "queued", holder: null });
    await endOf(scene.work("--agent", scene.agentFor(1), "--once"));
    const job = await scene.job();
    expect(job).toMatchObject({ status: "done", attempt: 3 });
    expect(job.attempts.map(({ session_id }) => session_id)).toEqual(["fake-1", "fake-1", "fake-1"]);
    expect(scene.heard().at(-1).words).toContain("by-hand.txt");
    const files = scene.origin("ls-tree", "--name-only", String(job.branch)).split("\n");
    expect(files).toEqual(expect.arrayContaining(["first.txt", "by-hand.txt", "made-3.txt"]));
  });

  it("A take names the work's tool settings before the line that opens a tool, and its shell has no token", async () => {
    const scene = await begin("SHELL", { repo_url: "https://git.example/acme/shop" });
    mkdirSync(join(scene.folder, "clone/.codex"));
    const hidden = [".mcp.json", ".codex/config.toml", ".gitignore"];
    for (const name of hidden) writeFileSync(join(scene.folder, "clone", name), "{}\n");
    scene.clone("checkout", "--quiet", "-b", String((await scene.job()).branch));
    scene.clone("add", "--all");
    scene.clone("commit", "--quiet", "-m", "Settings");
    scene.clone("push", "--quiet", "origin", "HEAD");
    scene.clone("checkout", "--quiet", "main");
    // Typed in a clone of the product's repository, which it is over ssh as well.
    scene.clone("config", "remote.origin.url", "git@git.example:acme/shop.git");
    const place = join(scene.folder, "origin.git");
    scene.clone("config", `url.${place}.insteadOf`, "git@git.example:acme/shop.git");
    const words = ["take", "--work-dir", join(scene.folder, "work"), "--product", "SHELL"];
    const line = [process.execPath, workerFile, ...words, "T-1"];
    const quoted = [...line, "--sandbox", "off"].map((word) => `'${word}'`).join(" ");
    const child = spawn("script", ["-qefc", quoted, "/dev/null"], {
      stdio: ["pipe", "pipe", "pipe"],
      cwd: join(scene.folder, "clone"),
      env: { ...process.env, NODE_OPTIONS: "", ...environment, SHELL: "/bin/sh" },
    });
    const terminal = follow(child);
    await terminal.said(/Hand it in there with give/);
    child.stdin.write('echo "token: [$BACKLOOM_TOKEN]"; env | grep -c BACKLOOM_TOKEN; exit\n');
    await terminal.said(/token: \[\]/);
    await terminal.ended;
    const [before = ""] = terminal.output().split("is yours");
    expect(before).toMatch(/settings that tools may follow[\s\S]*\.codex\/config\.toml\s+\.mcp\.json\s/);
    expect(before).not.toContain(".gitignore");
  });

  it.skipIf(sandboxProblem !== null)(
    "A taken job runs setup, test and proof in a sandbox where the product requires one",
    { tags: "thorough" },
    async () => {
      const scene = await begin("BOXED", { requires_sandbox: true });
      const outside = join(scene.folder, "outside.txt");
      writeFileSync(outside, "of the person\n");
      writeFileSync(
        join(scene.folder, "clone/.backloom.yml"),
        `setup: test ! -e '${outside}' && touch set-up.txt\ntest: test -e set-up.txt && test ! -e '${outside}'\n`,
      );
      scene.clone("add", ".backloom.yml");
      scene.clone("commit", "--quiet", "-m", "Rules");
      scene.clone("push", "--quiet", "origin", "HEAD:main");
      const refused = scene.hand("take", "T-1");
      expect(await refused.ended).toBe(1);
      expect(refused.output()).toContain("The product requires a sandbox");
      expect(await scene.job()).toMatchObject({ holder: null, attempt: 0 });
      const { place } = await scene.take("--sandbox", "bwrap");
      writeFileSync(join(place, "by-hand.txt"), "by hand\n");
      const open = scene.hand("give");
      expect(await open.ended).toBe(1);
      expect(open.output()).toContain("taken with a sandbox");
      await scene.run("give", "--sandbox", "bwrap");
      expect(await scene.job()).toMatchObject({
        status: "done",
        evidence: { test: { passed: true } },
        attempts: [{ confinement: "bwrap", outcome: "done" }],
      });
    },
  );

  it.skipIf(sandboxProblem !== null)(
    "A take prints a line that opens a conversation from a sandbox, and the agent continues it",
    { tags: "thorough" },
    async () => {
      const scene = await begin("LENT");
      const milliseconds = "FAKE_MILLISECONDS";
      Object.assign(scene.person, standIns(scene.folder, ["claude"]), { [milliseconds]: "600000" });
      const boxed = ["--sandbox", "bwrap", "--mount", dirname(fakeAgent)];
      const words = ["--agent", "claude", "--env", milliseconds, "--once", ...boxed];
      const worker = scene.work(...words);
      const { id } = await scene.job();
      const said = "select from job_outputs where job_id = $1 and text ~ 'Made as'";
      await expect.poll(async () => (await t.sql.query(said, [id])).rowCount, { timeout: 120_000 }).toBeGreaterThan(0);
      const { output } = await scene.take("--now", ...boxed);
      await worker.ended;
      const [line = ""] = /cd '.+' && claude --resume .+/.exec(output) ?? [];
      const name = `.claude/projects/stand-in/${line.split(" ").at(-1)}.jsonl`;
      const inside = join(scene.folder, "work/workers/loom-LENT/homes", id, name);
      const env = { ...process.env, ...scene.person };
      execFileSync("sh", ["-c", line], { env });
      expect(read(inside)).not.toContain("by a person");
      await scene.run("give", "--back", "T-1", ...boxed);
      expect(read(inside)).toContain("by a person");
      expect(() => execFileSync("sh", ["-c", line], { env, stdio: "pipe" })).toThrow();
      scene.person[milliseconds] = "0";
      await endOf(scene.work(...words));
      const { attempts } = await scene.job();
      expect(new Set(attempts.map(({ session_id }) => session_id)).size).toBe(1);
      expect(await scene.job()).toMatchObject({ status: "done", attempt: 3 });
    },
  );

  function endTerminal(place: string): void {
    const { keeper } = JSON.parse(readFileSync(`${place}.taken`, "utf8"));
    process.kill(Number.parseInt(keeper, 10), "SIGKILL");
  }

  /** Killed when the service has given it the job, and no folder is there yet. */
  async function killTake({ hand }: Scene) {
    const held = gate.hold({ tool: "update_job_status", status: "running", when: "before" });
    const taking = hand("take", "T-1");
    await held.reached;
    await taking.end("SIGKILL");
    held.lose();
  }

  it("A take continues at once where another one was killed, in the folder whose terminal died", {
    tags: "thorough",
  }, async () => {
    const scene = await begin("AGAIN");
    await killTake(scene);
    expect(await scene.job()).toMatchObject({ holder: "person", attempt: 1 });
    const { place } = await scene.take();
    writeFileSync(join(place, "by-hand.txt"), "by hand\n");
    endTerminal(place);
    expect((await scene.take()).place).toBe(place);
    expect(read(join(place, "by-hand.txt"))).toBe("by hand\n");

    // Whose terminal died while give works: no other one, and no worker that starts, touches the folder.
    endTerminal(place);
    const held = gate.hold({ tool: "verify_task_against_plan", when: "before" });
    const giving = scene.hand("give");
    await held.reached;
    for (const words of [["take", "T-1"], ["give"], ["give", "--back"]]) {
      const second = scene.hand(...words);
      expect(await second.ended, second.output()).toBe(1);
      expect(second.output()).toContain("Another give or take works on T-1");
    }
    const worker = scene.work("--agent", scene.agentFor(1), "--name", basename(join(place, "../..")));
    await worker.said(/waits for jobs/);
    await worker.end("SIGTERM");
    held.pass();
    expect(await giving.ended, giving.output()).toBe(0);
    expect(await scene.job()).toMatchObject({ status: "done", attempt: 1 });
  });

  it("A take that was killed before it had a folder leaves the job to a worker of its machine", {
    tags: "thorough",
  }, async () => {
    const scene = await begin("LEFT");
    await killTake(scene);
    await endOf(scene.work("--agent", scene.agentFor(1), "--once"));
    const job = await scene.job();
    expect(job).toMatchObject({ status: "done", attempts: [{ outcome: "returned" }, {}] });
  });
});
