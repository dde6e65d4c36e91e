import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { getJobOutput } from "~/nouns/agent-jobs/operations.server";
import { getProof } from "~/nouns/proof/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { getSprintRun, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { createSampleProduct } from "~/nouns/transfers/operations.server";
import { openStage, type RunOptions, startRun } from "./fixture";
import { flags } from "./flags";
import { endOf, startWorker } from "./worker-process";

const { t, app, ada, token, home, git, serve } = await openStage("--heartbeat", "0.3");

const start = (product: string, exec: string, name: string, ...words: string[]) =>
  serve(product, ["--work-dir", join(home, name), "--name", name, "--exec", exec, ...words]);
const workOnce = (product: string, exec: string, name: string, ...words: string[]) =>
  endOf(start(product, exec, name, "--once", ...words));

async function openRun(wish: RunOptions) {
  const run = await startRun(t, ada, wish);
  const actor = t.actorOf(ada);
  const job = async () => (await run.read()).jobs.at(-1);
  const proof = async () => {
    const story_id = (await job())?.story_id ?? "";
    return (await getProof(actor, { story_id })).criteria;
  };
  return { ...run, job, proof };
}

/** A shell line that writes the result file: evidence for each criterion whose words hold a match. */
const says = (...lines: [match: string, rest: object][]) =>
  `node -e '${`
    const { readFileSync, writeFileSync } = require("fs");
    const { criteria } = JSON.parse(readFileSync(process.env.BACKLOOM_CONTEXT_FILE, "utf8"));
    const lines = ${JSON.stringify(lines)};
    const evidence = criteria.flatMap(({ id, text }) =>
      lines.filter(([match]) => text.includes(match)).map(([, rest]) => ({ criterion: id, ...rest })));
    writeFileSync(process.env.BACKLOOM_RESULT_FILE, JSON.stringify({ evidence }));
  `.replaceAll("'", `'"'"'`)}'`;

const criteria = "- [ ] The file is there\n- [ ] It says yes\n";

it("A picture proves a criterion only where the command made it at that commit", { tags: "thorough" }, async () => {
  const run = await openRun({
    code: "PICTURE",
    criteria: "- [ ] The file is there\n- [ ] It says yes\n- [ ] It leaks\n",
  });
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  writeFileSync(join(home, "outside.png"), Buffer.from(png, "base64"));
  const draw = `printf %s ${png} | base64 -d`;
  const work = `echo yes > answer; ${draw} > before.png; ln -s ${home}/outside.png link.png; ${says(
    ["file", { command: `${draw} > shot.png; test -f answer`, file: "shot.png" }],
    ["yes", { command: "grep -q yes answer", file: "before.png" }],
    ["leaks", { command: `touch -h link.png; touch ${home}/outside.png; test -f answer`, file: "link.png" }],
  )}`;
  await workOnce("PICTURE", work, "picture");
  const [file, yes, leaks] = await run.proof();
  expect(file).toMatchObject({
    state: "proven",
    grade: "worker",
    evidence: [
      {
        kind: "command",
        exit_code: 0,
        base_exit_code: 1,
        head_sha: (await run.job())?.head_sha,
        stale: false,
        file: { name: "shot.png", type: "image/png" },
        base_file: { name: "shot.png", type: "image/png" },
      },
    ],
  });
  const [seen] = file?.evidence ?? [];
  for (const shown of [seen?.file, seen?.base_file]) {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await app.request(shown?.url ?? "", { headers });
    expect(Buffer.from(await answer.arrayBuffer()).toString("base64")).toBe(png);
  }
  expect(yes).toMatchObject({ state: "proven", evidence: [{ file: null, base_file: null }] });
  expect(leaks).toMatchObject({ state: "proven", evidence: [{ file: null }] });
});

