import { expect, it } from "vitest";
import type { Actor } from "~/db/rpc.server";
import { createSession } from "~/nouns/accounts/log-in.server";
import { reportAgentJob, reviewPlan } from "~/nouns/agent-jobs/operations.server";
import { changeThings, undoChange } from "~/nouns/changes/operations.server";
import { movePbi, updatePbi } from "~/nouns/pbis/operations.server";
import { setMemberRole, updateProduct } from "~/nouns/products/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { cancelSprintRun, getSprintRun, resumeSprint, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { completeSprint } from "~/nouns/sprints/operations.server";
import { appendStoryLog, assignStory, deleteStory, updateStory } from "~/nouns/stories/operations.server";
import { editTask, setTaskStatus } from "~/nouns/tasks/operations.server";
import type { ChangeThingsInput } from "~/wire/changes/contract";
import { createTestDatabase } from "../../setup/database";
import { at, claim, create, type World } from "../../setup/world";
import { refusalOf } from "../refusal";

const t = await createTestDatabase();

/** The same person with a session, as a browser has one. */
async function sessionOf(world: Pick<World, "owner">): Promise<Actor> {
  const browser = { userAgent: "test", address: "10.0.0.1", previousSessionId: null };
  const { session_id } = await createSession(t.actorOf(world.owner).database, world.owner.id, browser);
  return { database: t.actorOf(world.owner).database, credential: { session_id } };
}

const row = async (table: string, id: string) =>
  (
    await t.sql.query(
      `select to_jsonb(x) - '{updated_at,version,field_versions}'::text[] as row from public.${table} x where id = $1`,
      [id],
    )
  ).rows[0]?.row;
const minutesLater = (seconds: number) =>
  t.query`update private.changes set changed_at = changed_at - make_interval(secs => ${seconds})`;
const taskThings = (world: World) => world.tasks.map(({ id }) => ({ kind: "task" as const, id }));

it("A session undoes its own changes one after the other, the last first", async () => {
  const world = await t.seedWorld(1);
  const person = await sessionOf(world);
  const elsewhere = await sessionOf(world);
  const { id } = at(world.tasks, 0);
  const before = await row("tasks", id);
  await setTaskStatus(person, { task_id: id, status: "review" });
  await editTask(person, { task_id: id, title: "Another title", priority: 1, implementation_plan: null });
  // What an agent does with a token is no one's to take back.
  await editTask(world.actor, { task_id: id, description: "By an agent" });
  expect((await refusalOf(undoChange(elsewhere))).message).toMatch(/^Nothing to undo/);
  expect((await undoChange(person)).changes).toMatchObject([{ id, fields: ["priority", "title"] }]);
  expect(await row("tasks", id)).toEqual({ ...before, description: "By an agent", status: "REVIEW" });
  await undoChange(person);
  expect(await row("tasks", id)).toEqual({ ...before, description: "By an agent" });
  expect((await refusalOf(undoChange(person))).status).toBe(409);
});

it("A change can be undone for 30 seconds only", async () => {
  const world = await t.seedWorld(1);
  const person = await sessionOf(world);
  await setTaskStatus(person, { task_id: at(world.tasks, 0).id, status: "review" });
  await minutesLater(31);
  expect((await refusalOf(undoChange(person))).message).toMatch(/30 seconds/);
});

it("A change of many things is undone as a whole, or not at all when one was changed since", async () => {
  const world = await t.seedWorld(3);
  const person = await sessionOf(world);
  const things: ChangeThingsInput["things"] = [...taskThings(world), { kind: "story", id: world.story.id }];
  expect(await changeThings(person, { things, changes: { status: "done" } })).toEqual({ changed: 3, skipped: 1 });
  expect((await row("stories", world.story.id)).status).toBe("DONE");
  const second = at(world.tasks, 1);
  await setTaskStatus(world.actor, { task_id: second.id, status: "in_progress" });
  const refusal = await refusalOf(undoChange(person));
  expect(refusal.message).toBe(`${second.code} was changed since, so nothing was undone.`);
  expect((await row("tasks", at(world.tasks, 0).id)).status).toBe("DONE");

  await setTaskStatus(world.actor, { task_id: second.id, status: "done" });
  expect((await undoChange(person)).changes).toHaveLength(3);
  expect((await row("stories", world.story.id)).status).toBe("OPEN");
});

it("A change of many things is refused as a whole, with the code of the thing at fault", async () => {
  const world = await t.seedWorld(2);
  const person = await sessionOf(world);
  const stranger = await t.seedWorld(1);
  const mixed = [...taskThings(world), ...taskThings(stranger)];
  expect((await refusalOf(changeThings(person, { things: mixed, changes: { priority: 1 } }))).status).toBe(403);
  const sprint = await create(world.actor, "create_sprint", { p_product_id: world.product.id });
  await t.query`update public.sprints set status = 'CANCELLED' where id = ${sprint.id}`;
  const other = await create(world.actor, "create_story", { p_pbi_id: world.pbi.id, p_title: "Other" });
  const stories = [world.story, other].map(({ id }) => ({ kind: "story" as const, id }));
  const closed = changeThings(person, { things: stories, changes: { sprint_id: sprint.id } });
  expect((await refusalOf(closed)).message).toMatch(/^ST-\d+: .* Nothing was changed\.$/);
  expect((await refusalOf(undoChange(person))).status).toBe(409);
});

