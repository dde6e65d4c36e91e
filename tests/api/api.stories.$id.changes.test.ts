import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getAgentJob, reportAgentJob, saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { parsePatch } from "~/nouns/agent-jobs/patch";
import { joinPatches, patchText } from "~/nouns/job-reviews/join-patches";
import { listJobComments } from "~/nouns/job-reviews/list-job-comments.server";
import { reviewJob, saveJobGuide } from "~/nouns/job-reviews/operations.server";
import {
  type StoryAttempt,
  storyChangesSchema,
  tellStory,
} from "~/nouns/job-reviews/story-changes";
import { attemptOfLine, placeComments } from "~/nouns/job-reviews/story-lines";
import { updateProduct } from "~/nouns/products/operations.server";
import { getProof } from "~/nouns/proof/operations.server";
import { startRun, startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { openApp } from "../setup/app";
import { at, claim, create } from "../setup/world";

const { t, app } = await openApp({ pages: true });

/** Lines with some of them deleted, and some added before them; and the patch that says so. */
interface Edit {
  deletes: boolean;
  adds: string[];
}

function edited(lines: readonly string[], edits: readonly Edit[]) {
  const ops = [...lines, null].flatMap((line, at): string[] => {
    const { deletes = false, adds = [] } = edits[at] ?? {};
    const kept = line === null ? [] : [`${deletes ? "-" : " "}${line}`];
    return [...adds.map((text) => `+${text}`), ...kept];
  });
  const near = (at: number) =>
    ops.slice(Math.max(0, at - 3), at + 4).some((op) => !op.startsWith(" "));
  let [old, next, open] = [1, 1, false];
  const hunks: { old: number; next: number; ops: string[] }[] = [];
  for (const [at, op] of ops.entries()) {
    if (near(at)) {
      if (!open) hunks.push({ old, next, ops: [] });
      hunks.at(-1)?.ops.push(op);
    }
    open = near(at);
    if (!op.startsWith("+")) old += 1;
    if (!op.startsWith("-")) next += 1;
  }
  const patch = hunks
    .map((hunk) => {
      const count = (sign: string) => hunk.ops.filter((op) => !op.startsWith(sign)).length;
      const from = (start: number, many: number) => `${many === 0 ? start - 1 : start},${many}`;
      const head = `@@ -${from(hunk.old, count("+"))} +${from(hunk.next, count("-"))} @@`;
      return `${head}\n${hunk.ops.map((each) => `${each}\n`).join("")}`;
    })
    .join("");
  return { patch, after: ops.filter((op) => !op.startsWith("-")).map((op) => op.slice(1)) };
}

/** What a patch makes of these lines; fails where it names others. */
function applied(lines: readonly string[], patch: string): string[] {
  const { hunks, isWhole } = parsePatch(patch);
  expect(isWhole).toBe(true);
  const made: string[] = [];
  let at = 0;
  for (const { oldStart, newStart, lines: told } of hunks) {
    const hasOld = told.some(({ old }) => old !== null);
    const start = hasOld ? oldStart - 1 : oldStart;
    made.push(...lines.slice(at, start));
    at = start;
    expect(told.some((line) => line.new !== null) ? newStart : newStart + 1).toBe(made.length + 1);
    for (const { kind, text } of told) {
      if (kind !== "added") expect(lines[at]).toBe(text);
      if (kind !== "added") at += 1;
      if (kind !== "deleted") made.push(text);
    }
  }
  return [...made, ...lines.slice(at)];
}

const word = fc.constantFrom("a", "b", "c", "}", "");
const edit = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ deletes: false, adds: [] as string[] }) },
  {
    weight: 1,
    arbitrary: fc.record({ deletes: fc.boolean(), adds: fc.array(word, { maxLength: 3 }) }),
  },
);
const edits = fc.array(edit, { maxLength: 60 });

