import { expect, it } from "vitest";
import { reportAgentJob, saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { setMemberRole, updateProduct } from "~/nouns/products/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { openApp } from "../setup/app";
import { changedFile } from "../setup/diff-files";
import { claim } from "../setup/world";

const { t, app } = await openApp({ pages: true });

const shas = (letter: string) => ({ base_sha: "0".repeat(40), head_sha: letter.repeat(40) });
const file = (path: string, text: string, rest: object = {}) =>
  changedFile(path, { patch: `@@ -1 +1 @@\n-before\n+${text}\n`, ...rest });
type File = ReturnType<typeof file>;

/** An attempt with these files that waits for a person. */
async function scene(...files: File[]) {
  const held = await t.holdJob();
  const { world, job } = held;
  await updateProduct(world.actor, { product_id: world.product.id, done_requires: "person" });
  const send = async (attempt: number, letter: string, ...sent: File[]) => {
    const of = { job_id: job.id, attempt, ...shas(letter) };
    await saveJobDiff(world.actor, { ...of, files: sent });
    await reportAgentJob(world.actor, { ...of, status: "done", verify_result: "PARTIAL" });
  };
  await send(1, "a", ...files);
  const again = async (...sent: File[]) => {
    await reviewJob(world.actor, { job_id: job.id, verdict: "request_changes", summary: "Again" });
    const { attempt } = await claim(world.actor);
    await send(attempt, "b", ...sent);
  };
  const session = { cookie: await app.signIn(world.owner) };
  return { ...world, job, again, session };
}

const mark = (job: { id: string }, headers: Record<string, string>, body: object) =>
  app.send("PUT", `/api/jobs/${job.id}/viewed`, { attempt: 1, path: "a.ts", viewed: true, ...body }, headers);

/** The files of the page of changes with whether they are marked; null where nothing can be. */
async function shown(job: { id: string }, headers: Record<string, string>, query = "") {
  const page = await (await app.request(`/jobs/${job.id}/changes${query}`, { headers, redirect: "follow" })).text();
  return [...page.matchAll(/data-path="([^"]*)".*?(?=data-path=|$)/gs)].map(([text, path]) => [
    path,
    /aria-checked="(true|false)"/.exec(text)?.[1] ?? null,
  ]);
}

it("A viewed file is marked for one person only, and the mark can be undone", async () => {
  const { job, session, product } = await scene(file("a.ts", "one"), file("b.ts", "two"));
  const other = await t.createMember(product.id);
  const theirs = { cookie: await app.signIn(other) };
  const marked = await mark(job, session, {});
  expect([marked.status, await marked.text()]).toEqual([204, ""]);
  expect((await mark(job, session, {})).status).toBe(204);
  expect(await shown(job, session)).toEqual([
    ["a.ts", "true"],
    ["b.ts", "false"],
  ]);
  expect((await shown(job, theirs))[0]).toEqual(["a.ts", "false"]);
  expect((await mark(job, session, { viewed: false })).status).toBe(204);
  expect((await shown(job, session))[0]).toEqual(["a.ts", "false"]);
});

it("A new attempt shows a person only what changed since they viewed it", async () => {
  const files = [file("same.ts", "one"), file("changed.ts", "two"), file("unseen.ts", "three")];
  const { job, again, session } = await scene(...files);
  for (const path of ["same.ts", "changed.ts"]) await mark(job, session, { path });
  await again(file("same.ts", "one"), file("changed.ts", "other"), file("unseen.ts", "three"));
  expect(await shown(job, session)).toEqual([
    ["changed.ts", "false"],
    ["unseen.ts", "false"],
  ]);
  expect(await shown(job, session, "?attempt=2")).toEqual([
    ["same.ts", "true"],
    ["changed.ts", "false"],
    ["unseen.ts", "false"],
  ]);
  const page = await app.request(`/jobs/${job.id}/changes`, { headers: session, redirect: "follow" });
  const text = await page.text();
  expect(text).toContain("Since you looked");
  // The old side is what the person saw, and not where the work began.
  expect(text).toMatch(/class="l d[^>]*>[^<]*(<[^>]*>)*two/);

  const lines = `/jobs/${job.id}/file?attempt=2&index=1&since=looked`;
  const answer = await app.request(lines, { headers: session });
  expect(JSON.stringify(await answer.json())).toContain("two");
});

it("A viewed file whose lines are missing counts only for the commit at which it was seen", async () => {
  const cut = { patch: undefined, truncated: true };
  const { job, again, session } = await scene(file("a.ts", "", cut as never));
  await mark(job, session, {});
  expect(await shown(job, session)).toEqual([["a.ts", "true"]]);
  await again(file("a.ts", "", cut as never));
  expect(await shown(job, session, "?attempt=2")).toEqual([["a.ts", "false"]]);
});

it("A file with a path of any length and script can be marked as viewed", async () => {
  const path = `${Array.from({ length: 400 }, (_, n) => (n * 7919).toString(36)).join("/")}/ü'"<b>`;
  const { job, session } = await scene(file(path, "x"));
  expect((await mark(job, session, { path })).status).toBe(204);
  const [first] = await shown(job, session);
  expect(first?.[1]).toBe("true");
});

it("A viewed mark is refused for unknown files and attempts, to tokens and to viewers", async () => {
  const { job, session, owner, product, actor } = await scene(file("a.ts", "one"));
  for (const body of [{ path: "none.ts" }, { attempt: 2 }, { attempt: 0 }, { path: "" }]) {
    expect((await mark(job, session, body)).status).toBe(422);
  }
  expect((await mark(job, session, { viewed: "yes" })).status).toBe(422);
  expect((await mark(job, await t.bearerOf(owner), {})).status).toBe(403);
  const viewer = await t.createMember(product.id);
  await setMemberRole(actor, { product_id: product.id, user_id: viewer.id, role: "VIEWER" });
  expect((await mark(job, { cookie: await app.signIn(viewer) }, {})).status).toBe(403);
  const rows = await t.query`select from viewed_files where job_id = ${job.id}`;
  expect(rows).toHaveLength(0);
});

it("A file can be marked as viewed by a form without script, which returns to the same page", async () => {
  const { job, session, stories } = await scene(file("a.ts", "one"));
  const page = `/stories/${stories[0]?.id}/changes?attempt=1`;
  const send = (mark: string) =>
    app.request(page, {
      method: "POST",
      headers: session,
      redirect: "manual",
      body: new URLSearchParams({ intent: "viewed", viewed: "true", mark }),
    });
  const answer = await send(JSON.stringify({ job_id: job.id, attempt: 1, path: "a.ts" }));
  expect([answer.status, answer.headers.get("location")]).toEqual([303, page]);
  expect(await shown(job, session)).toEqual([["a.ts", "true"]]);
  expect((await send("{")).status).toBe(422);
});

it("Marks of one file at the same time leave at most one", async () => {
  const { job, session } = await scene(file("a.ts", "one"));
  const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => mark(job, session, { viewed: n % 2 === 0 })));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(204));
  const rows = await t.query`select from viewed_files where job_id = ${job.id}`;
  expect(rows.length).toBeLessThanOrEqual(1);
});
