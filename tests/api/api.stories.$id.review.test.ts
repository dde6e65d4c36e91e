import { expect, it } from "vitest";
import { listJobComments } from "~/features/review/list-comments.server";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { getProof } from "~/nouns/proof/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { openApp } from "../setup/app";
import { at, claim } from "../setup/world";
import { type File, file, first, openStory, other, second } from "./story-changes";

const stage = await openApp({ pages: true });
const { t, app } = stage;
const scene = (...rounds: File[][]) => openStory(stage, ...rounds);

it("Approving a story's changes finishes its last task, and records an approval of those already done", async () => {
  const { judge, all, jobs, actor, tasks, read } = await scene([first], [second]);
  const answer = await judge({ verdict: "approve", attempts: all });
  expect(answer.status).toBe(200);
  expect(await t.statusesOf("tasks", tasks)).toEqual(["DONE", "DONE"]);
  for (const job_id of jobs) {
    const { reviews } = await listJobComments(actor, { job_id });
    expect(reviews.map(({ verdict }) => verdict)).toEqual(["approve"]);
  }
  expect((await read()).tasks.every(({ judged }) => judged)).toBe(true);
});

it("Approving a story's changes confirms no criterion that was not shown", async () => {
  const { judge, all, jobs, story, actor, tasks } = await scene([first], [second]);
  const { criteria } = await getProof(actor, { story_id: story });
  await updateStory(actor, { story_id: story, acceptance_criteria: "- Works\n- Is fast" });
  const shown = criteria.map(({ id }) => id);
  const refused = await judge({ verdict: "approve", attempts: all, criteria: shown });
  expect(refused.status).toBe(409);
  expect(await refused.text()).toContain("Is fast");
  expect(await t.statusesOf("tasks", tasks)).toEqual(["DONE", "REVIEW"]);
  const now = (await getProof(actor, { story_id: story })).criteria.map(({ id }) => id);
  const confirm = { [at(jobs, 1)]: now.slice(1) };
  expect((await judge({ verdict: "approve", attempts: all, criteria: now, confirm })).status).toBe(200);
  const grades = (await getProof(actor, { story_id: story })).criteria.map(({ grade }) => grade);
  expect(grades).toEqual([null, ...now.slice(1).map(() => "person")]);
});

it("Tasks of a story for which changes are requested are done again in order, one at a time", async () => {
  const { judge, all, jobs, actor } = await scene([first], [second]);
  const answer = await judge({ verdict: "request_changes", summary: "Again", attempts: all });
  expect(answer.status).toBe(200);
  const rows = await t.query`select id from agent_jobs where id = any(${jobs}) and in_turn`;
  expect(rows.map(({ id }) => id)).toEqual([jobs[0]]);
  const again = await claim(actor);
  expect(again).toMatchObject({ id: jobs[0], review: [{ body: "Again" }] });
});

it("A story's review is refused whole for another attempt or story, an earlier verdict, or a token", async () => {
  const { judge, all, jobs, actor, owner } = await scene([first], [second]);
  const approve = (attempts: object[], headers?: Record<string, string>) =>
    judge({ verdict: "approve", attempts }, headers);
  const [one, two] = [at(all, 0), at(all, 1)];
  const elsewhere = await scene([other]);
  expect((await approve([one, { ...two, attempt: 2 }])).status).toBe(409);
  expect((await approve([one, { job_id: at(elsewhere.jobs, 0), attempt: 1 }])).status).toBe(422);
  expect((await approve([one, { ...two, job_id: crypto.randomUUID() }])).status).toBe(422);
  expect((await approve([])).status).toBe(422);
  const bare = await judge({ verdict: "request_changes", attempts: all });
  expect([bare.status, await bare.json()]).toMatchObject([
    422,
    { error: expect.stringMatching(/^Say what should change in T-\d+: comment.*untick it/) },
  ]);
  expect((await approve(all, await t.bearerOf(owner))).status).toBe(403);
  const rows = await t.query`select from job_reviews where job_id = any(${jobs})`;
  expect(rows).toHaveLength(0);
  await reviewJob(actor, { job_id: at(jobs, 0), verdict: "request_changes", summary: "No" });
  expect((await approve(all)).status).toBe(409);
});

it("A verdict with undo_seconds names its end, is taken back by DELETE until then, and is a session's alone", async () => {
  const { judge, all, story, jobs, owner, session, tasks } = await scene([first], [second]);
  const job = `/api/jobs/${at(jobs, 1)}/review`;
  const remove = async (path: string, headers: Record<string, string> = session) =>
    (await app.send("DELETE", path, undefined, headers)).status;
  const verdict = { verdict: "approve", undo_seconds: 30 };
  const token = await t.bearerOf(owner);
  const given = await judge({ ...verdict, attempts: all });
  expect(await given.json()).toMatchObject({ reviews: [{}, {}], undo_until: expect.stringMatching(/^20/) });
  expect([403, 401]).toContain(await remove(`/api/stories/${story}/review`, token));
  expect(await remove(`/api/stories/${story}/review`)).toBe(204);
  expect(await remove(`/api/stories/${story}/review`)).toBe(409);
  const alone = await app.send("POST", job, verdict, session);
  expect(await alone.json()).toMatchObject({
    verdict: "approve",
    job: { status: "queued" },
    undo_until: expect.any(String),
  });
  expect((await app.send("POST", job, verdict, session)).status).toBe(409);
  expect(await remove(job)).toBe(204);
  expect(await t.statusesOf("tasks", tasks)).toEqual(["DONE", "REVIEW"]);
  expect((await judge({ ...verdict, attempts: all, undo_seconds: 31 })).status).toBe(422);
  const words = { verdict: "request_changes", summary: "No", attempts: all, undo_seconds: 10 };
  expect((await judge(words, token)).status).toBe(403);
  const atOnce = await app.send("POST", job, { verdict: "approve" }, session);
  expect(await atOnce.json()).toMatchObject({ job: { status: "done" }, undo_until: null });
  expect(await remove(job)).toBe(409);
});

