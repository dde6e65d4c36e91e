import type pg from "pg";
import { expect, it } from "vitest";
import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { getAgentJob, reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { createIdea } from "~/nouns/ideas/operations.server";
import { archiveInbox, getInbox, markInboxItem } from "~/nouns/inbox/operations.server";
import { getShell } from "~/nouns/pages/operations.server";
import { archiveProduct, restoreProduct } from "~/nouns/products/operations.server";
import { askQuestion } from "~/nouns/questions/operations.server";
import { reviewJob, undoReview } from "~/nouns/reviews/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { asUser, outcomeOf } from "../db/as-user";
import { openApp } from "../setup/app";
import { createVisitor } from "../setup/page-forms";
import { at, claim } from "../setup/world";
import { openStream } from "../streams/stream-reader";

const { t, app } = await openApp({ realtime: true, pages: true });

async function kindsOf(actor: Actor): Promise<string[]> {
  const { items } = await getInbox(actor, {});
  expect((await getShell(actor, { active_product_id: null })).inbox).toBe(items.length);
  return items.map(({ kind }) => kind).sort();
}

/** One of each kind but a membership, as a person and an agent leave them behind. */
async function seedWaiting() {
  const world = await t.seedWorld(3);
  const { actor, owner, product, story, tasks } = world;
  const question = await askQuestion(actor, { story_id: story.id, question: "Which words?" });
  await setTaskStatus(actor, { task_id: at(tasks, 0).id, status: "review" });
  const sprint = await t.sql.query(
    `insert into public.sprints (product_id, code, sprint_goal) values ($1, 'SP-9', 'Goal') returning id`,
    [product.id],
  );
  const sprintId = z.string().parse(sprint.rows[0]?.id);
  await t.query`
    insert into public.sprint_runs (sprint_id, product_id, status, pr_strategy, branch, finished_at, failure)
    values (${sprintId}, ${product.id}, 'FAILED', 'SPRINT', 'b', now(), '{"reason":"The tests failed."}')`;
  const idea = await createIdea(actor, { product_id: product.id, title: "Glow" });
  await t.query`
    insert into public.agent_jobs (product_id, idea_id, created_by, kind, status, lane_id, finished_at, failure_reason)
    values (${product.id}, ${idea.id}, ${owner.id}, 'PLAN_CHAT', 'FAILED', gen_random_uuid(), now(), 'No model answered.')`;
  return { ...world, question };
}

it("The inbox holds what waits across all products and drops what was dealt with", async () => {
  const world = await seedWaiting();
  const { actor, product, owner, tasks, question } = world;
  const stranger = t.actorOf(await t.createUser());
  expect(await kindsOf(actor)).toEqual(["job", "question", "review", "run"]);
  expect(await kindsOf(stranger)).toEqual([]);
  const { items, counts } = await getInbox(actor, { kinds: ["run", "job"] });
  expect(items.map((item) => "reason" in item && item.reason).sort()).toEqual([
    "No model answered.",
    "The tests failed.",
  ]);
  expect(counts).toEqual({ question: 1, review: 1, run: 1, job: 1 });

  const friend = await t.createMember(product.id);
  expect(await kindsOf(t.actorOf(friend))).toContain("added");

  await archiveProduct(actor, { product_id: product.id });
  expect(await kindsOf(actor)).toEqual([]);
  await restoreProduct(actor, { product_id: product.id });

  const visitor = await app.visitorOf(owner);
  // Without script each row leads to its card, and one returns to a page.
  for (const { kind, id } of items) expect(await visitor.read("/inbox")).toContain(`?item=${kind}%3A${id}"`);
  expect(await visitor.submit(`/inbox?item=${question.id}`, "answer", { answer: "Hello" })).toBe("/inbox");
  await visitor.submit(`/inbox?item=review:${at(tasks, 0).id}`, "set-status", { status: "done" });
  expect(await kindsOf(actor)).toEqual(["job", "run"]);
  const rows = await t.query`select status from public.tasks where id = any (${tasks.map(({ id }) => id)})`;
  expect(rows.map(({ status }) => status).sort()).toEqual(["DONE", "TO_DO", "TO_DO"]);
});

it("The inbox leads to an agent's changes, where a verdict ends the job or sends it back", async () => {
  const { actor, owner, product, stories, tasks, start } = await t.seedSprint({ stories: [1] });
  await t.query`update public.products set done_requires = 'person' where id = ${product.id}`;
  await start();
  const job = await claim(actor);
  const report = { job_id: job.id, status: "done", verify_result: "ALIGNED" } as const;
  await reportAgentJob(actor, { ...report, attempt: job.attempt });
  const visitor = await app.visitorOf(owner);
  const place = `/stories/${at(stories, 0).id}/changes?task=${at(tasks, 0).id}`;
  expect(await visitor.read("/inbox")).toContain(`href="/jobs/${job.id}/changes"`);
  const sentBack = { verdict: "request_changes", summary: "Say it warmer" };
  // The task gives its reason at once, and none of its pages asks for a review of what was just sent back.
  const task = `/tasks/${at(tasks, 0).id}`;
  const panel = `/products/${product.id}/backlog?panel=task:${at(tasks, 0).id}`;
  await reviewJob(actor, { job_id: job.id, ...sentBack, verdict: "request_changes", undo_seconds: 10 });
  for (const page of [task, panel, place, `/jobs/${job.id}`]) {
    const shown = await visitor.read(page);
    expect(shown, page).toContain("Changes requested");
    expect(shown, page).not.toContain("Needs review");
    if (!page.startsWith("/jobs")) expect(shown, page).toContain("Say it warmer");
  }
  await undoReview(actor, { job_id: job.id });
  expect(await visitor.read(task)).not.toContain("Say it warmer");
  expect(await visitor.submit(place, "review", sentBack)).toBe(place);
  expect(await kindsOf(actor)).toEqual([]);
  for (const page of [task, panel]) expect(await visitor.read(page)).toContain("Say it warmer");
  const again = await claim(actor);
  expect(again).toMatchObject({ id: job.id, attempt: 2 });
  expect(again.review).toMatchObject([{ body: "Say it warmer" }]);
  await reportAgentJob(actor, { ...report, attempt: 2 });
  expect((await visitor.read(panel)).split("__remixContext")[0]).not.toContain("Say it warmer");
  expect(await visitor.submit(place, "review", { verdict: "approve" })).toBe(place);
  expect((await getAgentJob(actor, { job_id: job.id })).status).toBe("done");
  expect(await kindsOf(actor)).toEqual([]);
});

it("An inbox item is put aside for one person alone, until tomorrow or until it waits again", async () => {
  const { actor, owner, product, tasks, question } = await seedWaiting();
  const friend = await t.createMember(product.id);
  const cookie = await app.signIn(owner);
  const visitor = createVisitor(app, cookie);
  const id = at(tasks, 0).id;
  await markInboxItem(actor, { kind: "review", item_id: id, mark: "done" });
  await markInboxItem(actor, { kind: "question", item_id: question.id, mark: "later" });
  expect(await kindsOf(actor)).toEqual(["job", "run"]);
  expect(await kindsOf(t.actorOf(friend))).toEqual(["added", "question", "review", "run"]);
  expect(await visitor.read("/inbox?show=later")).toContain("Which words?");
  expect(await visitor.read("/inbox?show=done")).toContain("Task 1");

  // It left review and came back: that is news.
  await setTaskStatus(actor, { task_id: id, status: "todo" });
  await setTaskStatus(actor, { task_id: id, status: "review" });
  expect(await kindsOf(actor)).toEqual(["job", "review", "run"]);
  // Tomorrow has come.
  await t.query`update public.inbox_marks set later_until = now() - interval '1 second'
    where user_id = ${owner.id} and item_kind = 'question'`;
  expect(await kindsOf(actor)).toEqual(["job", "question", "review", "run"]);

  await visitor.submit("/inbox", "mark", { mark: "later" });
  expect((await getInbox(actor, { state: "later" })).items).toHaveLength(1);
  await visitor.submit("/inbox?show=later", "mark", { mark: "open" });
  expect((await getInbox(actor, { state: "later" })).items).toHaveLength(0);
});

it("All of a product but its questions is archived at once, for one person, and brought back", async () => {
  const { actor, owner, product, question } = await seedWaiting();
  const friend = t.actorOf(await t.createMember(product.id));
  const visitor = await app.visitorOf(owner);
  await markInboxItem(actor, { kind: "question", item_id: question.id, mark: "later" });
  await visitor.submit("/inbox", "archive-all");
  expect(await kindsOf(actor)).toEqual([]);
  expect((await getInbox(actor, { state: "later" })).items).toHaveLength(1);
  expect(await kindsOf(friend)).toEqual(["added", "question", "review", "run"]);
  await expect(archiveInbox(actor, { product_id: product.id })).rejects.toMatchObject({ status: 404 });
  const { marked_at } = await archiveInbox(friend, { product_id: product.id });
  expect(await kindsOf(friend)).toEqual(["question"]);
  await archiveInbox(friend, { product_id: product.id, undo: marked_at });
  expect(await kindsOf(friend)).toEqual(["added", "question", "review", "run"]);
});

it("Inbox marks are private, and refused for strangers, demo accounts and dates too far off", async () => {
  const { actor, owner, product, question } = await seedWaiting();
  const stranger = await t.createUser();
  const demo = await t.createMember(product.id, { demo: true });
  const item = { kind: "question", item_id: question.id } as const;
  const mark = { ...item, mark: "later" } as const;
  await expect(markInboxItem(t.actorOf(stranger), mark)).rejects.toMatchObject({ status: 404 });
  await expect(markInboxItem(t.actorOf(demo), mark)).rejects.toMatchObject({ status: 403 });
  const until = new Date(Date.now() + 40 * 86_400_000).toISOString();
  await expect(markInboxItem(actor, { ...mark, until })).rejects.toMatchObject({ status: 422 });
  await markInboxItem(actor, mark);
  const marks = (caller: { id: string }) =>
    asUser(t, caller, (client) => outcomeOf(client, "select item_id from public.inbox_marks"));
  expect([await marks(owner), await marks(stranger)]).toEqual([1, 0]);
  const write = (client: pg.PoolClient) => outcomeOf(client, "delete from public.inbox_marks");
  expect(await asUser(t, owner, write)).toBe("42501");
});

it("A notifications stream gets an inbox event as soon as something begins to wait or is marked", async () => {
  const { actor, owner, tasks } = await t.seedWorld(1);
  const reader = await openStream(`${app.origin}/api/realtime/notifications`, { cookie: await app.signIn(owner) });
  expect(await reader.next()).toMatchObject({ event: "state" });
  const { id } = at(tasks, 0);
  const told = { event: "inbox", data: { op: "U", entity: "inbox", id } };
  await setTaskStatus(actor, { task_id: id, status: "review" });
  expect(await reader.next()).toMatchObject(told);
  await markInboxItem(actor, { kind: "review", item_id: id, mark: "done" });
  expect(await reader.next()).toMatchObject(told);
  reader.close();
});
