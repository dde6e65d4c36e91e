import { expect, it } from "vitest";
import { z } from "zod";
import { reportAgentJob, saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { reviewJob, saveJobGuide } from "~/nouns/reviews/operations.server";
import { startRun } from "~/nouns/sprint-runs/operations.server";
import { diffFileSchema } from "~/wire/agent-jobs/job-diff";
import { openApp } from "../setup/app";
import { at, claim, create } from "../setup/world";
import { type File, file, first, openStory, other, second, sha } from "./story-changes";

const stage = await openApp({ pages: true });
const { t, app } = stage;
const scene = (...rounds: File[][]) => openStory(stage, ...rounds);

it("A story's unjudged changes, done tasks included, are one diff from where the story begins", async () => {
  const { read, jobs, tasks, owner } = await scene([first, other], [second]);
  expect(await t.statusesOf("tasks", tasks)).toEqual(["DONE", "REVIEW"]);
  const found = await read();
  expect(found).toMatchObject({ base_sha: sha(0), head_sha: sha(2) });
  expect(found.tasks).toEqual(
    jobs.map((job_id, n) => {
      const { id, code } = at(tasks, n);
      return { id, code: code ?? `T-${n + 1}`, job_id, attempt: 1, judged: false };
    }),
  );
  expect(found.files.map(({ path, patch }) => [path, patch])).toEqual([
    ["a.ts", "@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n"],
    ["b.ts", other.patch],
  ]);
  expect(found.files[0]).toMatchObject({ additions: 2, deletions: 1 });
  // One hunk of two tasks is under the first of them.
  expect(found.files[0]?.parts.map(({ job_id, hunks }) => [job_id, hunks])).toEqual([
    [jobs[0], [0]],
    [jobs[1], []],
  ]);
  expect(await read(await t.bearerOf(owner))).toEqual(found);
});

it("A story's page of changes shows each agent's reasons, its marks and who waits with the same file", async () => {
  const { actor, pbi, story, jobs, session, tasks } = await scene(
    [file("a.ts", "@@ -1 +1 @@\n-a\n+b\n"), other],
    [file("c.ts", "@@ -1 +1 @@\n-a\n+b\n")],
  );
  const chapters = [{ title: "The <b>rule</b>", why: "I was not sure", parts: [] }];
  const of = { job_id: at(jobs, 0), attempt: 1, head_sha: sha(1) };
  await saveJobGuide(actor, { ...of, chapters });
  const page = async (path: string) =>
    (await (await app.request(path, { headers: session, redirect: "follow" })).text()).replaceAll("<!-- -->", "");
  const shown = await page(`/stories/${story}/changes`);
  expect(shown).toContain("The &lt;b&gt;rule&lt;/b&gt;");
  expect(shown).toContain("I was not sure");
  expect(shown).toMatch(/these files\. <bdi[^>]*>a\.ts, b\.ts</);
  expect(shown).toMatch(/these files\. <bdi[^>]*>c\.ts</);
  expect(shown).not.toContain("Also changed by");

  const more = await create(actor, "create_story", { p_pbi_id: pbi.id, p_title: "Another" });
  const plan = { p_implementation_plan: "Change b.ts" };
  await create(actor, "create_task", { p_story_id: more.id, p_title: "Same file", ...plan });
  await startRun(actor, { story_id: more.id });
  const { id: job_id, attempt } = await claim(actor);
  const again = { job_id, attempt, base_sha: sha(0), head_sha: sha(3) };
  await saveJobDiff(actor, { ...again, files: [other] });
  await reportAgentJob(actor, { ...again, status: "done", verify_result: "ALIGNED" });
  expect(await page(`/stories/${story}/changes`)).toMatch(/waits too and changes <bdi[^>]*>b\.ts/);
  // Of the story, only the first task has this file, and it is done.
  expect(await page(`/jobs/${job_id}/changes`)).not.toContain(`${at(tasks, 0).code} waits too`);
});

it("A story's changes leave out what was approved, except where others of the same file build on it", async () => {
  const middle = file("a.ts", "@@ -3 +3 @@\n-three\n+3\n");
  const last = file("a.ts", "@@ -3 +3,2 @@\n 3\n+four\n");
  const { read, jobs, actor } = await scene([first], [middle, other], [last]);
  await reviewJob(actor, { job_id: at(jobs, 1), verdict: "approve" });
  const found = await read();
  expect(found.tasks.map(({ judged }) => judged)).toEqual([false, true, false]);
  expect(found.files.map(({ path }) => path)).toEqual(["a.ts"]);
  expect(found.files[0]?.patch).toBe("@@ -1,3 +1,4 @@\n one\n-two\n-three\n+2\n+3\n+four\n");
  await reviewJob(actor, { job_id: at(jobs, 0), verdict: "approve" });
  expect((await read()).files.map(({ patch }) => patch)).toEqual([last.patch]);
});

it("A story's changes to one file that do not build on each other are shown apart, and none is lost", async () => {
  const stray = file("a.ts", "@@ -2 +2 @@\n-other\n+2\n");
  const cut = file("big.bin", "", { binary: true, truncated: true });
  const { read, jobs } = await scene([first, cut], [stray, cut]);
  const { files } = await read();
  expect(files.map(({ path, parts }) => [path, parts.map(({ job_id }) => job_id)])).toEqual([
    ["a.ts", [jobs[0]]],
    ["a.ts", [jobs[1]]],
    ["big.bin", [jobs[0]]],
    ["big.bin", [jobs[1]]],
  ]);
});

it("A story's changes follow a file that is added, renamed, changed and deleted", async () => {
  const added = file("new.ts", "@@ -0,0 +1 @@\n+x\n", { status: "added" });
  const gone = file("new.ts", "@@ -1 +0,0 @@\n-x\n", { status: "deleted" });
  const moved = file("to.ts", "", { status: "renamed", old_path: "from.ts" });
  const changed = file("to.ts", "@@ -1 +1 @@\n-y\n+z\n");
  const { read } = await scene([added, moved], [gone, changed]);
  const { files } = await read();
  expect(files).toMatchObject([{ path: "to.ts", old_path: "from.ts", status: "renamed" }]);
  expect(files[0]?.patch).toContain(changed.patch);
});

it("A story's changes beyond a bound are named in the rest, and read and commented on by their file", {
  tags: "thorough",
}, async () => {
  const large = (n: number) => file(`large-${n}.ts`, `@@ -0,0 +1,60000 @@\n${"+b\n".repeat(60_000)}`);
  const { read, jobs, session, story } = await scene([...[0, 1, 2, 3, 4, 5].map(large), first], [second]);
  const found = await read();
  expect(found.files.map(({ path }) => path)).toEqual([0, 1, 2, 3, 4].map((n) => `large-${n}.ts`).concat("a.ts"));
  expect(found.rest).toEqual([{ path: "large-5.ts", job_id: jobs[0] }]);
  for (const address of [`stories/${story}/changes`, `jobs/${jobs[0]}/diff`]) {
    const answer = await app.request(`/api/${address}?path=large-5.ts&path=a.ts`, { headers: session });
    const asked = z.object({ files: z.array(diffFileSchema), rest: z.unknown() }).parse(await answer.json());
    expect(asked.files.map(({ path }) => path).sort()).toEqual(["a.ts", "large-5.ts"]);
    expect(asked.files.find(({ path }) => path === "large-5.ts")).toMatchObject(large(5));
    expect(asked.rest).toEqual([]);
  }
  const page = async (query = "") =>
    await (await app.request(`/stories/${story}/changes${query}`, { headers: session })).text();
  const address = `/jobs/${jobs[0]}/file?attempt=1&index=5`;
  expect((await page()).replaceAll("\\u0026", "&")).toContain(address);
  expect((await page()).match(/id="hunk-5-0"/g)).toBeNull();
  expect((await page("?open=5")).match(/id="hunk-5-0"/g)).toHaveLength(1);
  const lines = await app.request(address, { headers: session });
  expect(await lines.json()).toMatchObject({ path: "large-5.ts", hunks: [{ lines: expect.any(Array) }] });
  const of = jobs.map((job_id) => `${job_id} 1`).join();
  const said = { path: "large-5.ts", side: "new", line: "7", body: "Why so long?" };
  const body = new URLSearchParams({ intent: "add-comment", of, index: "5", ...said });
  const init = { method: "POST", headers: session, body, redirect: "manual" } as const;
  expect((await app.request(`/stories/${story}/changes`, init)).status).toBe(303);
  expect(await page()).toContain("Why so long?");
});

it("Attempts whose names alone are too long are in the rest as a whole", async () => {
  const deep = (n: number) => `${"folder/".repeat(500)}${n}.ts`;
  const many = Array.from({ length: 160 }, (_, n) => file(deep(n), "@@ -1 +1 @@\n-a\n+b\n"));
  const { read, jobs, session, story, tasks } = await scene(many, many);
  const { rest, files } = await read();
  expect(rest).toEqual([{ path: null, job_id: jobs[1] }]);
  expect(files).toHaveLength(160);
  const page = await app.request(`/stories/${story}/changes`, { headers: session });
  expect(await page.text()).toContain(`href="/stories/${story}/changes?task=${at(tasks, 1).id}"`);
});

it("A story where nothing was done has no changes", async () => {
  const { product, read } = await scene([first]);
  await t.query`delete from job_diffs where product_id = ${product.id}`;
  expect(await read()).toEqual({ base_sha: null, head_sha: null, tasks: [], files: [], rest: [] });
});

it("The review of a story's last task opens the story's changes, with its own part as a filter", async () => {
  const { session, story, jobs, tasks } = await scene([first, other], [second]);
  const last = `/jobs/${jobs[1]}/changes`;
  const opened = await app.request(last, { headers: session, redirect: "manual" });
  expect([opened.status, opened.headers.get("location")]).toEqual([302, `/stories/${story}/changes`]);
  const own = (n: number, query = "") => `/stories/${story}/changes?task=${at(tasks, n).id}${query}`;
  for (const [path, to] of [
    [`/jobs/${jobs[0]}/changes`, own(0)],
    [`${last}?attempt=1&since=looked`, own(1, "&attempt=1&since=looked")],
  ] as const) {
    const answer = await app.request(path, { headers: session });
    expect([answer.status, answer.headers.get("location")]).toEqual([302, to]);
  }
  const shown = async (query: string) => {
    const page = await app.request(`/stories/${story}/changes${query}`, { headers: session });
    expect(page.status).toBe(200);
    return await page.text();
  };
  const paths = (page: string) => [...page.matchAll(/data-path="([^"]*)"/g)].map(([, path]) => path);
  const page = await shown("");
  expect(paths(page)).toEqual(["a.ts", "b.ts"]);
  for (const words of ["Did part 0", "Did part 1", "0 of 2 criteria proven", "Works"]) expect(page).toContain(words);
  expect(page).toContain("Approving all tasks finishes the story.");
  expect(page.match(/name="confirm"/g)).toHaveLength(2);
  const part = await shown(`?task=${at(tasks, 1).id}`);
  expect(paths(part)).toEqual(["a.ts"]);
  // Approving it finishes the story, of the first task it is only recorded.
  expect(part).toContain("Approving confirms no criteria.");
  expect(part.match(/name="confirm"/g)).toHaveLength(2);
  expect(await shown(`?task=${at(tasks, 0).id}`)).not.toContain('name="confirm"');
  expect(paths(await shown(`?task=${at(tasks, 1).id}&job=${jobs[1]}&attempt=9`))).toEqual([]);
  for (const place of [`task=${jobs[0]}`, `task=${at(tasks, 0).id}&job=${jobs[1]}`, "task=x"]) {
    const none = await app.request(`/stories/${story}/changes?${place}`, { headers: session });
    expect(none.status).toBe(404);
  }
  for (const job_id of jobs) {
    const rows = await t.query`select first_seen_at from agent_jobs where id = ${job_id}`;
    expect(at(rows, 0).first_seen_at).not.toBeNull();
  }
});

it("A file of several tasks that is marked as viewed is viewed in each of them", async () => {
  const { session, story, jobs } = await scene([first], [second]);
  const body = new URLSearchParams({ intent: "viewed", viewed: "true" });
  for (const job_id of jobs) body.append("mark", JSON.stringify({ job_id, attempt: 1, path: "a.ts" }));
  const page = `/stories/${story}/changes`;
  const init = { method: "POST", headers: session, body, redirect: "manual" } as const;
  expect((await app.request(page, init)).status).toBe(303);
  const text = await (await app.request(page, { headers: session })).text();
  expect(text).toContain('aria-checked="true"');
  const own = await app.request(`/jobs/${jobs[0]}/changes`, { headers: session, redirect: "follow" });
  expect(await own.text()).toContain('aria-checked="true"');
  const lines = await app.request(`/stories/${story}/file?index=0`, { headers: session });
  expect(JSON.stringify(await lines.json())).toContain("four");
  for (const index of ["9", "-1", "x", ""]) {
    const missing = await app.request(`/stories/${story}/file?index=${index}`, { headers: session });
    expect(missing.status).toBe(404);
  }
});
