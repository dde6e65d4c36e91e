import { expect, it } from "vitest";
import { listJobComments } from "~/features/review/list-comments.server";
import { getAgentJob, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { getInbox } from "~/nouns/inbox/operations.server";
import { removeProductMember } from "~/nouns/products/operations.server";
import { getProof } from "~/nouns/proof/operations.server";
import { addJobComment } from "~/nouns/reviews/job-comments.server";
import {
  getReviewPage,
  getStoryChanges,
  listWaitingReviews,
  reviewJob,
  reviewStory,
  undoReview,
  undoStoryReview,
} from "~/nouns/reviews/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { first as oneFile, openStory, second as otherFile } from "../../api/story-changes";
import { openApp } from "../../setup/app";
import { at } from "../../setup/world";
import { refusalOf } from "../refusal";
import { later, serviceAt } from "./fixed-clock";

const stage = await openApp();
const { t } = stage;
const approve = { verdict: "approve", undo_seconds: 10 } as const;

/** A story of two tasks: the first is done, the second waits for a person; Eva is another member. */
async function scene() {
  const story = await openStory(stage, [oneFile], [otherFile]);
  const eva = await t.createMember(story.product.id);
  const [done, job_id] = [at(story.jobs, 0), at(story.jobs, 1)];
  const task = at(story.tasks, 1).id;
  const status = async () => [
    (await getAgentJob(story.actor, { job_id })).status,
    await t.columnOf("tasks", task, "status"),
  ];
  return { ...story, eva: t.actorOf(eva), evaId: eva.id, done, job_id, task, status, of: { job_id } };
}

const sweepAt = (undoUntil: string | null, milliseconds: number) =>
  serviceAt(t, later(undoUntil ?? "", milliseconds), "sweep()");

const waits = ["queued", "REVIEW"];
const isDone = ["done", "DONE"];

it("What follows an approval begins when its ten seconds are over, and not before", async () => {
  const { actor, of, status, story } = await scene();
  const { undo_until, id, job, created_at } = await reviewJob(actor, { ...of, ...approve, summary: "Good" });
  expect(job.status).toBe("queued");
  expect(Date.parse(undo_until ?? "") - Date.parse(created_at)).toBe(10_000);
  await sweepAt(undo_until, -1000);
  expect(await status()).toEqual(waits);
  await sweepAt(undo_until, 1);
  expect(await status()).toEqual(isDone);
  const { reviews } = await listJobComments(actor, of);
  expect(reviews).toMatchObject([{ id, verdict: "approve", summary: "Good", created_at }]);
  const { criteria } = await getProof(actor, { story_id: story });
  expect(criteria.every(({ grade }) => grade === "person")).toBe(true);
  expect(await getAgentJob(actor, of)).toMatchObject({ judged_at: created_at });
  expect((await refusalOf(undoReview(actor, of))).status).toBe(409);
});

it("A verdict that is undone leaves everything as it was, and another one can be given", async () => {
  const { actor, of, status } = await scene();
  const before = await getAgentJob(actor, of);
  await reviewJob(actor, { ...of, ...approve });
  await undoReview(actor, of);
  expect(await getAgentJob(actor, of)).toEqual(before);
  expect((await listJobComments(actor, of)).reviews).toEqual([]);
  await sweepAt(new Date().toISOString(), 20_000);
  expect(await status()).toEqual(waits);
  expect(await reviewJob(actor, { ...of, verdict: "approve" })).toMatchObject({ undo_until: null });
  expect(await status()).toEqual(isDone);
});

it("A verdict shows at once and its work waits in no list, until it is undone", async () => {
  const { actor, eva, of, story, task, product } = await scene();
  const shown = async () => [
    (await listWaitingReviews(eva, { product_id: product.id })).reviews.map(({ job_id }) => job_id),
    (await getInbox(eva, { kinds: ["review"] })).items.map(({ id }) => id),
    (await listJobComments(eva, of)).reviews.map(({ verdict }) => verdict),
    (await getStoryChanges(eva, { story_id: story })).attempts.map(({ verdict }) => verdict),
  ];
  const other = await openStory(stage, [oneFile]);
  const page = await getReviewPage(other.actor, { story_id: other.story });
  expect(page).toMatchObject({ same_files: [], queue: { position: 1 } });
  const open = [[of.job_id], [task], [], [null, null]];
  expect(await shown()).toEqual(open);
  await reviewJob(actor, { ...of, ...approve });
  expect(await shown()).toEqual([[], [], ["approve"], [null, "approve"]]);
  expect((await whyNotMoving(eva, { kind: "job", id: of.job_id })).text).toContain("has just approved the work");
  await undoReview(actor, of);
  expect(await shown()).toEqual(open);
  await reviewJob(actor, { ...of, verdict: "request_changes", summary: "No", undo_seconds: 10 });
  // Approving the rest does not finish the story.
  expect(await getReviewPage(actor, { story_id: story })).toMatchObject({ open_tasks: 1 });
});

it("Each refusal comes while the person is there, and nothing is kept of it", async () => {
  const { actor, of, owner } = await scene();
  const token = t.actorOf(owner);
  const refused = async (input: Partial<Parameters<typeof reviewJob>[1]>) =>
    (await refusalOf(reviewJob(token, { ...of, ...approve, ...input }))).status;
  expect(await refused({ verdict: "request_changes" })).toBe(422);
  expect(await refused({ attempt: 2 })).toBe(409);
  expect(await refused({ criteria: [] })).toBe(409);
  expect(await t.query`select from pending_verdicts where job_id = ${of.job_id}`).toEqual([]);
  await reviewJob(actor, { ...of, ...approve });
  expect(await refused({})).toBe(409);
});

it("A second verdict while one can be undone is refused with a sentence, and only its author undoes it", async () => {
  const { actor, eva, of, owner } = await scene();
  await reviewJob(actor, { ...of, ...approve });
  const second = { ...of, verdict: "request_changes", summary: "No" } as const;
  expect((await refusalOf(reviewJob(actor, second))).message).toBe(
    `${owner.username} has just approved attempt 1: undo that first to decide otherwise.`,
  );
  expect((await refusalOf(reviewJob(eva, second))).message).toContain("can undo that for a few seconds");
  expect((await refusalOf(undoReview(eva, of))).status).toBe(409);
  await undoReview(actor, of);
  expect(await reviewJob(eva, second)).toMatchObject({ verdict: "request_changes" });
});

it("A verdict lapses when its author leaves the product or its work is no longer what was judged", async () => {
  const left = await scene();
  const { undo_until } = await reviewJob(left.eva, { ...left.of, ...approve });
  await removeProductMember(left.actor, { product_id: left.product.id, user_id: left.evaId });
  await sweepAt(undo_until, 1);
  expect(await left.status()).toEqual(waits);
  expect((await listWaitingReviews(left.actor, { product_id: left.product.id })).reviews).toHaveLength(1);

  const changed = await scene();
  const given = await reviewJob(changed.eva, { ...changed.of, ...approve });
  await t.query`update agent_jobs set head_sha = ${"9".repeat(40)} where id = ${changed.job_id}`;
  await sweepAt(given.undo_until, 1);
  expect(await changed.status()).toEqual(waits);

  const moved = await scene();
  await reviewJob(moved.eva, { ...moved.of, ...approve });
  await setTaskStatus(moved.actor, { task_id: moved.task, status: "done" });
  expect(await t.query`select from pending_verdicts where job_id = ${moved.job_id}`).toEqual([]);
  expect((await listJobComments(moved.actor, moved.of)).reviews).toEqual([]);
});

it("A request for changes sends the drafts that were there when it was given", async () => {
  const { actor, of, status } = await scene();
  const line = { ...of, path: "a.ts", line: 3, side: "new" as const };
  await addJobComment(actor, { ...line, body: "Why?" });
  const { undo_until } = await reviewJob(actor, { ...of, verdict: "request_changes", undo_seconds: 10 });
  await addJobComment(actor, { ...line, body: "Later" });
  await sweepAt(undo_until, 1);
  expect(await status()).toEqual(["queued", "IN_PROGRESS"]);
  const { comments } = await listJobComments(actor, of);
  expect(comments.map(({ body, draft }) => [body, draft])).toEqual([
    ["Why?", false],
    ["Later", true],
  ]);
});

it("A story's verdict is given whole and undone whole, by its job or its story", async () => {
  const { actor, all, story, done, job_id, status, eva } = await scene();
  const given = { story_id: story, attempts: all, ...approve };
  const { undo_until } = await reviewStory(actor, given);
  expect(undo_until).not.toBeNull();
  await undoReview(actor, { job_id: done });
  await reviewStory(actor, given);
  expect((await refusalOf(undoStoryReview(eva, { story_id: story }))).status).toBe(409);
  await undoStoryReview(actor, { story_id: story });
  expect(await t.query`select from pending_verdicts where job_id in (${done}, ${job_id})`).toEqual([]);
  const again = await reviewStory(actor, given);
  await sweepAt(again.undo_until, 1);
  expect(await status()).toEqual(isDone);
  for (const id of [done, job_id]) expect((await listJobComments(actor, { job_id: id })).reviews).toHaveLength(1);
});

it("A story's verdict lapses whole where one of its tasks is no longer what was judged", async () => {
  const { actor, all, story, done, job_id, status } = await scene();
  const { undo_until } = await reviewStory(actor, { story_id: story, attempts: all, ...approve });
  await t.query`update agent_jobs set head_sha = ${"9".repeat(40)} where id = ${done}`;
  await sweepAt(undo_until, 1);
  expect(await status()).toEqual(waits);
  expect((await listJobComments(actor, { job_id })).reviews).toEqual([]);
});
