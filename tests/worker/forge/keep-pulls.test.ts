import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getProof, waiveCriterion } from "~/nouns/proof/operations.server";
import { listPulls } from "~/nouns/pulls/operations.server";
import { forgeKinds } from "../../../worker/base/forge-kinds";
import { at } from "../../setup/world";
import { openStage, startRun } from "../fixture";
import { flags } from "../flags";
import { openToolGate } from "../tool-gate";
import { read, startWorker } from "../worker-process";
import { writeAgent, writeRepository } from "./landing-world";
import { openForgeWorld, tokenOf } from "./world";

const { t, app, ada, actor, token, home } = await openStage();
const gate = await openToolGate(app.port);
const patience = { timeout: 90_000, interval: 200 };
const { command, prompts } = writeAgent(home);

describe.each(forgeKinds)("%s", (kind) => {
  it("A pull request is opened after an outage, and its draft is marked ready when the proof comes later", async () => {
    const { forge, run } = await begin(kind, "OUTAGE", { criteria: "- It is blue" });
    const path = /(pulls|merge_requests)$/;
    for (let time = 0; time < 2; time += 1) {
      forge.faults.push({ method: "POST", path, status: 503 });
    }
    const worker = serve(kind, "OUTAGE");
    await expect.poll(() => forge.pulls.length, patience).toBe(1);
    const pull = at(forge.pulls, 0);
    expect(worker.output()).toContain("No pull request was opened");
    expect(pull).toMatchObject({ isDraft: true, title: expect.stringContaining("ST-001: ") });
    expect(pull.body).toContain("- [ ] It is blue");
    await proveAll(run.productId);
    await expect.poll(() => pull.isDraft, patience).toBe(false);
    expect(pull.body).toContain("- [x] It is blue (waived)");
    expect(forge.pulls).toHaveLength(1);
    await worker.end("SIGTERM");
  }, 240_000);
});

it("Work that was merged since the last look gets no second pull request", async () => {
  const { forge, run } = await begin("github", "MERGED", { criteria: "- It is blue" });
  const worker = serve("github", "MERGED", gate.url);
  const states = async () => {
    const { pulls } = await listPulls(actor, { product_id: run.productId, state: "all" });
    return pulls.map(({ number, state }) => `${number} ${state}`);
  };
  await expect.poll(states, patience).toEqual(["1 open"]);
  const look = gate.hold({ tool: "GET pull-texts", when: "before" });
  await look.reached;
  await proveAll(run.productId);
  at(forge.pulls, 0).state = "merged";
  look.pass();
  // What follows a look is over when the next one begins.
  await expect.poll(states, patience).toEqual(["1 merged"]);
  expect(forge.pulls).toHaveLength(1);
  await worker.end("SIGTERM");
}, 240_000);

it("An agent whose pull request does not merge finds the merge begun and is shown both versions", async () => {
  const { forge, run, git, repo } = await begin("github", "CLASH", { stories: ["Say one"] });
  const worker = serve("github", "CLASH");
  await expect.poll(() => forge.pulls.length, patience).toBe(1);
  const pull = at(forge.pulls, 0);
  const attempts = async () => {
    const { jobs } = await run.read();
    return jobs.map(({ attempt, status }) => `${attempt} ${status}`);
  };
  await expect.poll(attempts, patience).toEqual(["1 done"]);
  writeFileSync(join(repo, "line.txt"), "two\n");
  git("commit", "--quiet", "--all", "-m", "Two");
  forge.push(git);
  pull.mergeable = false;
  await expect.poll(() => read(prompts), patience).toContain("The merge is begun in this folder");
  pull.mergeable = true;
  await expect.poll(attempts, patience).toEqual(["2 done"]);
  expect(read(prompts)).toContain("line.txt, yours:\n    | one\nline.txt, theirs:\n    | two");
  await worker.end("SIGTERM");
}, 240_000);

/** The only criterion of its only story holds now, which changes the text of the pull request. */
async function proveAll(productId: string) {
  const rows = await t.query`select id from stories where product_id = ${productId}`;
  const story_id = String(at(rows, 0).id);
  const { criteria } = await getProof(actor, { story_id });
  await waiveCriterion(actor, { story_id, criterion: at(criteria, 0).id, reason: "Seen" });
}

async function begin(kind: (typeof forgeKinds)[number], code: string, wish: { criteria?: string; stories?: string[] }) {
  const forge = await openForgeWorld(kind, join(home, code));
  const repo = join(home, `repo-${code}-${kind}`);
  const git = forge.clone(repo);
  writeRepository(repo, `forge: ${kind}\n`);
  forge.push(git);
  const run = await startRun(t, ada, {
    code: `${code}-${kind}`,
    strategy: "STORY",
    ...wish,
    product: { pull_requests: "draft", repo_url: forge.remote },
  });
  return { forge, run, git, repo };
}

function serve(kind: (typeof forgeKinds)[number], code: string, url = app.origin) {
  return startWorker(
    [
      ...flags({ url, token, product: `${code}-${kind}`, "work-dir": join(home, `work-${code}-${kind}`) }),
      ...flags({ name: `${code}-${kind}`, repo: join(home, `repo-${code}-${kind}`), exec: command }),
      ...flags({ sandbox: "off", pr: true }),
    ],
    { BACKLOOM_FORGE_TOKEN: tokenOf(kind), BACKLOOM_FORGE_POLL_SECONDS: "2" },
  );
}