it("Proof is what the worker itself saw: it runs the commands that the agent names, at its commit", async () => {
  const run = await openRun({
    code: "SEEN",
    criteria,
    product: { done_requires: "worker", definition_of_done: "- The tests pass" },
  });
  const work = `echo yes > answer; ${says(
    ["file", { command: "test -f answer && git status --porcelain" }],
    ["yes", { command: "cat answer; grep -q yes answer" }],
  )}`;
  await workOnce("SEEN", work, "seer", "--test", "echo 3 passed");
  expect(await run.job()).toMatchObject({ status: "done", task_status: "done" });
  const proven = await run.proof();
  const head = git("rev-parse", String((await run.job())?.branch));
  expect(proven).toMatchObject([
    { state: "proven", grade: "worker", evidence: [{ exit_code: 0, head_sha: head }] },
    { state: "proven", grade: "worker", evidence: [{ excerpt: "yes", observed_by: "seer" }] },
    { state: "proven", grade: "worker", evidence: [{ command: "echo 3 passed" }] },
  ]);
});

it("A command that passes without the work as well proves nothing, unless it only guards what worked", {
  tags: "thorough",
}, async () => {
  const run = await openRun({ code: "BASE", criteria, product: { definition_of_done: "- The suite passes" } });
  const work = `echo yes > answer; ${says(
    ["file", { command: "echo fine", guards: true }],
    ["yes", { command: "grep -q yes answer" }],
    ["suite", { command: "echo 3 passed", guards: true }],
  )}`;
  expect(await workOnce("BASE", work, "comparer", "--sandbox", "auto")).not.toContain("not compared");
  const [hollow, real, guard] = await run.proof();
  expect(hollow).toMatchObject({
    state: "unproven",
    grade: null,
    evidence: [{ exit_code: 0, base_exit_code: 0, passed_before: true }],
  });
  expect(real).toMatchObject({ state: "proven", grade: "worker" });
  expect(real?.evidence[0]).toMatchObject({ exit_code: 0, passed_before: false });
  expect(real?.evidence[0]?.base_exit_code).toBeGreaterThan(0);
  expect(guard).toMatchObject({ state: "proven", grade: "worker", evidence: [{ guards: true, base_exit_code: null }] });
  expect(git("worktree", "list").split("\n")).toHaveLength(1);
});

it("A proof leaves nothing of the state before the work, even when the worker is killed in it", {
  tags: "thorough",
}, async () => {
  const run = await openRun({ code: "DIES", criteria });
  const [there, over] = [join(home, "dies-there"), join(home, "dies-over")];
  const waits = `test -f answer || { echo mess > mess; touch ${there}; until test -f ${over}; do sleep 0.1; done; }`;
  const work = `echo yes > answer; ${says(["file", { command: waits }])}`;
  const killed = start("DIES", work, "mortal");
  await vi.waitFor(() => expect(existsSync(there), killed.output()).toBe(true), 60_000);
  await killed.end("SIGKILL");
  writeFileSync(over, "");
  expect(git("worktree", "list")).toContain(".base");

  const next = start("DIES", work, "mortal");
  await vi.waitFor(() => expect(git("worktree", "list").split("\n")).toHaveLength(1), 60_000);
  await next.end("SIGTERM");
  const kept = git("branch", "--list", "backloom/kept/*", "--format", "%(refname)");
  expect(kept).toContain((await run.job())?.id);
  expect(kept).not.toContain(".base");
});

it("Missing proof is asked for once more, and then fails the verification with the criteria by name", {
  tags: "thorough",
}, async () => {
  const run = await openRun({ code: "LACK", criteria, product: { done_requires: "worker" } });
  const work = `echo turn >> turns; cp "$BACKLOOM_PROMPT_FILE" prompt.md; ${says([
    "file",
    { command: "test -f turns" },
  ])}`;
  expect(await workOnce("LACK", work, "forgetful")).toContain("nothing proves it yet");
  const job = await run.job();
  expect(job).toMatchObject({ status: "failed", failure_class: "verification_failed" });
  expect(job?.failure_reason).toContain("It says yes: nothing proves it yet");
  const kept = /kept on the branch (\S+?)\.?$/.exec(job?.failure_reason ?? "")?.[1];
  expect(git("show", `${kept}:turns`)).toBe("turn\nturn");
  expect(git("show", `${kept}:prompt.md`)).toContain("It says yes: nothing proves it yet");
});