it("Of two people who review a story at once, one wins and the other gets 409", async () => {
  const { judge, all, product, jobs, actor } = await scene([first], [second]);
  const bela = await t.createMember(product.id);
  const theirs = { cookie: await app.signIn(bela) };
  const answers = await Promise.all([
    judge({ verdict: "approve", attempts: all }),
    judge({ verdict: "request_changes", summary: "No", attempts: all }, theirs),
  ]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  for (const job_id of jobs) {
    expect((await listJobComments(actor, { job_id })).reviews).toHaveLength(1);
    expect((await getAgentJob(actor, { job_id })).judged_at).not.toBeNull();
  }
});

it("A story's review works as a form without script, and tells who comes second what was decided", async () => {
  const { session, story, jobs, all, actor } = await scene([first], [second]);
  const { criteria } = await getProof(actor, { story_id: story });
  const send = (verdict: string, attempts: readonly string[]) => {
    const body = new URLSearchParams({ intent: "review", verdict, summary: "My words" });
    for (const attempt of attempts) body.append("attempt", attempt);
    for (const { id } of criteria) body.append("criterion", id);
    const init = { method: "POST", headers: session, body, redirect: "manual" } as const;
    return app.request(`/stories/${story}/changes`, init);
  };
  const chosen = all.map(({ job_id, attempt }) => `${job_id} ${attempt}`);
  const none = await send("approve", []);
  expect([none.status, await none.text()]).toEqual([422, expect.stringContaining("Choose at least one task")]);
  expect((await send("approve", ["x", "y z"])).status).toBe(422);
  const sent = await send("approve_and_next", chosen);
  expect([sent.status, sent.headers.get("location")]).toEqual([303, "/inbox?show=reviews"]);
  for (const job_id of jobs) {
    const { reviews } = await listJobComments(actor, { job_id });
    expect(reviews).toMatchObject([{ verdict: "approve", summary: "My words" }]);
  }
  const late = await send("request_changes", chosen);
  expect(late.status).toBe(409);
  expect(await late.text()).toContain("has already approved attempt 1");
});

it("A line comment on a story goes to the attempt of that line, even once another was judged", async () => {
  const third = file("b.ts", "@@ -1 +1,2 @@\n-y\n+why\n+z\n");
  const { session, story, jobs, all, actor, judge } = await scene([first, other], [second], [third]);
  const of = all.map(({ job_id, attempt }) => `${job_id} ${attempt}`).join();
  const page = `/stories/${story}/changes`;
  const comment = (fields: Record<string, string>) =>
    app.request(page, {
      method: "POST",
      headers: session,
      redirect: "manual",
      body: new URLSearchParams({ intent: "add-comment", side: "new", of, ...fields }),
    });
  const a = { path: "a.ts", index: "0" };
  for (const fields of [
    { ...a, line: "2", body: "Two?" },
    { ...a, line: "4", body: "Four?" },
    { ...a, line: "2", side: "old", body: "Gone?" },
    { path: "b.ts", index: "1", line: "1", body: "Why?" },
    { path: "b.ts", index: "1", line: "1", side: "old", body: "No x?" },
  ]) {
    expect((await comment(fields)).status).toBe(303);
  }
  const drafts = async (job_id: string) =>
    (await listJobComments(actor, { job_id })).comments.map(({ path, side, line, body }) => [path, side, line, body]);
  expect(await drafts(at(jobs, 0))).toEqual([
    ["a.ts", "new", 2, "Two?"],
    ["a.ts", "old", 2, "Gone?"],
    ["b.ts", "old", 1, "No x?"],
  ]);
  expect(await drafts(at(jobs, 1))).toEqual([["a.ts", "new", 4, "Four?"]]);
  expect(await drafts(at(jobs, 2))).toEqual([["b.ts", "new", 1, "Why?"]]);
  const shown = await (await app.request(page, { headers: session })).text();
  for (const words of ["Two?", "Four?", "Gone?", "3 comments not sent yet."]) expect(shown).toContain(words);
  expect(shown).not.toContain("outdated");

  for (const [fields, status] of [
    [{ ...a, line: "9" }, 422],
    [{ ...a, line: "x" }, 422],
    [{ path: "b.ts", index: "0", line: "1" }, 409],
    [{ ...a, index: "7", line: "1" }, 409],
    [{ ...a, line: "2", of: "none" }, 409],
  ] as const) {
    expect((await comment({ body: "Hm", ...fields })).status).toBe(status);
  }
  const [one, two, three] = [at(all, 0), at(all, 1), at(all, 2)];
  expect((await judge({ verdict: "approve", attempts: [one] })).status).toBe(200);
  const late = await comment({ ...a, line: "2", body: "Late" });
  expect([late.status, await late.text()]).toEqual([409, expect.stringContaining("was judged while you wrote")]);
  expect((await comment({ ...a, line: "4", body: "In time" })).status).toBe(303);
  expect(await drafts(two.job_id)).toHaveLength(2);
  expect((await judge({ verdict: "request_changes", attempts: [two, three] })).status).toBe(200);
  const { comments } = await listJobComments(actor, { job_id: three.job_id });
  expect(comments).toMatchObject([{ body: "Why?", draft: false }]);
});
