import { describe, expect, it } from "vitest";
import { claimAgentJob, getAgentJob, reportAgentJob, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { changeThings } from "~/nouns/changes/operations.server";
import { updateProduct } from "~/nouns/products/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { editTask, getTaskDetail, updateTask } from "~/nouns/tasks/operations.server";
import { listAgentWorkers, restartWorker } from "~/nouns/workers/operations.server";
import type { ClaimAgentJobInput } from "~/wire/workers/contract";
import { createTestDatabase } from "../../setup/database";
import { drawFrom } from "../../setup/drawn-numbers";
import { roundsOf } from "../../setup/rounds";
import { at, type SprintWorld } from "../../setup/world";

const t = await createTestDatabase();

async function running(stories: number[] = [1]): Promise<SprintWorld> {
  const world = await t.seedSprint({ strategy: "STORY", stories });
  await world.start();
  return world;
}

const claim = ({ actor }: SprintWorld, wish: Partial<ClaimAgentJobInput> = {}) =>
  claimAgentJob(actor, { worker: "worker-1", ...wish });

const [claude, codex] = [{ id: "claude" }, { id: "codex" }];

it("A job takes agent, model, and effort each from the most specific of task, story, and product", async () => {
  const world = await running();
  const { actor, product } = world;
  const task = at(world.tasks, 0);
  await updateProduct(actor, { product_id: product.id, agent: "claude", model: "sonnet", effort: "low" });
  await updateStory(actor, { story_id: String(task.story_id), model: "gpt-5", agent: "gemini" });
  await updateTask(actor, { task_id: task.id, agent: "codex" });
  const { job } = await claim(world, { agents: [claude, codex] });
  expect(job).toMatchObject({ agent: "codex", model: "gpt-5", effort: "low" });
  const read = await getAgentJob(actor, { job_id: String(job?.id) });
  const chosen = { agent: "codex", model: "gpt-5", effort: "low", attempts: [{ attempt: 1, agent: "codex" }] };
  expect(read).toMatchObject(chosen);
});

it("A task shows the agent, model, and effort set on it, and null removes them", async () => {
  const world = await running();
  const task_id = at(world.tasks, 0).id;
  const read = () => getTaskDetail(world.actor, { task_id });
  expect(await read()).toMatchObject({ agent: null, model: null, effort: null });
  await updateTask(world.actor, { task_id, effort: "high" });
  await updateTask(world.actor, { task_id, agent: "codex" });
  expect(await read()).toMatchObject({ agent: "codex", model: null, effort: "high" });
  await updateTask(world.actor, { task_id, agent: null });
  expect(await read()).toMatchObject({ agent: null, effort: "high" });
  await expect(updateTask(world.actor, { task_id })).rejects.toThrow("at least one");
});

it("Agent, model, and effort can be set for many tasks and stories at once, and removed again", async () => {
  const world = await running([2]);
  const { actor, tasks } = world;
  const [first, second] = [at(tasks, 0), at(tasks, 1)];
  const things = [
    ...[first, second].map(({ id }) => ({ kind: "task" as const, id })),
    { kind: "story" as const, id: String(first.story_id) },
  ];
  const who = { agent: "codex", model: "gpt-5", effort: "high" as const };
  expect(await changeThings(actor, { things, changes: who })).toMatchObject({ changed: 3 });
  for (const { id } of [first, second]) {
    expect(await getTaskDetail(actor, { task_id: id })).toMatchObject(who);
  }
  await changeThings(actor, { things, changes: { model: null } });
  const left = await getTaskDetail(actor, { task_id: first.id });
  expect(left).toMatchObject({ agent: "codex", model: null, effort: "high" });
});

it("The agent that a worker reports for a job is recorded if the worker announced it", async () => {
  const world = await running();
  const { job } = await claim(world, { agents: [claude, codex] });
  const report = { job_id: String(job?.id), attempt: 1, status: "running" as const };
  const recorded = async (agent: string) => {
    await reportAgentJob(world.actor, { ...report, agent });
    const read = await getAgentJob(world.actor, { job_id: report.job_id });
    expect(read.attempts).toMatchObject([{ agent: read.agent }]);
    return read.agent;
  };
  expect(await recorded("gemini")).toBe("claude");
  expect(await recorded("codex")).toBe("codex");
});

it("A task that requires Opus gets it as the model of Claude Code where no model is set", async () => {
  const opus = async (model: string | null, agents: ClaimAgentJobInput["agents"]) => {
    const world = await running();
    const task_id = at(world.tasks, 0).id;
    await editTask(world.actor, { task_id, requires_opus: true, model });
    return (await claim(world, { agents })).job?.model;
  };
  expect(await opus(null, [claude])).toBe("opus");
  expect(await opus("haiku", [claude])).toBe("haiku");
  expect(await opus(null, [codex])).toBeNull();
  expect(await opus(null, undefined)).toBeNull();
});

it("A job that names an agent goes only to a worker that announced it, and tells others what to type", async () => {
  const world = await running();
  await updateProduct(world.actor, { product_id: world.product.id, agent: "codex" });
  for (const agents of [undefined, [], [claude]]) {
    const { job, reason } = await claim(world, { agents });
    expect(job).toBeNull();
    expect(reason).toMatchObject({ code: "agent", message: expect.stringContaining("--agent codex") });
    const task = { kind: "task" as const, id: at(world.tasks, 0).id };
    expect((await whyNotMoving(world.actor, task)).reasons).toMatchObject([
      { code: "agent", agent: "codex", command: expect.stringMatching(/--agent codex$/) },
    ]);
  }
  const { job } = await claim(world, { agents: [claude, codex] });
  expect(job).toMatchObject({ agent: "codex", model: null, effort: null });
});

it("A job that names a model goes to no worker whose list of models lacks it", async () => {
  const world = await running();
  await updateProduct(world.actor, { product_id: world.product.id, model: "opus" });
  const only = (...models: string[]) => ({ agents: [{ id: "claude", models }] });
  expect((await claim(world, only("sonnet"))).reason?.code).toBe("agent");
  expect((await claim(world, only("sonnet", "opus"))).job).toMatchObject({ model: "opus" });
});

it("A job waits while its named agent is at its limit or below the quota, and other jobs do not", async () => {
  const world = await running([1, 1]);
  await t.query`update public.users u set min_quota_pct = 20 from public.products p
      where p.id = ${world.product.id} and u.id = p.owner_id`;
  const [first, second] = [at(world.tasks, 0), at(world.tasks, 1)];
  await updateTask(world.actor, { task_id: first.id, agent: "codex" });
  const tired = [
    [claude, { ...codex, quota_pct: 19 }],
    [claude, { ...codex, limited_until: new Date(Date.now() + 60_000).toISOString() }],
  ];
  const taken = await claim(world, { agents: at(tired, 0) });
  expect(taken.job).toMatchObject({ task_id: second.id, agent: null });
  for (const agents of tired) {
    expect((await claim(world, { agents })).reason?.code).toBe("agent");
  }
  const { reason } = await claim(world, { agents: [{ ...codex, quota_pct: 19 }] });
  expect(reason?.code).toBe("quota");
  const rested = [{ ...codex, quota_pct: 20, limited_until: new Date(0).toISOString() }];
  expect((await claim(world, { agents: rested })).job?.task_id).toBe(first.id);
  const { workers } = await listAgentWorkers(world.actor, { product_id: world.product.id });
  expect(workers).toMatchObject([{ offers: rested }]);
});

it("A worker that announces no agent gets a job that names none, and no agent is recorded", async () => {
  const world = await running();
  const { job } = await claim(world);
  expect(job).toMatchObject({ agent: null, model: null, effort: null });
  const { attempts } = await getAgentJob(world.actor, { job_id: String(job?.id) });
  expect(attempts).toMatchObject([{ agent: null }]);
});

it("A job that names no agent is recorded under the worker's first agent", async () => {
  const world = await running();
  const { job } = await claim(world, { agents: [codex, claude] });
  const { attempts } = await getAgentJob(world.actor, { job_id: String(job?.id) });
  expect({ named: job?.agent, attempts }).toMatchObject({ named: null, attempts: [{ agent: "codex" }] });
});

describe("random mixes of workers, agents, kills and settings", { timeout: 300_000 }, () => {
  const rounds = roundsOf("AGENT_MIXES", { whole: 500, short: 125 });
  const names = ["claude", "codex", "gemini"] as const;
  const perWorld = 25;

  it.each(Array.from({ length: Math.ceil(rounds / perWorld) }, (_, n) => n + 1))(
    "No job goes to a worker without its agent in random mixes of workers and settings (%i)",
    async (seed) => {
      const random = drawFrom(seed);
      const pick = <T>(list: readonly T[]): T => at(list, Math.floor(random() * list.length));
      const maybe = () => pick([null, ...names]);
      const world = await running([2, 2, 1]);
      const has = new Map<string, string[]>();
      let handed = 0;
      for (let round = 0; round < perWorld; round += 1) {
        const place = pick(["task", "story", "product", "none"] as const);
        const task = pick(world.tasks);
        if (place === "task") {
          await updateTask(world.actor, { task_id: task.id, agent: maybe() });
        }
        if (place === "story") {
          await updateStory(world.actor, { story_id: String(task.story_id), agent: maybe() });
        }
        if (place === "product") {
          await updateProduct(world.actor, { product_id: world.product.id, agent: maybe() });
        }
        const worker = pick(["one", "two", "three"]);
        const announced = names.filter(() => random() < 0.5);
        if (random() < 0.3) has.set(worker, announced);
        if (random() < 0.2) await restartWorker(world.actor, { worker });
        const ids = has.get(worker);
        const agents = ids?.map((id) => ({ id }));
        const { job } = await claim(world, { worker, ...(agents ? { agents } : {}) });
        if (job === null) continue;
        handed += 1;
        const rows = await t.query<{ agent: string | null }>`
          select coalesce(t.agent, s.agent, p.agent) as agent from public.tasks t
          join public.stories s on s.id = t.story_id join public.products p on p.id = t.product_id
          where t.id = ${job.task_id}`;
        const named = at(rows, 0).agent;
        expect(job.agent).toBe(named);
        if (named !== null) expect(ids ?? []).toContain(named);
        const { attempts } = await getAgentJob(world.actor, { job_id: job.id });
        expect(attempts.at(-1)?.agent ?? null).toBe(named ?? ids?.[0] ?? null);
        const end = pick(["keep", "done", "limit", "kill"] as const);
        if (end === "kill") await restartWorker(world.actor, { worker, stopped: random() < 0.7 });
        if (end === "keep" || end === "kill") continue;
        await reportAgentJob(world.actor, {
          job_id: job.id,
          attempt: job.attempt,
          ...(end === "done"
            ? { status: "done", verify_result: "ALIGNED" }
            : { status: "failed", failure_class: "rate_limited", failure_reason: "limit" }),
        });
        await t.query`update public.agent_jobs set not_before = null where id = ${job.id}`;
      }
      expect(handed).toBeGreaterThan(0);
    },
  );
});