describe("patches on top of each other", () => {
  it("are joined to one that does the same, with no line of their own", () => {
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 50 }),
        fc.array(edits, { minLength: 1, maxLength: 4 }),
        (base, rounds) => {
          let lines: readonly string[] = base;
          const patches = rounds.map((round) => {
            const { patch, after } = edited(lines, round);
            lines = after;
            return patch;
          });
          const joined = joinPatches(patches);
          if (joined === null) throw new Error("They fit onto each other.");
          expect(applied(base, patchText(joined))).toEqual(lines);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("leave each line to the one that changed it", () => {
    const roundsOf = fc.array(edits, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(word, { maxLength: 50 }),
        roundsOf,
        fc.boolean(),
        (base, rounds, isJudged) => {
          let lines: readonly string[] = base;
          const attempts = rounds.map((round, n): StoryAttempt => {
            const { patch, after } = edited(lines, round);
            lines = after;
            return {
              ...{
                task: { id: `${n}`, code: `T-${n}`, title: "" },
                waits: true,
                job_id: `${n}`,
                attempt: 1,
              },
              ...{
                verdict: isJudged && n === 1 ? "approve" : null,
                base_sha: sha(n),
                head_sha: sha(n + 1),
              },
              files: patch === "" ? [] : [file("a.ts", patch)],
            };
          });
          const { changes, steps } = tellStory(attempts);
          for (const [index, { patch = "" }] of changes.files.entries()) {
            for (const line of parsePatch(patch).hunks.flatMap((hunk) => hunk.lines)) {
              const side = line.kind === "deleted" ? "old" : "new";
              const found = attemptOfLine(at(steps, index), side, line[side] ?? 0);
              if (found === null) expect(isJudged).toBe(true);
              if (found === null) continue;
              const { file: own, of } = found.step;
              const there = parsePatch(own.patch ?? "").hunks.flatMap((hunk) => hunk.lines);
              const same = there.find((each) => each[side] === found.line);
              expect(same?.text).toBe(line.text);
              if (!isJudged && line.kind !== "same") expect(same?.kind).toBe(line.kind);
              const comment = {
                ...stored,
                job_id: of.job_id,
                line: found.line,
                side,
                line_text: line.text,
              } as const;
              expect(placeComments({ changes, steps }, [comment])).toMatchObject([
                { index, current_line: line[side], stale: false },
              ]);
            }
          }
        },
      ),
      { numRuns: 1_000 },
    );
  });

  it("are not joined where they do not fit", () => {
    expect(joinPatches(["@@ -1 +1 @@\n-a\n+b\n", "@@ -1 +1 @@\n-other\n+c\n"])).toBeNull();
    expect(joinPatches(["@@ -1 +1 @@\n-a\n"])).toBeNull();
    expect(joinPatches(["@@ -9 +9 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n"])).toBeNull();
  });

  it("change nothing when they revert each other", () => {
    expect(joinPatches(["@@ -1 +1 @@\n-a\n+b\n", "@@ -1 +1 @@\n-b\n+a\n"])).toEqual([]);
  });
});

const stored = {
  ...{ id: "1", review_id: null, attempt: 1, path: "a.ts", body: "Why?" },
  ...{ author_id: null, author: "ada", draft: true, created_at: "" },
};

const sha = (n: number) => String(n).repeat(40);
const file = (path: string, patch: string, rest: object = {}) => ({
  ...{ path, status: "modified" as const, additions: 1, deletions: 1, binary: false, patch },
  ...rest,
});
type File = ReturnType<typeof file>;