it("The order of PBIs, a block, and a story's move to another PBI can be undone", async () => {
  const world = await t.seedWorld(1);
  const person = await sessionOf(world);
  const pbi = await create(world.actor, "create_pbi", { p_product_id: world.product.id, p_title: "Next" });
  const before = [await row("pbis", world.pbi.id), await row("pbis", pbi.id)];
  await movePbi(person, { pbi_id: world.pbi.id, after_id: pbi.id });
  await undoChange(person);
  await updatePbi(person, { pbi_id: pbi.id, status: "blocked" });
  expect((await row("pbis", pbi.id)).status).toBe("BLOCKED");
  await undoChange(person);
  expect([await row("pbis", world.pbi.id), await row("pbis", pbi.id)]).toEqual(before);
  await updateStory(person, { story_id: world.story.id, pbi_id: pbi.id });
  await undoChange(person);
  expect((await row("stories", world.story.id)).pbi_id).toBe(world.pbi.id);
});

it("A deleted story returns with its tasks and history, unless something went that is not kept", async () => {
  const world = await t.seedWorld(2);
  const person = await sessionOf(world);
  const first = at(world.tasks, 0);
  await setTaskStatus(world.actor, { task_id: first.id, status: "review" });
  const history = async () =>
    await t.query`select from_status, to_status, changed_at from public.task_status_changes
      where task_id = ${first.id} order by id`;
  const before = [await row("stories", world.story.id), await row("tasks", first.id), await history()];
  await deleteStory(person, { story_id: world.story.id });
  expect((await undoChange(person)).changes.map(({ code }) => code)).toEqual([
    world.story.code,
    ...world.tasks.map(({ code }) => code),
  ]);
  expect([await row("stories", world.story.id), await row("tasks", first.id), await history()]).toEqual(before);

  await appendStoryLog(person, { story_id: world.story.id, type: "IMPLEMENTATION_PLAN", content: "Plan" });
  await deleteStory(person, { story_id: world.story.id });
  expect((await refusalOf(undoChange(person))).message).toMatch(/had a log, which cannot be restored/);
});

it("An undo is refused in an archived product and to a user who asks too often", async () => {
  const world = await t.seedWorld(1);
  const person = await sessionOf(world);
  await setTaskStatus(person, { task_id: at(world.tasks, 0).id, status: "review" });
  await t.query`update public.products set archived_at = now() where id = ${world.product.id}`;
  expect((await refusalOf(undoChange(person))).status).toBe(403);
  await t.query`update public.products set archived_at = null where id = ${world.product.id}`;
  await t.query`insert into public.rate_limit_counters (action, key, window_start, count)
    values ('undo', ${world.owner.id}, now(), 60)`;
  expect((await refusalOf(undoChange(person))).status).toBe(429);
});

it("An undo leaves a sprint alone that continues or is over", async () => {
  const world = await t.seedSprint({ stories: [1, 1] });
  const sprint_id = world.sprint.id;
  const person = await sessionOf(world);
  await startSprintRun(person, { sprint_id });
  const job = await claim(world.actor);
  await reportAgentJob(world.actor, { job_id: job.id, attempt: 1, status: "failed" });
  const run = await resumeSprint(person, { sprint_id });
  expect((await refusalOf(undoChange(person))).message).toMatch(/^Nothing to undo/);
  expect(await getSprintRun(person, { sprint_run_id: run?.id ?? "" })).toMatchObject({ status: "queued" });
  await cancelSprintRun(person, { sprint_run_id: run?.id ?? "" });
  await completeSprint(person, { sprint_id });
  expect((await refusalOf(undoChange(person))).message).toMatch(/^Nothing to undo/);
});

it("An undo takes back nothing that follows from a verdict, a plan, a run, or a role", async () => {
  const judged = async (verdict: "approve" | "request_changes", required: "person" | "none") => {
    const { world, job, report } = await t.holdJob();
    const { id: product_id } = world.product;
    await updateProduct(world.actor, { product_id, done_requires: required });
    await report({ status: "done", verify_result: "ALIGNED" });
    const person = await sessionOf(world);
    await reviewJob(person, { job_id: job.id, verdict, summary: "Seen" });
    return person;
  };
  const planned = async () => {
    const world = await t.seedSprint({ stories: [1], plan: () => undefined });
    await startSprintRun(world.actor, { sprint_id: world.sprint.id, plan_review: "person" });
    const { id: job_id, attempt } = await claim(world.actor);
    const plan = { job_id, attempt, status: "running", implementation_plan: "Plan" } as const;
    await reportAgentJob(world.actor, plan);
    const person = await sessionOf(world);
    await reviewPlan(person, { job_id, verdict: "approve" });
    return person;
  };
  const demoted = async () => {
    const world = await t.seedWorld(1);
    const product_id = world.product.id;
    const { id: user_id } = await t.createMember(product_id);
    await assignStory(world.actor, { story_id: world.story.id, assignee_id: user_id });
    const person = await sessionOf(world);
    await setMemberRole(person, { product_id, user_id, role: "VIEWER" });
    return person;
  };
  const described = async () => {
    const world = await t.seedSprint({ stories: [1], plan: () => undefined, task: { p_description: "Do it" } });
    const person = await sessionOf(world);
    await startSprintRun(person, { sprint_id: world.sprint.id, use_description: true });
    return person;
  };
  const people = await Promise.all([
    judged("approve", "person"),
    judged("request_changes", "person"),
    judged("request_changes", "none"),
    planned(),
    demoted(),
    described(),
  ]);
  for (const person of people) {
    expect((await refusalOf(undoChange(person))).message).toMatch(/^Nothing to undo/);
  }
});