it("Proof by a command that does not hold is failed, and without a command it is the agent's word", async () => {
  const run = await openRun({ code: "WORD", criteria });
  const work = `echo no > answer; ${says(
    ["file", { excerpt: "I have written it" }],
    ["yes", { command: "grep yes answer", verdict: "pass" }],
  )}`;
  await workOnce("WORD", work, "optimist");
  expect(await run.job()).toMatchObject({ status: "done" });
  expect(await run.proof()).toMatchObject([
    { state: "proven", grade: "said", evidence: [{ excerpt: "I have written it" }] },
    { state: "failed", grade: "worker", evidence: [{ exit_code: 1, verdict: "fail" }] },
  ]);
});

it("Another worker looks at the work in a clean checkout, and sends it back until it holds", {
  tags: "thorough",
}, async () => {
  const run = await openRun({ code: "OTHER", criteria, product: { done_requires: "other_worker" } });
  const look = `test "$(git status --porcelain)" = ""; cp "$BACKLOOM_PROMPT_FILE" seen.md; echo mess > answer; ${says(
    ["file", { command: "test -f answer" }],
    ["yes", { command: "grep -q yes answer" }],
  )}; test ! -e ../author-was-here`;
  await workOnce("OTHER", "echo no > answer; echo SECRET WORDS", "author");
  expect(await run.job()).toMatchObject({ status: "queued", phase: "verify" });
  expect(await workOnce("OTHER", look, "looker")).toContain("1 of 2 failed");
  expect(await run.job()).toMatchObject({ status: "queued", phase: "implement", retry_count: 0 });

  const again = 'cp "$BACKLOOM_PROMPT_FILE" prompt.md; echo yes > answer';
  await workOnce("OTHER", again, "author");
  const { branch, head_sha } = (await run.job()) ?? {};
  expect(git("show", `${branch}:prompt.md`)).toContain("It says yes: fail");
  await workOnce("OTHER", look, "looker");
  expect(await run.job()).toMatchObject({ status: "done", head_sha, worker_name: "looker" });
  expect(git("rev-parse", String(branch))).toBe(head_sha);
  expect(await run.proof()).toMatchObject([
    { state: "proven", grade: "other_worker" },
    { state: "proven", grade: "other_worker" },
  ]);
});

it("The demo brings proof for the sample product too, and one review ends its run", { tags: "thorough" }, async () => {
  const actor = t.actorOf(ada);
  const { id } = await createSampleProduct(t.database, ada.id);
  const rows = await t.query`select id from sprints where product_id = ${id}`;
  const run = await startSprintRun(actor, { sprint_id: rows[0].id });
  for (const _task of ["T-1", "T-2"]) {
    const worker = startWorker([
      ...flags({ url: app.origin, token, "work-dir": join(home, "demo"), product: "SAMPLE", exec: "demo" }),
      "--once",
    ]);
    expect(await worker.ended, worker.output()).toBe(0);
  }
  const { jobs } = await getSprintRun(actor, { sprint_run_id: run.id });
  expect(jobs.map(({ status, phase }) => [status, phase])).toEqual([
    ["done", "implement"],
    ["queued", "review"],
  ]);
  const [first, last] = jobs.map(({ id: job_id }) => job_id);
  const { entries } = await getJobOutput(actor, { job_id: first ?? "" });
  const said = entries.map(({ text }) => text).join("");
  expect(said).toMatch(/^Reading "Write the greeting"\nFollowing .*\nWriting greet\.sh, 3 lines\n/);
  const { criteria: proven } = await getProof(actor, { story_id: jobs[0]?.story_id ?? "" });
  expect(proven.map(({ state, grade }) => [state, grade])).toEqual(
    Array.from({ length: 4 }, () => ["proven", "worker"]),
  );
  expect(proven[0]?.evidence[0]).toMatchObject({
    command: 'sh greet.sh Ada | grep -xF -- "Hello, Ada"',
    excerpt: "Hello, Ada",
  });
  await reviewJob(actor, { job_id: last ?? "", verdict: "approve" });
  expect(await getSprintRun(actor, { sprint_run_id: run.id })).toMatchObject({ status: "done" });
});