/** A story whose tasks an agent did one after the other; the last one waits for a person. */
async function scene(...rounds: File[][]) {
  const world = await t.seedSprint({ strategy: "STORY", stories: [rounds.length] });
  const { actor, product } = world;
  await updateProduct(actor, { product_id: product.id, done_requires: "person" });
  await startSprintRun(actor, { sprint_id: world.sprint.id });
  const jobs: string[] = [];
  const work = async (files: File[], n: number) => {
    const { id: job_id, attempt } = await claim(actor);
    const of = { job_id, attempt, base_sha: sha(n), head_sha: sha(n + 1) };
    await saveJobDiff(actor, { ...of, files });
    await reportAgentJob(actor, {
      ...{ ...of, status: "done", verify_result: "ALIGNED", summary: `Did part ${n}` },
    });
    return job_id;
  };
  for (const [n, files] of rounds.entries()) jobs.push(await work(files, n));
  const session = { cookie: await app.signIn(world.owner) };
  const story = at(world.stories, 0).id;
  const read = async (headers: Record<string, string> = session) => {
    const answer = await app.request(`/api/stories/${story}/changes`, { headers });
    expect(answer.status).toBe(200);
    return storyChangesSchema.parse(await answer.json());
  };
  const json = { "content-type": "application/json" };
  const judge = (body: object, headers: Record<string, string> = session) =>
    app.request(`/api/stories/${story}/review`, {
      ...{ method: "POST", headers: { ...headers, ...json }, body: JSON.stringify(body) },
    });
  const all = jobs.map((job_id) => ({ job_id, attempt: 1 }));
  return { ...world, story, jobs, all, session, read, judge, work };
}

const first = file("a.ts", "@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n");
const second = file("a.ts", "@@ -2,2 +2,3 @@\n 2\n three\n+four\n");
const other = file("b.ts", "@@ -1 +1 @@\n-x\n+y\n");

