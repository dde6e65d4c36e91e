import { describe, expect, it } from "vitest";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { forgeKinds } from "../../../worker/base/forge-kinds";
import { openJournal } from "../../../worker/base/journal";
import { openPullSync } from "../../../worker/forge/sync-pulls";
import { startTestApp } from "../../setup/app";
import { at, claim } from "../../setup/world";
import { gitIn, openStage, startRun } from "../fixture";
import { openToolGate } from "../tool-gate";
import { connectBoth, killAt, type Step, startWatcher, writeRules } from "./victim";
import { type FakePull, openForgeWorld } from "./world";

const { t, app, home } = await openStage();
const gate = await openToolGate(app.port);
const journal = openJournal(() => undefined);

const asks = (path: RegExp): Step => ({ host: { method: "GET", path, when: "before" } });
/** Every step of a look, from the list to the answer of the service. */
const steps: [name: string, step: Step][] = [
  ["reads the list", asks(/\/(pulls|merge_requests)$/)],
  ["reads a pull request", asks(/\/(pulls|merge_requests)\/\d+$/)],
  ["reads what people wrote", asks(/\/(reviews|notes)$/)],
  ["asks who may push", asks(/\/(permission|members\/all\/\d+)$/)],
  ["reads CI", asks(/\/(logs|trace|status)$/)],
  ["hands in what it saw", { service: { tool: "PUT pulls", when: "before" } }],
  ["has handed it in and not heard so", { service: { tool: "PUT pulls", when: "after" } }],
];

describe.each(forgeKinds)("what happens to a pull request at %s", async (kind) => {
  const forge = await openForgeWorld(kind, home);
  const repo = writeRules(forge, home);

  /** Work that is done, with a red CI, a remark and a conflict. */
  async function scene(code: string) {
    const owner = await t.createUser();
    const actor = t.actorOf(owner);
    const run = await startRun(t, owner, { code, strategy: "STORY" });
    const member = await t.createMember(run.productId);
    await t.allowWorkers(run.productId, member);
    const token = await t.createToken(member);
    const job = await claim(actor);
    const branch = job.branch ?? "";
    gitIn(forge.bare)("branch", "--force", branch, "main");
    const head_sha = forge.headOf(branch);
    const done = { status: "done" as const, verify_result: "ALIGNED" as const, head_sha };
    await reportAgentJob(actor, { job_id: job.id, attempt: job.attempt, ...done });
    const texts = { branch, base: "main", title: "Work", body: "", labels: [], reviewers: [] };
    const ci = { sha: head_sha, state: "failed" as const, log: "FAIL cart" };
    const pull: FakePull = {
      ...texts,
      isDraft: false,
      state: "open",
      mergeable: false,
      ci,
      number: 1,
      comments: [{ id: 3, author: "grace", body: "Name it better" }],
    };
    forge.pulls.splice(0, forge.pulls.length, pull);
    const reviews = async () => {
      const rows = await t.query`select summary from job_reviews where product_id = ${run.productId}`;
      return rows.map(({ summary }) => String(summary));
    };
    /** Two others that look, again and again. */
    const rescue = async () => {
      const looks = [1, 2].map(() => {
        const both = connectBoth(forge, app.origin, token);
        const look = openPullSync({ service: both.service, journal }, run.productId);
        return () => look(async () => both.forge);
      });
      for (let round = 0; round < 2; round += 1) await Promise.all(looks.map((look) => look()));
    };
    // It takes no jobs of tasks: what returns stays in the queue.
    const only = ["--kinds", "PLAN_CHAT"];
    const stage = { forge, gate, token, home };
    const start = () => startWatcher(stage, { code, repo, name: "victim" }, ...only);
    return { run, actor, reviews, rescue, start, token };
  }

  /** All of it came back, once. */
  async function expectOnce({ run, actor, reviews }: Awaited<ReturnType<typeof scene>>) {
    const words = await reviews();
    expect(words).toHaveLength(1);
    for (const text of ["FAIL cart", "does not merge with the main branch", "Name it better"]) {
      expect(at(words, 0).split(text)).toHaveLength(2);
    }
    const rows = await t.query`
      select k.kind, k.decision from pull_reactions k join pulls p on p.id = k.pull_id
      where p.product_id = ${run.productId} order by k.kind`;
    expect(rows).toEqual(
      ["ci_failed", "conflict", "review_comment"].map((name) => ({ kind: name, decision: "returned" })),
    );
    const again = await claim(actor);
    expect([again.attempt, again.review.length]).toEqual([2, 1]);
  }

  it.each(steps)(
    "What happens to a pull request comes back once, though a worker dies that %s",
    async (name, step) => {
      const place = steps.findIndex(([other]) => other === name);
      const world = await scene(`KILL-${kind}-${place}`);
      await killAt({ forge, gate }, step, world.start);
      await world.rescue();
      await expectOnce(world);
    },
    120_000,
  );

  it("What happens to a pull request comes back once, though the service restarts in the middle", async () => {
    const other = await startTestApp(t);
    const world = await scene(`RESTART-${kind}`);
    const call = gate.hold({ tool: "PUT pulls", when: "after" });
    const worker = world.start();
    await call.reached;
    gate.moveTo(other.port);
    call.lose();
    // The same look is handed in again, to a service that knows nothing but the database.
    await expect.poll(() => gate.given("PUT pulls").length, { timeout: 60_000 }).toBeGreaterThan(1);
    await world.rescue();
    await worker.end("SIGTERM");
    gate.moveTo(app.port);
    await expectOnce(world);
  }, 120_000);
});
