import { expect, it } from "vitest";
import {
  claimAgentJob,
  reportAgentJob,
  reportMerged,
  updateTaskExecution,
  whyNotMoving,
} from "~/nouns/agent-jobs/operations.server";
import { allowMyWorkers, archiveProduct, updateProduct } from "~/nouns/products/operations.server";
import { deleteTask, moveTask } from "~/nouns/tasks/operations.server";
import { dependenciesSchema } from "~/wire/dependencies/contract";
import type { JobPayload } from "~/wire/workers/contract";
import { refusalOf } from "../db/refusal";
import { openApp } from "../setup/app";
import {
  at,
  bearer,
  claim,
  claimRefusal,
  create,
  type SprintOptions,
  type SprintWorld,
  wait,
  waitStory,
} from "../setup/world";

const { t, app } = await openApp();
const sha = (letter: string) => letter.repeat(40);

type Held = { id: string; attempt: number };
const end = (world: SprintWorld, { id, attempt }: Held, head: string | undefined = sha("a")) =>
  reportAgentJob(world.actor, {
    job_id: id,
    attempt,
    status: "done",
    verify_result: "ALIGNED",
    base_sha: sha("0"),
    head_sha: head,
  });
const setRelease = (world: SprintWorld, dependency_release: "done" | "merged") =>
  updateProduct(world.actor, { product_id: world.product.id, dependency_release });

/** Two stories, each on a branch: the second one's task waits for the first one's, in a product that waits for merges. */
async function scene(options: SprintOptions = {}) {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1], ...options });
  await setRelease(world, "merged");
  const [first, second] = [at(world.tasks, 0), at(world.tasks, 1)];
  await wait(world.actor, second, first);
  await world.start();
  return { world, first, second };
}

async function post(world: SprintWorld, jobId: string, body: unknown, token?: string) {
  const said = token ?? (await t.createToken(world.owner));
  return app.send("POST", `/api/jobs/${jobId}/merged`, body, bearer(said));
}

it("A waiting task is freed only once a worker has found the commit on the main branch", async () => {
  const { world, first, second } = await scene();
  const job = await claim(world.actor);
  expect((await end(world, job)).released).toBeUndefined();
  const { reason } = await claimAgentJob(world.actor, { worker: "worker-1" });
  expect(reason).toMatchObject({
    code: "dependency",
    awaited_heads: [{ job_id: job.id, task_code: first.code, head_sha: sha("a") }],
  });
  expect(await whyNotMoving(world.actor, { kind: "task", id: second.id })).toMatchObject({
    reasons: [
      {
        code: "dependency_unmerged",
        blocked_by: [{ code: first.code, status: "done", resolved: false }],
        awaited: [{ job_id: job.id, head_sha: sha("a") }],
      },
    ],
  });
  await t.expectRightCounters();

  const elsewhere = await post(world, job.id, { head_sha: sha("b") });
  expect([elsewhere.status, await elsewhere.json()]).toMatchObject([
    409,
    {
      error: `The work of this job is at ${sha("a").slice(0, 8)} now. Report that commit once it is on the main branch.`,
    },
  ]);
  expect((await post(world, job.id, {})).status).toBe(422);
  const answer = await post(world, job.id, { head_sha: sha("a") });
  expect([answer.status, await answer.json()]).toMatchObject([200, { released: [second.code] }]);
  expect((await post(world, job.id, { head_sha: sha("a") })).status).toBe(200);
  await t.expectRightCounters();
  const next = await claim(world.actor);
  expect(next.task?.code).toBe(second.code);
  expect(next.base_refs).toMatchObject([{ task_code: first.code, merged: true }]);
});

it("A merge report is refused to strangers, demo accounts and tokenless members, and for unfinished work", async () => {
  const { world } = await scene();
  const job = await claim(world.actor);
  const body = { head_sha: sha("a") };
  expect((await post(world, job.id, body)).status).toBe(409);
  await end(world, job);

  const [stranger, member, demo] = [await t.createUser(), await t.createUser(), await t.createUser({ demo: true })];
  await t.addMember(world.product.id, member);
  await t.addMember(world.product.id, demo);
  const mark = { job_id: job.id, ...body };
  expect((await post(world, job.id, body, await t.createToken(stranger))).status).toBe(403);
  expect((await refusalOf(reportMerged(t.actorOf(stranger), mark))).status).toBe(403);
  expect((await refusalOf(reportMerged(t.actorOf(member), mark))).status).toBe(403);
  expect((await refusalOf(reportMerged(t.actorOf(demo), mark))).status).toBe(403);
  const change = { product_id: world.product.id, dependency_release: "done" as const };
  for (const user of [stranger, member, demo]) {
    expect((await refusalOf(updateProduct(t.actorOf(user), change))).status).toBe(403);
  }
  await archiveProduct(world.actor, { product_id: world.product.id });
  expect((await refusalOf(updateProduct(world.actor, change))).status).toBe(403);
  expect((await post(world, job.id, body)).status).toBe(403);
  expect(await t.columnOf("agent_jobs", job.id, "merged_at")).toBeNull();
  const rows = await t.query`select has_column_privilege('authenticated', 'public.products',
      'dependency_release', 'update') as past_it`;
  expect(rows).toEqual([{ past_it: false }]);
});