describe("GET /api/stories/:id/changes", () => {
  it("has what nobody has judged, done tasks too, in one diff from where the story begins", async () => {
    const { read, jobs, tasks, owner } = await scene([first, other], [second]);
    expect(await t.taskStatuses({ tasks } as never)).toEqual(["DONE", "REVIEW"]);
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

  it("shows on its page how each agent explains its part, with its marks, and who else waits with the same file", async () => {
    const { actor, pbi, story, jobs, session, tasks } = await scene(
      [file("a.ts", "@@ -1 +1 @@\n-a\n+b\n"), other],
      [file("c.ts", "@@ -1 +1 @@\n-a\n+b\n")],
    );
    const chapters = [{ title: "The <b>rule</b>", why: "I was not sure", parts: [] }];
    const of = { job_id: at(jobs, 0), attempt: 1, head_sha: sha(1) };
    await saveJobGuide(actor, { ...of, chapters });
    const page = async (path: string) =>
      (await (await app.request(path, { headers: session })).text()).replaceAll("<!-- -->", "");
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
    expect(await page(`/stories/${story}/changes`)).toMatch(
      /waits too and changes <bdi[^>]*>b\.ts/,
    );
    // Of the story, only the first task has this file, and it is done.
    expect(await page(`/jobs/${job_id}/changes`)).not.toContain(`${at(tasks, 0).code} waits too`);
  });

  it("leaves out what was approved, but for what others of the same file stand on", async () => {
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

  it("tells files apart that do not build on each other, and loses none", async () => {
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

  it("follows a file that is added, renamed, changed and deleted", async () => {
    const added = file("new.ts", "@@ -0,0 +1 @@\n+x\n", { status: "added" });
    const gone = file("new.ts", "@@ -1 +0,0 @@\n-x\n", { status: "deleted" });
    const moved = file("to.ts", "", { status: "renamed", old_path: "from.ts" });
    const changed = file("to.ts", "@@ -1 +1 @@\n-y\n+z\n");
    const { read } = await scene([added, moved], [gone, changed]);
    const { files } = await read();
    expect(files).toMatchObject([{ path: "to.ts", old_path: "from.ts", status: "renamed" }]);
    expect(files[0]?.patch).toContain(changed.patch);
  });

  it("is empty where nothing was done", async () => {
    const { product, read } = await scene([first]);
    await t.query`delete from job_diffs where product_id = ${product.id}`;
    expect(await read()).toEqual({ base_sha: null, head_sha: null, tasks: [], files: [] });
  });
});

describe("POST /api/stories/:id/review", () => {
  it("approves all that was shown: the last task is done, an approval of done ones is recorded", async () => {
    const { judge, all, jobs, actor, tasks, read } = await scene([first], [second]);
    const answer = await judge({ verdict: "approve", attempts: all });
    expect(answer.status).toBe(200);
    expect(await t.taskStatuses({ tasks } as never)).toEqual(["DONE", "DONE"]);
    for (const job_id of jobs) {
      const { reviews } = await listJobComments(actor, { job_id });
      expect(reviews.map(({ verdict }) => verdict)).toEqual(["approve"]);
    }
    expect((await read()).tasks.every(({ judged }) => judged)).toBe(true);
  });

  it("confirms no criterion that was not shown", async () => {
    const { judge, all, story, actor, tasks } = await scene([first], [second]);
    const { criteria } = await getProof(actor, { story_id: story });
    await updateStory(actor, { story_id: story, acceptance_criteria: "- Works\n- Is fast" });
    const shown = criteria.map(({ id }) => id);
    const refused = await judge({ verdict: "approve", attempts: all, criteria: shown });
    expect(refused.status).toBe(409);
    expect(await refused.text()).toContain("Is fast");
    expect(await t.taskStatuses({ tasks } as never)).toEqual(["DONE", "REVIEW"]);
    const now = (await getProof(actor, { story_id: story })).criteria.map(({ id }) => id);
    expect((await judge({ verdict: "approve", attempts: all, criteria: now })).status).toBe(200);
  });

  it("requests changes of all: they are done again in their order, one at a time", async () => {
    const { judge, all, jobs, actor } = await scene([first], [second]);
    const answer = await judge({ verdict: "request_changes", summary: "Again", attempts: all });
    expect(answer.status).toBe(200);
    const rows = await t.query`select id from agent_jobs where id = any(${jobs}) and in_turn`;
    expect(rows.map(({ id }) => id)).toEqual([jobs[0]]);
    const again = await claim(actor);
    expect(again).toMatchObject({ id: jobs[0], review: [{ body: "Again" }] });
  });

  it("is refused whole: for another attempt, another story, an earlier verdict, a token, and nothing", async () => {
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
      ...[422, { error: expect.stringMatching(/^Say what should change in T-\d+: comment/) }],
    ]);
    expect((await approve(all, await t.bearerOf(owner))).status).toBe(403);
    const rows = await t.query`select from job_reviews where job_id = any(${jobs})`;
    expect(rows).toHaveLength(0);
    await reviewJob(actor, { job_id: at(jobs, 0), verdict: "request_changes", summary: "No" });
    expect((await approve(all)).status).toBe(409);
  });

  it("lets one of two people win, and the other gets 409", async () => {
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
});

describe("the page of a story's changes", () => {
  it("is where the review of its last task opens, with the task's part as a filter", async () => {
    const { session, story, jobs, tasks } = await scene([first, other], [second]);
    const last = `/jobs/${jobs[1]}/changes`;
    const opened = await app.request(last, { headers: session, redirect: "manual" });
    expect([opened.status, opened.headers.get("location")]).toEqual([
      302,
      `/stories/${story}/changes`,
    ]);
    for (const path of [`/jobs/${jobs[0]}/changes`, `${last}?own=1`]) {
      expect((await app.request(path, { headers: session, redirect: "manual" })).status).toBe(200);
    }
    const shown = async (query: string) => {
      const page = await app.request(`/stories/${story}/changes${query}`, { headers: session });
      expect(page.status).toBe(200);
      return await page.text();
    };
    const paths = (page: string) =>
      [...page.matchAll(/data-path="([^"]*)"/g)].map(([, path]) => path);
    const page = await shown("");
    expect(paths(page)).toEqual(["a.ts", "b.ts"]);
    for (const words of ["Did part 0", "Did part 1", "0 of 2 criteria proven", "Works"])
      expect(page).toContain(words);
    expect(page).toContain("Approving all of them finishes the story.");
    expect(page).toContain("Approving confirms 2 criteria");
    const part = await shown(`?task=${at(tasks, 1).id}`);
    expect(paths(part)).toEqual(["a.ts"]);
    expect(part).toContain("Approving confirms no criterion.");
    for (const job_id of jobs) {
      const rows = await t.query`select first_seen_at from agent_jobs where id = ${job_id}`;
      expect(at(rows, 0).first_seen_at).not.toBeNull();
    }
  });

  it("judges by a form without script what it showed, and shows a message to the one who comes second", async () => {
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
    expect([none.status, await none.text()]).toEqual([
      422,
      expect.stringContaining("Choose at least one task"),
    ]);
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

  it("takes comments on lines to the attempt that the line belongs to, also once another was judged", async () => {
    const third = file("b.ts", "@@ -1 +1,2 @@\n-y\n+why\n+z\n");
    const { session, story, jobs, all, actor, judge } = await scene(
      [first, other],
      [second],
      [third],
    );
    const of = all.map(({ job_id, attempt }) => `${job_id} ${attempt}`).join();
    const page = `/stories/${story}/changes`;
    const comment = (fields: Record<string, string>) =>
      app.request(page, {
        ...{ method: "POST", headers: session, redirect: "manual" },
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
      (await listJobComments(actor, { job_id })).comments.map(({ path, side, line, body }) => [
        path,
        side,
        line,
        body,
      ]);
    expect(await drafts(at(jobs, 0))).toEqual([
      ["a.ts", "new", 2, "Two?"],
      ["a.ts", "old", 2, "Gone?"],
      ["b.ts", "old", 1, "No x?"],
    ]);
    expect(await drafts(at(jobs, 1))).toEqual([["a.ts", "new", 4, "Four?"]]);
    expect(await drafts(at(jobs, 2))).toEqual([["b.ts", "new", 1, "Why?"]]);
    const shown = await (await app.request(page, { headers: session })).text();
    for (const words of ["Two?", "Four?", "Gone?", "3 comments not sent yet."])
      expect(shown).toContain(words);
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
    expect([late.status, await late.text()]).toEqual([
      409,
      expect.stringContaining("was judged while you wrote"),
    ]);
    expect((await comment({ ...a, line: "4", body: "In time" })).status).toBe(303);
    expect(await drafts(two.job_id)).toHaveLength(2);
    expect((await judge({ verdict: "request_changes", attempts: [two, three] })).status).toBe(200);
    const { comments } = await listJobComments(actor, { job_id: three.job_id });
    expect(comments).toMatchObject([{ body: "Why?", draft: false }]);
  });

  it("marks a file of several tasks as viewed in each of them", async () => {
    const { session, story, jobs } = await scene([first], [second]);
    const body = new URLSearchParams({ intent: "viewed", viewed: "true" });
    for (const job_id of jobs)
      body.append("mark", JSON.stringify({ job_id, attempt: 1, path: "a.ts" }));
    const page = `/stories/${story}/changes`;
    const init = { method: "POST", headers: session, body, redirect: "manual" } as const;
    expect((await app.request(page, init)).status).toBe(303);
    const text = await (await app.request(page, { headers: session })).text();
    expect(text).toContain('aria-checked="true"');
    const own = await app.request(`/jobs/${jobs[0]}/changes`, { headers: session });
    expect(await own.text()).toContain('aria-checked="true"');
    const lines = await app.request(`/stories/${story}/file?index=0`, { headers: session });
    expect(JSON.stringify(await lines.json())).toContain("four");
    for (const index of ["9", "-1", "x", ""]) {
      const missing = await app.request(`/stories/${story}/file?index=${index}`, {
        headers: session,
      });
      expect(missing.status).toBe(404);
    }
  });
});
