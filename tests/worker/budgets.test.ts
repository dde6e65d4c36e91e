import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { getBudgets, setBudget } from "~/nouns/budgets/operations.server";
import { answerQuestion } from "~/nouns/questions/operations.server";
import { openStage, startRun } from "./fixture";
import { endingAgent, endOf } from "./worker-process";

const { t, ada, actor, home, git, serve, serveOnce } = await openStage();

function begin(product: string, { ending = "spends" } = {}, ...words: string[]) {
  const agent = ["--agent", endingAgent(home, product, ending)];
  return serve(product, ["--heartbeat", "0.2", "--once", ...agent, ...words]);
}

async function scene(code: string, amount: number, unit = "USD") {
  const run = await startRun(t, ada, { code });
  const target = { product_id: run.productId, scope: "run", target_id: run.runId, unit } as const;
  const budget = async () => {
    const list = { product_id: run.productId, sprint_run_id: run.runId };
    return (await getBudgets(actor, list)).budgets[0];
  };
  await setBudget(actor, { ...target, amount });
  return { ...run, budget };
}

describe("a worker and a budget", { timeout: 120_000 }, () => {
  it("A reached budget stops the agent and keeps its work, and a raised one continues in its session", async () => {
    const run = await scene("SPEND", 3);
    const worker = begin("SPEND");
    expect(await worker.ended, worker.output()).toBe(0);
    expect(worker.output()).toContain("Told to stop: The budget of this run");
    expect(worker.output()).toMatch(/Undelivered work is kept on backloom\/kept/);

    const paused = await run.read();
    expect(paused).toMatchObject({ status: "paused", pause_context: { reason: "budget" } });
    const [job] = paused.jobs;
    expect(job).toMatchObject({ status: "queued", retry_count: 0, failure_class: null });
    expect(job?.input_tokens).toBe(300);
    expect(job?.cost).toBeGreaterThanOrEqual(3);
    const detail = await getAgentJob(actor, { job_id: String(job?.id) });
    expect(detail.attempts).toMatchObject([{ outcome: "budget" }]);
    expect(git("show", `backloom/kept/${job?.id}-1:begun.txt`)).toBe("begun");
    const beyond = (await run.budget())?.overshoot ?? Number.NaN;
    expect(beyond).toBeLessThanOrEqual(1);

    await answerQuestion(actor, { question_id: String(paused.pause_question_id), option: 0 });
    await endOf(begin("SPEND"));
    const [done] = (await run.read()).jobs;
    expect(done).toMatchObject({ status: "done", attempt: 2, summary: "Finished at last." });
    expect(git("show", `${done?.branch}:finished.txt`)).toBe("finished");
  });

  it("An agent that a subscription pays costs the budget no money, and its tokens are still known", {
    tags: "thorough",
  }, async () => {
    const run = await scene("ABO", 3);
    const worker = begin("ABO", {}, "--subscription");
    await worker.said(/Claimed/);
    await expect.poll(async () => soFar(run.runId)).toBeGreaterThan(4);
    expect(await run.budget()).toMatchObject({ spent: 0, state: "open" });
    await worker.end("SIGTERM");
    const [job] = (await run.read()).jobs;
    expect(job).toMatchObject({ status: "queued", retry_count: 0, input_tokens: 300 });
    expect(await run.budget()).toMatchObject({ spent: 0, state: "open" });
  });

  it("A continued conversation is paid for only once, though its agent reports the sum of all of it", {
    tags: "thorough",
  }, async () => {
    const run = await scene("TWICE", 50);
    mkdirSync(join(home, "TWICE"));
    writeFileSync(join(home, "TWICE", "limit-first"), "");
    const once = () => begin("TWICE", { ending: "costs" }).ended;
    expect(await once()).toBe(0);
    const [waiting] = (await run.read()).jobs;
    expect(waiting).toMatchObject({ status: "queued", cost: 0.5 });
    await t.query`update agent_jobs set not_before = now() where id = ${waiting?.id}`;
    expect(await once()).toBe(0);
    const [job] = (await run.read()).jobs;
    expect(job).toMatchObject({ status: "done", attempt: 2, cost: 1 });
    expect(await run.budget()).toMatchObject({ spent: 1 });
  });

  it("A budget is passed to Claude Code, which stops itself at the sum", async () => {
    const run = await scene("CAPPED", 2.5);
    const bin = join(home, "capped");
    mkdirSync(bin);
    // What Claude Code prints when it has reached `--max-budget-usd`: the answer that went beyond it is counted.
    const script = [
      "#!/bin/sh",
      'case "$1" in -p) ;; *) exit 0;; esac',
      `echo "$*" > ${home}/capped-words`,
      "echo begun > begun.txt",
      `echo '{"type":"system","subtype":"init","session_id":"s-1"}'`,
      `echo '{"type":"result","subtype":"error_max_budget_usd","is_error":false,"result":"","modelUsage":{"claude-x":{"inputTokens":5,"outputTokens":6,"costUSD":2.6}}}'`,
    ];
    writeFileSync(join(bin, "claude"), `${script.join("\n")}\n`, { mode: 0o755 });
    const environment = { PATH: `${bin}:${process.env.PATH}`, ANTHROPIC_API_KEY: "of-nobody" };
    const said = await serveOnce("CAPPED", ["--agent", "claude"], environment);
    expect(readFileSync(join(home, "capped-words"), "utf8")).toContain("--max-budget-usd 2.5000");
    expect(said).toContain("Told to stop: The budget of this run");
    const paused = await run.read();
    expect(paused).toMatchObject({ status: "paused", pause_context: { reason: "budget" } });
    expect(paused.jobs).toMatchObject([{ status: "queued", retry_count: 0, cost: 2.6 }]);
    expect(await run.budget()).toMatchObject({ spent: 2.6, state: "reached" });
  });

  it("The cost that a worker had told is kept when it is killed with -9 in the middle of a turn", {
    tags: "thorough",
  }, async () => {
    const run = await scene("KILLED", 50);
    const worker = begin("KILLED");
    await worker.said(/Claimed/);
    await expect.poll(async () => soFar(run.runId)).toBeGreaterThan(1);
    await worker.end("SIGKILL");
    // A last heartbeat may still be on its way: it tells more, and renews the lease that ran out before it.
    const told = await soFar(run.runId);
    const takeBack = async () => {
      await t.query`update agent_jobs set lease_until = now() where sprint_run_id = ${run.runId}`;
      await t.database.call("sweep", {});
      return (await run.read()).jobs;
    };
    await expect.poll(takeBack).toMatchObject([{ status: "queued", retry_count: 1 }]);
    const [job] = (await run.read()).jobs;
    expect(job?.cost).toBeGreaterThanOrEqual(told);
    expect(await run.budget()).toMatchObject({ spent: job?.cost });
  });
});

/** The cost that heartbeats have told of the turn under way. */
async function soFar(runId: string): Promise<number> {
  const rows = await t.query`select coalesce(sum(reported_cost), 0)::float as cost from usage_so_far
    where sprint_run_id = ${runId}`;
  return rows[0].cost;
}