it("A member's worker reports merges where it may work, and the owner those that no worker can see", async () => {
  const { world, second } = await scene();
  const member = await t.createMember(world.product.id);
  const job = await claim(world.actor);
  await end(world, job);
  const say = async () => post(world, job.id, { head_sha: sha("a") }, await t.createToken(member));
  const refused = await say();
  expect([refused.status, await refused.json()]).toMatchObject([
    403,
    { error: expect.stringContaining("Allow yours on the members page") },
  ]);
  expect(await claimRefusal(world.actor)).toBe("dependency");
  await allowMyWorkers(t.actorOf(member), { product_id: world.product.id, allowed: true });
  expect((await say()).status).toBe(200);
  expect((await claim(world.actor)).task?.code).toBe(second.code);

  const other = await scene();
  const held = await claim(other.world.actor);
  await end(other.world, held);
  expect((await reportMerged(other.world.actor, { job_id: held.id })).released).toEqual([other.second.code]);
  const rows = await t.query`select detail ->> 'job_id' as id, actor_id from audit_events
      where kind = 'job.merged' and detail ->> 'job_id' = any (${[job.id, held.id]})
      order by created_at`;
  expect(rows).toEqual([
    { id: job.id, actor_id: member.id },
    { id: held.id, actor_id: other.world.owner.id },
  ]);
});

it("Work that left no commit and work on the same branch keep no task waiting", async () => {
  const nothing = await scene();
  const job = await claim(nothing.world.actor);
  expect((await end(nothing.world, job, sha("0"))).released).toEqual([nothing.second.code]);

  const { world } = await scene({ strategy: "SPRINT", stories: [2] });
  await end(world, await claim(world.actor));
  const next = await claim(world.actor);
  expect(next.task?.code).toBe(at(world.tasks, 1).code);
  await t.expectRightCounters();
});

it("A merged pull request of the PBI frees waiting tasks, and setting another one holds them again", async () => {
  const { world, second } = await scene();
  await create(world.actor, "set_pbi_pr", { p_pbi_id: world.pbi.id, p_pr_url: "https://example.com/pr/1" });
  await end(world, await claim(world.actor));
  await create(world.actor, "mark_pbi_pr_merged", { p_pbi_id: world.pbi.id });
  await t.expectRightCounters();
  await create(world.actor, "set_pbi_pr", { p_pbi_id: world.pbi.id, p_pr_url: "https://example.com/pr/2" });
  await t.expectRightCounters();
  expect(await claimRefusal(world.actor)).toBe("dependency");
  await create(world.actor, "mark_pbi_pr_merged", { p_pbi_id: world.pbi.id });
  expect((await claim(world.actor)).task?.code).toBe(second.code);
});

it("Changing dependency_release holds or frees the tasks that have not begun", async () => {
  const { world, second } = await scene();
  await end(world, await claim(world.actor));
  await setRelease(world, "done");
  await t.expectRightCounters();
  await setRelease(world, "merged");
  await t.expectRightCounters();
  expect(await claimRefusal(world.actor)).toBe("dependency");
  await setRelease(world, "done");
  expect((await claim(world.actor)).task?.code).toBe(second.code);
  await setRelease(world, "merged");
  await t.expectRightCounters();
});

it("A story is merged with the last of its tasks, moved or deleted ones not counted", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [3, 1, 1] });
  await setRelease(world, "merged");
  const [a, b, c] = [at(world.stories, 0), at(world.stories, 1), at(world.stories, 2)];
  await waitStory(world.actor, b, a);
  await world.start();
  const jobs: JobPayload[] = [];
  for (let n = 1; n <= 4; n++) {
    const job = await claim(world.actor);
    await end(world, job, sha("abcf".charAt(jobs.length)));
    if (job.story?.code === a.code) jobs.push(job);
  }
  const [one, two, three] = [at(jobs, 0), at(jobs, 1), at(jobs, 2)];
  expect(await claimRefusal(world.actor)).toBe("dependency");
  const response = await app.request(`/api/stories/${b.id}/dependencies`, { headers: await t.bearerOf(world.owner) });
  const shown = dependenciesSchema.parse(await response.json());
  expect(shown.blocked_by).toMatchObject([{ status: "done", resolved: false }]);
  expect(shown.awaited?.map(({ job_id }) => job_id).sort()).toEqual([one.id, two.id, three.id].sort());
  await deleteTask(world.actor, { task_id: String(one.task_id) });
  await t.expectRightCounters();
  await moveTask(world.actor, { task_id: String(two.task_id), story_id: c.id });
  await t.expectRightCounters();
  expect(await claimRefusal(world.actor)).toBe("dependency");
  await post(world, three.id, { head_sha: sha("c") });
  await t.expectRightCounters();
  expect((await claim(world.actor)).task?.code).toBe(at(b.tasks, 0).code);
});

it("A batch is merged with its one commit, for every task in it", async () => {
  const { world } = await scene({ strategy: "SPRINT_BATCH", stories: [2] });
  const batch = await claim(world.actor);
  for (const { id } of world.tasks) {
    const done = { task_id: id, status: "done", verify_result: "ALIGNED" } as const;
    await updateTaskExecution(world.actor, { job_id: batch.id, attempt: batch.attempt, ...done });
  }
  await end(world, batch);
  const later = await create(world.actor, "create_task", {
    p_story_id: at(world.stories, 0).id,
    p_title: "Later",
    p_implementation_plan: "Do it",
  });
  await wait(world.actor, later, at(world.tasks, 1));
  await updateProduct(world.actor, { product_id: world.product.id, pr_strategy: "STORY" });
  await world.start();
  const { reason } = await claimAgentJob(world.actor, { worker: "worker-1" });
  const { repo_url } = world.product;
  expect(reason?.awaited_heads).toMatchObject([
    { job_id: batch.id, head_sha: sha("a"), repo_url, product_repo_url: repo_url },
  ]);
  await post(world, batch.id, { head_sha: sha("a") });
  const next = await claim(world.actor);
  expect(next).toMatchObject({
    task: { code: later.code },
    base_refs: [{ task_code: at(world.tasks, 1).code, head_sha: sha("a"), merged: true }],
  });
});
