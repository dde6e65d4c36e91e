import { expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { jobCommentSchema, jobCommentsSchema, sentReviewSchema } from "~/wire/reviews/contract";
import { openApp } from "../setup/app";
import { addedFile } from "../setup/diff-files";
import { at, bearer, claim, type SprintOptions } from "../setup/world";

const { t, app } = await openApp();

/** A job that a worker of the owner has done, with a diff; another member reviews it. */
async function scene(options: SprintOptions = { stories: [1, 1] }) {
  const held = await t.holdJob(options);
  const { world, job } = held;
  const token = await t.createToken(world.owner);
  const owner = { cookie: await app.signIn(world.owner) };
  const eva = await t.createMember(world.product.id);
  const reviewer = await t.bearerOf(eva);
  const call = (method: string, part: string, body?: unknown, headers: Record<string, string> = reviewer) =>
    app.send(method, `/api/jobs/${job.id}/${part}`, body, headers);
  const sendDiff = async (attempt: number, ...files: unknown[]) => {
    const diff = { attempt, base_sha: "a".repeat(40), head_sha: "b".repeat(40), files };
    expect((await call("PUT", "diff", diff, bearer(token))).status).toBe(204);
  };
  await sendDiff(1, addedFile("one.ts", "first", "second", "third"));
  const comment = async (line: number, body: string, headers = reviewer) =>
    jobCommentSchema.parse(await (await call("POST", "comments", { path: "one.ts", line, body }, headers)).json());
  const list = async (headers = reviewer) =>
    jobCommentsSchema.parse(await (await call("GET", "comments", undefined, headers)).json());
  const done = () => held.report({ status: "done", verify_result: "ALIGNED" });
  return { ...held, token, owner, eva, reviewer, call, sendDiff, comment, list, done };
}

it("A comment on one of many lines that are all alike finds the nearest, and comments have a limit", async () => {
  const { call, comment, list, sendDiff } = await scene();
  const many = Array.from({ length: 80_000 }, () => "x");
  await sendDiff(1, addedFile("one.ts", ...many));
  const [first, last] = [await comment(7, "First"), await comment(79_999, "Last")];
  await t.query`
      insert into public.job_comments (job_id, product_id, attempt, path, line, side, line_text, body, author_id, author)
      select c.job_id, c.product_id, c.attempt, c.path, n, c.side, c.line_text, c.body, c.author_id, c.author
      from public.job_comments c, generate_series(1, 1998) n where c.id = ${first.id}`;
  const { comments: alike } = await list();
  const placeOf = (id: string) => alike.find((each) => each.id === id)?.current_line;
  expect([placeOf(first.id), placeOf(last.id)]).toEqual([7, 79_999]);
  await t.query`update public.job_comments set line_text = 'gone', body = repeat('x', case when line > 20 then 1 else 10000 end)`;
  expect((await list()).comments.every(({ stale }) => stale)).toBe(true);

  const more = async () => (await call("POST", "comments", { path: "one.ts", line: 1, body: "More" })).text();
  expect(await more()).toContain("2,000 comments");
  await t.query`delete from public.job_comments where line > 20`;
  expect(await more()).toContain("200,000 letters");
  // What is edited is there twice until the former text goes.
  await t.query`update public.job_comments set line_text = 'x' where id = ${first.id}`;
  expect(await more()).toContain('"draft":true');
});

it("A line comment is a draft of its author until it is sent, and can be deleted until then", async () => {
  const { call, comment, list, owner, done } = await scene();
  const first = await comment(2, "Why <b>second</b>?");
  expect(first).toMatchObject({ draft: true, line_text: "second", stale: false, side: "new" });
  const second = await comment(3, "Not this");
  expect((await list()).comments.map(({ id }) => id)).toEqual([first.id, second.id]);
  expect((await list(owner)).comments).toEqual([]);
  expect((await call("DELETE", `comments/${second.id}`, undefined, owner)).status).toBe(404);
  expect((await call("DELETE", `comments/${second.id}`)).status).toBe(204);
  await done();
  await call("POST", "review", { verdict: "request_changes" });
  expect((await list(owner)).comments).toMatchObject([{ id: first.id, draft: false }]);
  expect((await call("DELETE", `comments/${first.id}`)).status).toBe(409);
});

it("A line comment is refused on lines that the diff does not show, and without a diff", async () => {
  const { call } = await scene();
  const body = { path: "one.ts", line: 9, body: "x" };
  const refused = await (await call("POST", "comments", body)).json();
  expect(refused).toMatchObject({ code: 422, issues: [{ path: "line" }] });
  expect((await call("POST", "comments", { ...body, path: "two.ts" })).status).toBe(422);
  expect((await call("POST", "comments", { ...body, line: 1, side: "old" })).status).toBe(422);
  expect((await call("POST", "comments", { ...body, line: 1, body: " " })).status).toBe(422);
  expect((await call("POST", "comments", { ...body, line: 1, attempt: 2 })).status).toBe(409);
});

it("A line comment moves with its line, and is stale once the line has changed", async () => {
  const { call, comment, list, done, sendDiff, world } = await scene();
  await comment(2, "Say it better");
  await comment(3, "And this");
  await done();
  expect((await call("POST", "review", { verdict: "request_changes" })).status).toBe(200);
  await claim(world.actor, "worker-1");
  await sendDiff(2, addedFile("one.ts", "new", "first", "2nd", "third"));
  expect((await list()).comments).toMatchObject([
    { line: 2, stale: true, current_line: null },
    { line: 3, stale: false, current_line: 4 },
  ]);
});

it("Requested changes return a job of an unfinished run to the head of the queue, with comments", async () => {
  const { call, comment, done, world, job, task } = await scene();
  await comment(2, "Say it better");
  await done();
  const answer = await call("POST", "review", { verdict: "request_changes", summary: "Nearly." });
  expect(answer.status).toBe(200);
  const review = sentReviewSchema.parse(await answer.json());
  expect(review).toMatchObject({ verdict: "request_changes", attempt: 1, summary: "Nearly." });
  expect(review.job).toMatchObject({ status: "queued", retry_count: 0 });
  expect(await t.columnOf("tasks", task.id, "status")).toBe("IN_PROGRESS");
  const again = await claim(world.actor, "worker-1");
  expect(again).toMatchObject({ id: job.id, attempt: 2 });
  expect(again.review).toEqual([
    expect.objectContaining({ path: null, body: "Nearly." }),
    expect.objectContaining({ path: "one.ts", line: 2, side: "new", line_text: "second", body: "Say it better" }),
  ]);
});

it("Requested changes reopen the task of a finished run, and the next run has the comments", async () => {
  const { call, comment, done, world, job, task, run } = await scene({ stories: [1] });
  await comment(1, "No");
  await done();
  expect(await t.columnOf("sprint_runs", run.id, "status")).toBe("DONE");
  const answer = await call("POST", "review", { verdict: "request_changes" });
  expect(sentReviewSchema.parse(await answer.json()).job.status).toBe("done");
  expect(await t.columnOf("tasks", task.id, "status")).toBe("TO_DO");
  await world.start();
  const next = await claim(world.actor, "worker-2");
  expect(next.id).not.toBe(job.id);
  expect(next.review).toMatchObject([{ path: "one.ts", body: "No" }]);
});

it("An approved attempt stays approved, and no changes can be requested after that", async () => {
  const { call, owner, done, job, world } = await scene();
  await done();
  const approval = { verdict: "approve", summary: "Good" };
  expect((await call("POST", "review", approval)).status).toBe(403);
  expect((await call("POST", "review", approval, owner)).status).toBe(200);
  expect((await getAgentJob(world.actor, { job_id: job.id })).status).toBe("done");
  const late = await call("POST", "review", { verdict: "request_changes", summary: "No" });
  expect(late.status).toBe(409);
  expect(await late.json()).toMatchObject({ error: expect.stringContaining("has already approved") });
});

it("A job that waits for a person is done once approved in a session, not by a token", async () => {
  const { call, owner, done, world, job, task } = await scene();
  await t.query`update products set done_requires = 'person' where id = ${world.product.id}`;
  expect(await done()).toMatchObject({ status: "queued", phase: "review" });
  expect((await call("POST", "review", { verdict: "approve" })).status).toBe(403);
  expect((await call("POST", "review", { verdict: "approve" }, owner)).status).toBe(200);
  expect((await getAgentJob(world.actor, { job_id: job.id })).status).toBe("done");
  expect(await t.columnOf("tasks", task.id, "status")).toBe("DONE");
});

it("Requested changes send a job that waits for a person back to work", async () => {
  const { call, done, world, job } = await scene();
  await t.query`update products set done_requires = 'person' where id = ${world.product.id}`;
  await done();
  const answer = await call("POST", "review", { verdict: "request_changes", summary: "Again" });
  expect(answer.status).toBe(200);
  expect(await claim(world.actor, "worker-1")).toMatchObject({ id: job.id, attempt: 2 });
});

it("The worker's own token may neither approve nor comment on the work", async () => {
  const { call, done, token } = await scene();
  await done();
  const own = bearer(token);
  expect((await call("POST", "review", { verdict: "approve" }, own)).status).toBe(403);
  const comment = { path: "one.ts", line: 1, body: "x" };
  expect((await call("POST", "comments", comment, own)).status).toBe(403);
});

it("A review needs a finished attempt, words where it requests changes, and one of two verdicts", async () => {
  const { call, owner, done } = await scene();
  expect((await call("POST", "review", { verdict: "approve" }, owner)).status).toBe(409);
  await done();
  expect((await call("POST", "review", { verdict: "request_changes" })).status).toBe(422);
  expect((await call("POST", "review", { verdict: "perhaps" })).status).toBe(422);
  const unknown = "/api/jobs/00000000-0000-4000-8000-000000000000/review";
  const headers = { "content-type": "application/json", ...(await t.bearerOf(await t.createUser())) };
  const body = JSON.stringify({ verdict: "approve" });
  expect((await app.request(unknown, { method: "POST", headers, body })).status).toBe(404);
});

it("A review does not reopen a task that someone has moved on by hand", async () => {
  const { call, done, world, task } = await scene({ stories: [1] });
  await done();
  await setTaskStatus(world.actor, { task_id: task.id, status: "in_progress" });
  await call("POST", "review", { verdict: "request_changes", summary: "No" });
  expect(await t.columnOf("tasks", task.id, "status")).toBe("IN_PROGRESS");
  expect(at(world.tasks, 0).id).toBe(task.id);
});
