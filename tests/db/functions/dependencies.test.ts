import { expect, it } from "vitest";
import { z } from "zod";
import { claimAgentJob, reportAgentJob, updateTaskExecution, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { changeThings } from "~/nouns/changes/operations.server";
import { listCandidates, removeDependency } from "~/nouns/dependencies/operations.server";
import { getRunPage } from "~/nouns/pages/operations.server";
import { search } from "~/nouns/search/operations.server";
import { preflightSprintRun } from "~/nouns/sprint-runs/operations.server";
import { deleteStory } from "~/nouns/stories/operations.server";
import { createTask, deleteTask, moveTask, setTaskStatus } from "~/nouns/tasks/operations.server";
import { stepsOf } from "../../../app/routes/_app.products.$productId.runs_.$runId/run-steps";
import { createTestDatabase } from "../../setup/database";
import { at, claim, claimRefusal, create, finish, type SprintWorld, wait, waitStory } from "../../setup/world";
import { asUser } from "../as-user";
import { refusalOf } from "../refusal";

const t = await createTestDatabase();

const start = (world: SprintWorld) => world.start();
const four = ({ tasks }: SprintWorld) => [at(tasks, 0), at(tasks, 1), at(tasks, 2), at(tasks, 3)] as const;
const codesInOrder = async (runId: string): Promise<string[]> => {
  const rows = await t.query<{ code: string }>`
    select t.code from public.agent_jobs j join public.tasks t on t.id = j.task_id
    where j.sprint_run_id = ${runId} order by j.position`;
  return rows.map(({ code }) => code);
};
const done = async (world: SprintWorld, worker?: string) => {
  const job = await claim(world.actor, worker);
  const report = await finish(world.actor, job);
  return { code: job.task?.code, released: report.released };
};

it("A circle among three tasks, three stories, or both together is refused with its path", async () => {
  const world = await t.seedSprint({ stories: [2, 2, 1] });
  const [a, b, c] = [at(world.stories, 0), at(world.stories, 1), at(world.stories, 2)];
  const [a1, b1] = [at(a.tasks, 0), at(b.tasks, 0)];

  await wait(world.actor, a1, b1);
  await wait(world.actor, b1, at(c.tasks, 0));
  const three = await refusalOf(wait(world.actor, at(c.tasks, 0), a1));
  expect(three.detail).toEqual({ path: [at(c.tasks, 0).code, a1.code, b1.code, at(c.tasks, 0).code] });

  // A task of the first waits for one of the second: the second cannot wait for the first.
  const mixed = await refusalOf(waitStory(world.actor, b, a));
  expect([mixed.status, mixed.detail]).toEqual([409, { path: [b.code, a.code, a1.code, b1.code, b.code] }]);
  await waitStory(world.actor, a, b);
  const around = await refusalOf(wait(world.actor, at(b.tasks, 1), at(a.tasks, 1)));
  expect(around.detail).toEqual({
    path: [at(b.tasks, 1).code, at(a.tasks, 1).code, a.code, b.code, at(b.tasks, 1).code],
  });

  await waitStory(world.actor, b, c);
  expect((await refusalOf(waitStory(world.actor, c, a))).detail).toEqual({ path: [c.code, a.code, b.code, c.code] });
});

it("A task cannot move into a story where it would close a circle", async () => {
  const world = await t.seedSprint({ stories: [1, 2] });
  const [a, b] = [at(world.stories, 0), at(world.stories, 1)];
  await wait(world.actor, at(b.tasks, 1), at(b.tasks, 0));
  await waitStory(world.actor, b, a);
  const refusal = await refusalOf(moveTask(world.actor, { task_id: at(b.tasks, 1).id, story_id: a.id }));
  expect(refusal.status).toBe(409);
  expect(refusal.detail).toMatchObject({ path: expect.arrayContaining([a.code, b.code]) });
  // The other one waits for nothing in its story: it may go.
  await moveTask(world.actor, { task_id: at(b.tasks, 0).id, story_id: a.id });
});

it("A run follows dependencies, then the order as before, and releases one task after the other", async () => {
  const world = await t.seedSprint({ stories: [3, 1], strategy: "SPRINT" });
  const [t1, t2, t3, t4] = four(world);
  await wait(world.actor, t1, t4);
  await wait(world.actor, t2, t3);
  const run = await start(world);
  expect(await codesInOrder(run.id)).toEqual([t4.code, t1.code, t3.code, t2.code]);
  await t.expectRightCounters();
  expect(await done(world)).toEqual({ code: t4.code, released: [t1.code] });
  expect(await done(world)).toEqual({ code: t1.code, released: undefined });
  expect(await done(world)).toEqual({ code: t3.code, released: [t2.code] });
  await t.expectRightCounters();
  expect((await done(world)).code).toBe(t2.code);
});

it("No task of a story is given out before the whole story it waits for is done, and it says why", async () => {
  const world = await t.seedSprint({ stories: [1, 2], strategy: "STORY" });
  const [a, b] = [at(world.stories, 0), at(world.stories, 1)];
  await waitStory(world.actor, a, b);
  await start(world);
  const waiting = at(a.tasks, 0);
  expect((await done(world)).code).toBe(at(b.tasks, 0).code);
  const job = await claim(world.actor, "worker-2");
  expect(await claimRefusal(world.actor, "worker-3")).toBe("dependency");
  const why = await whyNotMoving(world.actor, { kind: "task", id: waiting.id });
  expect(why.reasons).toContainEqual(
    expect.objectContaining({ code: "dependency", message: `It is blocked by ${b.code} (in sprint).` }),
  );
  const report = await finish(world.actor, job);
  expect(report.released).toEqual([waiting.code]);
  await t.expectRightCounters();
  expect((await done(world)).code).toBe(waiting.code);
});

it("A new dependency holds what has not begun, touches nothing at work, and lets the lane go on", async () => {
  const world = await t.seedSprint({ stories: [4], strategy: "SPRINT" });
  const [t1, t2, t3, t4] = four(world);
  const run = await start(world);
  const atWork = await claim(world.actor);
  expect(atWork.task?.code).toBe(t1.code);
  // The one at work continues; the next waits for the last.
  await wait(world.actor, t2, t4);
  await wait(world.actor, t1, t3);
  await t.expectRightCounters();
  expect(await codesInOrder(run.id)).toEqual([t1.code, t4.code, t2.code, t3.code]);
  await reportAgentJob(world.actor, { job_id: atWork.id, attempt: 1, status: "done", verify_result: "ALIGNED" });
  expect(await done(world)).toEqual({ code: t4.code, released: [t2.code] });
  expect((await done(world)).code).toBe(t2.code);
  expect((await done(world)).code).toBe(t3.code);
});

it("A lane passes its turn on while its next task waits for something outside", async () => {
  const world = await t.seedSprint({ stories: [2], strategy: "SPRINT" });
  const outside = await create(world.actor, "create_story", { p_pbi_id: world.pbi.id, p_title: "Elsewhere" });
  const blocker = await createTask(world.actor, { story_id: outside.id, title: "Elsewhere" });
  await start(world);
  await wait(world.actor, at(world.tasks, 0), blocker);
  expect((await done(world)).code).toBe(at(world.tasks, 1).code);
  expect(await claimRefusal(world.actor)).toBe("dependency");
  const moved = await setTaskStatus(world.actor, { task_id: blocker.id, status: "done" });
  expect(moved.released).toEqual([at(world.tasks, 0).code]);
  await t.expectRightCounters();
  expect((await done(world)).code).toBe(at(world.tasks, 0).code);
});

it("The number of open blockers follows every change that it depends on", async () => {
  const world = await t.seedSprint({ stories: [1, 2, 1], strategy: "STORY" });
  const [a, b, c] = [at(world.stories, 0), at(world.stories, 1), at(world.stories, 2)];
  await waitStory(world.actor, a, b);
  await wait(world.actor, at(a.tasks, 0), at(c.tasks, 0));
  await start(world);
  const counted = async () => {
    await t.expectRightCounters();
    const rows = await t.query<{ n: number }>`select open_blockers as n from public.agent_jobs
        where task_id = ${at(a.tasks, 0).id}`;
    return at(rows, 0).n;
  };
  const move = (n: number, status: "done" | "todo") =>
    setTaskStatus(world.actor, { task_id: at(b.tasks, n).id, status });
  expect(await counted()).toBe(2);
  await move(0, "done");
  await move(1, "done");
  expect(await counted()).toBe(1);
  await move(1, "todo");
  expect(await counted()).toBe(2);
  await moveTask(world.actor, { task_id: at(b.tasks, 1).id, story_id: c.id });
  expect(await counted()).toBe(1);
  await createTask(world.actor, { story_id: b.id, title: "One more" });
  expect(await counted()).toBe(2);
  await moveTask(world.actor, { task_id: at(a.tasks, 0).id, story_id: c.id });
  expect(await counted()).toBe(1);
  await moveTask(world.actor, { task_id: at(a.tasks, 0).id, story_id: a.id });
  await deleteTask(world.actor, { task_id: at(c.tasks, 0).id });
  expect(await counted()).toBe(1);
  await deleteStory(world.actor, { story_id: b.id });
  expect(await counted()).toBe(0);
  await waitStory(world.actor, a, c);
  expect(await counted()).toBe(1);
  await removeDependency(world.actor, { kind: "story", id: a.id, blocker: c.code });
  expect(await counted()).toBe(0);
});

it("A batch follows dependencies, waits for what is outside, and lets no task of it begin too early", async () => {
  const world = await t.seedSprint({ stories: [2], strategy: "SPRINT_BATCH" });
  const [first, second] = [at(world.tasks, 0), at(world.tasks, 1)];
  const elsewhere = await create(world.actor, "create_story", { p_pbi_id: world.pbi.id, p_title: "Elsewhere" });
  const blocker = await createTask(world.actor, { story_id: elsewhere.id, title: "Elsewhere" });
  await wait(world.actor, first, second);
  await start(world);
  await wait(world.actor, second, blocker);
  expect(await claimRefusal(world.actor)).toBe("dependency");
  await setTaskStatus(world.actor, { task_id: blocker.id, status: "done" });
  await t.expectRightCounters();

  const job = await claim(world.actor);
  expect(job.executions?.map(({ task_code }) => task_code)).toEqual([second.code, first.code]);
  const tell = (task_id: string, status: "running" | "done") =>
    updateTaskExecution(world.actor, {
      job_id: job.id,
      attempt: job.attempt,
      task_id,
      status,
      verify_result: "ALIGNED",
    });
  expect(await refusalOf(tell(first.id, "running"))).toMatchObject({
    status: 409,
    detail: { blocked_by: [second.code] },
  });
  await tell(second.id, "running");
  expect((await tell(second.id, "done")).released).toEqual([first.code]);
  await tell(first.id, "running");
  await t.expectRightCounters();
});

it("A task is created with what it waits for, or not at all", async () => {
  const world = await t.seedSprint({ stories: [1] });
  const [story, task] = [at(world.stories, 0), at(world.tasks, 0)];
  const created = await createTask(world.actor, {
    story_id: story.id,
    title: "Later",
    blocked_by: [task.code.toLowerCase()],
  });
  const refusal = await refusalOf(
    createTask(world.actor, { story_id: story.id, title: "Never", blocked_by: ["T-404"] }),
  );
  expect(refusal.status).toBe(422);
  expect((await whyNotMoving(world.actor, { kind: "task", id: created.id })).text).toContain(
    `It is blocked by ${task.code} (to do).`,
  );
  expect((await claimAgentJob(world.actor, { worker: "w" })).job).toBeNull();
});

it("Looking for what a task could wait for costs one walk, not one for each that could be offered", async () => {
  const pages = async (length: number) => {
    const { owner, actor, story } = await t.seedWorld(0);
    const first = await createTask(actor, { story_id: story.id, title: "First" });
    let last = first;
    for (let step = 1; step < length; step += 1) {
      const blocked_by = [last.code];
      last = await createTask(actor, { story_id: story.id, title: "Later", blocked_by });
    }
    return asUser(t, owner, async (client) => {
      const explain = "explain (analyze, buffers, format json) select operations.list_candidates($1, $2)";
      const look = async () => {
        const { rows } = await client.query(explain, ["task", first.id]);
        return z.object({ Plan: z.object({ "Shared Hit Blocks": z.number() }) }).parse(rows[0]["QUERY PLAN"][0]).Plan[
          "Shared Hit Blocks"
        ];
      };
      await look();
      return look();
    });
  };
  const [few, many] = [await pages(8), await pages(40)];
  expect(many).toBeLessThan(8 * few);
});

it("A task or story could wait for what is near and not done, and never for what would close a circle", async () => {
  const world = await t.seedSprint({ stories: [3, 2] });
  const [first, second, third] = four(world);
  const [near, far] = [at(world.stories, 0), at(world.stories, 1)];
  const codes = async (kind: "task" | "story", id: string, query?: string) =>
    (await listCandidates(world.actor, { kind, id, query })).map(({ code }) => code);
  const others = far.tasks.map(({ code }) => code);
  expect(await codes("task", second.id)).toEqual([first.code, third.code, ...others]);

  await wait(world.actor, second, first);
  await wait(world.actor, third, second);
  expect(await codes("task", second.id)).toEqual(others);
  await setTaskStatus(world.actor, { task_id: at(far.tasks, 0).id, status: "done" });
  expect(await codes("task", second.id)).toEqual(others.slice(1));
  expect(await codes("task", first.id, "task 2.")).toEqual(others.slice(1));
  expect(await codes("task", first.id, "%")).toEqual([]);

  expect(await codes("story", near.id)).toEqual([far.code]);
  await waitStory(world.actor, far, near);
  expect(await codes("story", near.id)).toEqual([]);
  expect(await codes("task", first.id)).toEqual([]);
});

it("A search finds what waits by that alone, by what it waits for, and with words", async () => {
  const world = await t.seedSprint({ stories: [2, 1] });
  const [first, second, third] = four({ ...world, tasks: [...world.tasks, at(world.tasks, 0)] });
  const found = async (query: string, kind?: "task") =>
    (await search(world.actor, { query, kind })).items.map(({ code }) => code).sort();
  await wait(world.actor, second, first);
  await waitStory(world.actor, at(world.stories, 1), at(world.stories, 0));
  const [from, to] = [at(world.stories, 0).code, at(world.stories, 1).code];
  expect(await found("blocked:yes")).toEqual([to, second.code, third.code].sort());
  expect(await found("blocked:")).toHaveLength(3);
  expect(await found("blocked:no")).toEqual([from, first.code].sort());
  expect(await found(`blocked:${first.code.toLowerCase()}`)).toEqual([second.code]);
  expect(await found(`task 2 blocked:${from}`)).toEqual([third.code]);
  expect(await found("blocked:yes", "task")).toEqual([second.code, third.code].sort());
  expect((await search(t.actorOf(await t.createUser()), { query: "blocked:yes" })).items).toEqual([]);
  await setTaskStatus(world.actor, { task_id: first.id, status: "done" });
  expect(await found(`blocked:${first.code}`)).toEqual([]);
});

it("The order of a run puts what can be at work at once into one step", async () => {
  const world = await t.seedSprint({ strategy: "STORY", stories: [2, 2, 1] });
  const [a, b, c] = [at(world.stories, 0), at(world.stories, 1), at(world.stories, 2)];
  await wait(world.actor, at(b.tasks, 0), at(a.tasks, 0));
  await waitStory(world.actor, c, a);
  const { id } = await start(world);
  const { run, order } = await getRunPage(world.actor, { product_id: world.product.id, sprint_run_id: id });
  const steps = stepsOf(run.jobs, order);
  expect(steps.map((step) => step.map(({ task_code }) => task_code).sort())).toEqual([
    [at(a.tasks, 0).code],
    [at(a.tasks, 1).code, at(b.tasks, 0).code].sort(),
    [at(b.tasks, 1).code, at(c.tasks, 0).code].sort(),
  ]);
});

it("A person who begins a waiting task has to confirm, and that is written down; later moves are not", async () => {
  const world = await t.seedSprint({ stories: [1, 1] });
  const [first, second] = [at(world.tasks, 0), at(world.tasks, 1)];
  await waitStory(world.actor, at(world.stories, 1), at(world.stories, 0));
  const move = (status: "in_progress" | "review" | "todo" | "done", confirmed?: boolean) =>
    setTaskStatus(world.actor, { task_id: second.id, status, confirmed });
  const begun = async () => {
    const rows = await t.query`select user_id, detail from public.audit_events
        where kind = 'task.begun_waiting' and user_id = ${world.owner.id}`;
    return rows;
  };
  for (const status of ["in_progress", "review", "done"] as const) {
    const { status: code, detail } = await refusalOf(move(status));
    expect([code, detail]).toEqual([
      409,
      { blocked_by: [at(world.stories, 0).code], begin: { task_id: second.id, status } },
    ]);
  }
  expect(await begun()).toEqual([]);

  expect((await move("in_progress", true)).status).toBe("in_progress");
  expect(await begun()).toEqual([
    {
      user_id: world.owner.id,
      detail: {
        product_id: world.product.id,
        task_id: second.id,
        code: second.code,
        blocked_by: [at(world.stories, 0).code],
      },
    },
  ]);
  await move("review");
  expect(await begun()).toHaveLength(1);

  const things = world.tasks.map(({ id }) => ({ kind: "task" as const, id }));
  await move("todo");
  const many = { things, changes: { status: "in_progress" as const } };
  expect(await refusalOf(changeThings(world.actor, many))).toMatchObject({
    status: 409,
    message: expect.stringContaining("Nothing was changed."),
  });
  const confirmed = { things, changes: { ...many.changes, confirmed: true } };
  expect(await changeThings(world.actor, confirmed)).toEqual({ changed: 2, skipped: 0 });
  expect(await begun()).toHaveLength(2);
  await move("todo");
  const done = await changeThings(world.actor, {
    things: [{ kind: "task", id: first.id }],
    changes: { status: "done" },
  });
  expect(done.released).toEqual([second.code]);
});

it("The pre-flight names blockers that failed or are outside the sprint, with their cure", async () => {
  const world = await t.seedSprint({ stories: [2, 1] });
  const [first, second] = [at(world.tasks, 0), at(world.tasks, 1)];
  const elsewhere = await create(world.actor, "create_story", { p_pbi_id: world.pbi.id, p_title: "Elsewhere" });
  const make = (title: string) =>
    createTask(world.actor, { story_id: elsewhere.id, title, implementation_plan: "Do it" });
  const [outside, failed] = [await make("Outside"), await make("Failed")];
  await wait(world.actor, first, outside, second);
  await wait(world.actor, second, failed);
  await setTaskStatus(world.actor, { task_id: failed.id, status: "failed" });
  const look = () => preflightSprintRun(world.actor, { sprint_id: world.sprint.id });
  const found = (await look()).blockers.flatMap(({ type, message, dependency }) =>
    dependency ? [{ type, message, joins: dependency.joining_story_code }] : [],
  );
  expect(found).toEqual([
    {
      type: "dependency_outside",
      message: `${first.code} is blocked by ${outside.code}, which is neither done nor in this sprint.`,
      joins: elsewhere.code,
    },
    { type: "dependency_failed", message: `${second.code} is blocked by ${failed.code}, which failed.`, joins: null },
  ]);
  expect((await refusalOf(start(world))).status).toBe(409);

  await removeDependency(world.actor, { kind: "task", id: second.id, blocker: failed.code });
  await setTaskStatus(world.actor, { task_id: failed.id, status: "done" });
  await create(world.actor, "add_story_to_sprint", { p_sprint_id: world.sprint.id, p_story_id: elsewhere.id });
  expect((await look()).ready).toBe(true);
  const run = await start(world);
  const codes = await codesInOrder(run.id);
  expect(codes.slice(0, 3)).toEqual([second.code, outside.code, first.code]);
});

it("The pre-flight names a whole story outside once, no matter how many tasks wait for it", async () => {
  const world = await t.seedSprint({ stories: [3] });
  const elsewhere = await create(world.actor, "create_story", { p_pbi_id: world.pbi.id, p_title: "Elsewhere" });
  await waitStory(world.actor, at(world.stories, 0), elsewhere);
  const { blockers } = await preflightSprintRun(world.actor, { sprint_id: world.sprint.id });
  expect(blockers).toMatchObject([
    { type: "dependency_outside", dependency: { kind: "story", joining_story_id: null } },
  ]);
});
