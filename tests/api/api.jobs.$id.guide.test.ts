import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shownChapters } from "~/features/review/shown-chapters";
import { saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { saveJobGuide } from "~/nouns/reviews/operations.server";
import { parsePatch } from "~/wire/agent-jobs/patch";
import { chaptersOf, guideSchema, jobGuideSchema } from "~/wire/reviews/guide";
import { connectClient } from "../mcp/clients";
import { openApp } from "../setup/app";
import { changedFile, shas } from "../setup/diff-files";
import { roundsOf } from "../setup/rounds";
import { busyMilliseconds } from "../setup/thread-work";
import { bearer } from "../setup/world";

const { t, app } = await openApp();

/** A patch with a hunk of one added line at each of these lines; line 0 means a deleted file. */
const patchAt = (...lines: number[]) =>
  lines.includes(0) ? "@@ -1,2 +0,0 @@\n-x\n-y\n" : lines.map((line) => `@@ -${line},0 +${line},1 @@\n+x\n`).join("");
const file = (path: string, patch?: string, folded = false) =>
  changedFile(path, { deletions: 0, folded, ...(patch === undefined ? {} : { patch }) });

const path = fc.constantFrom("a.ts", "b.ts", "tests/a.test.ts", "pack.lock", "../x", "\u202e<b>");
const diff = fc.uniqueArray(
  fc.tuple(
    path,
    fc.option(fc.oneof(fc.constant([0]), fc.uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 12 })), {
      nil: undefined,
    }),
  ),
  { maxLength: 6, selector: ([name]) => name },
);
const place = fc.option(fc.integer({ min: 1, max: 500 }), { nil: undefined });
const guide = fc.array(
  fc.record({
    title: fc.string({ unit: "binary", minLength: 1, maxLength: 40 }),
    why: fc.string({ unit: "binary", maxLength: 40 }),
    parts: fc.array(fc.record({ path, from: place, to: place }), { maxLength: 30 }),
  }),
  { maxLength: 20 },
);

/** Every hunk, or the file that has none, by its name. */
const hunksOf = (files: { path: string; patch?: string }[]) =>
  files.flatMap(({ path: name, patch }) => {
    const { hunks } = parsePatch(patch ?? "");
    return hunks.length === 0 ? [`${name} whole`] : hunks.map((_, place) => `${name} ${place}`);
  });
const toldOf = (chapters: ReturnType<typeof chaptersOf>) =>
  chapters.flatMap(({ parts }) =>
    parts.flatMap(({ path: name, hunks }) =>
      hunks.length === 0 ? [`${name} whole`] : hunks.map((place) => `${name} ${place}`),
    ),
  );

it("The chapters of a change have every hunk exactly once and no other, no matter what the guide says", () => {
  fc.assert(
    fc.property(diff, fc.option(guide), (wanted, told) => {
      const files = wanted.map(([name, lines]) => file(name, lines && patchAt(...lines)));
      const chapters = chaptersOf(files, told);
      expect(toldOf(chapters).sort()).toEqual(hunksOf(files).sort());
      expect(chaptersOf(files, told)).toEqual(chapters);
      expect(chapters.slice(0, -1).every(({ rest }) => rest === undefined)).toBe(true);
      if (told === null) return;
      const said = chapters.filter(({ rest }) => !rest).map(({ title, why }) => [title, why]);
      expect(said, "nothing that the agent said is lost").toEqual(told.map(({ title, why }) => [title, why]));
      for (const [at, { shown_in = [] }] of chapters.entries()) {
        expect(shown_in.every((other) => other < at && chapters[other]?.parts.length)).toBe(true);
      }
    }),
    { numRuns: roundsOf("GUIDE_ROUNDS", { whole: 2_000, short: 300 }) },
  );
});

it("The chapters of a change cost little, no matter how many parts its guide has", () => {
  const files = [file("a.ts", patchAt(...Array.from({ length: 8_000 }, (_, n) => n * 2 + 1)))];
  const parts = Array.from({ length: 10_000 }, () => ({ path: "a.ts", from: 90_000, to: 90_001 }));
  const told = Array.from({ length: 20 }, () => ({ title: "T", why: "", parts }));
  const before = busyMilliseconds();
  chaptersOf(files, told);
  expect(busyMilliseconds() - before).toBeLessThan(200);
});

it("A hunk goes to the first chapter that names one of its lines, both ends included", () => {
  const files = [file("a.ts", patchAt(3, 9)), file("b.ts")];
  const parts = [{ path: "a.ts", from: 1, to: 3 }];
  const told = [
    { title: "First", why: "So", parts },
    { title: "Second", why: "", parts: [{ path: "a.ts" }] },
  ];
  expect(chaptersOf(files, told)).toMatchObject([
    { title: "First", why: "So", criterion: null, parts: [{ path: "a.ts", hunks: [0] }] },
    { title: "Second", parts: [{ path: "a.ts", hunks: [1] }] },
    { title: "Everything else", rest: true, parts: [{ path: "b.ts", hunks: [] }] },
  ]);
});

it("A file with a red or amber mark that no chapter names is shown before all others", () => {
  const names = ["a.ts", "b.ts", "key.ts"];
  const chapters = chaptersOf(
    names.map((name) => file(name)),
    [{ title: "First", why: "", parts: [{ path: "a.ts" }] }],
  );
  const shown = (mark: "secret" | "large") =>
    shownChapters(
      { source: "agent", chapters },
      names.map((path, index) => ({ path, index })),
      false,
      [{ mark, path: "key.ts", hunk: null }],
    ).map(({ title, parts }) => [title, parts.map(({ index }) => index)]);
  expect(shown("secret")).toEqual([
    ["Not in the guide, and marked", [2]],
    ["First", [0]],
    ["Everything else", [1]],
  ]);
  expect(shown("large").at(-1)).toEqual(["Everything else", [1, 2]]);
});

it("A chapter whose lines an earlier one has is kept, and says where they are shown", () => {
  const added = file("a.ts", patchAt(1));
  const told = [
    { title: "Both", why: "", parts: [{ path: "a.ts", from: 1, to: 1 }, { path: "b.ts" }] },
    { title: "One", why: "So", criterion: "c", parts: [{ path: "a.ts", from: 1, to: 1 }] },
    { title: "Neither", why: "No", parts: [{ path: "c.ts" }] },
  ];
  const clues = { proof: "", tests: [], criteria: ["c"] };
  expect(chaptersOf([added, file("b.ts")], told, clues).slice(1)).toEqual([
    { title: "One", why: "So", criterion: "c", parts: [], shown_in: [0] },
    { title: "Neither", why: "No", criterion: null, parts: [] },
  ]);
});

it("Without a guide, chapters come by rule: named by the proof, code, tests, configuration, generated", () => {
  const names = ["yarn.lock", "set.json", "tests/a.ts", "src/b.ts", "src/a.ts"];
  const files = names.map((name) => file(name, patchAt(name === "tests/a.ts" ? 0 : 1)));
  const clues = { proof: "npm test src/a.ts", tests: ["tests/a.ts"], criteria: [] };
  const chapters = chaptersOf(files, null, clues);
  expect(chapters.map(({ parts }) => parts[0]?.path)).toEqual(names.toReversed());
  expect(chapters.some(({ rest }) => rest)).toBe(false);
});

describe("GET /api/jobs/:id/guide", () => {
  const told = [{ title: "The rule", why: "It decides", criterion: "none", parts: [{ path: "b.ts" }] }];

  it("A job's guide has the chapters reported with its result, and only for the commit they describe", async () => {
    const { world, job, attempt } = await t.holdJob();
    const token = await t.createToken(world.owner);
    const read = async () => {
      const answer = await app.request(`/api/jobs/${job.id}/guide`, { headers: bearer(token) });
      return jobGuideSchema.parse(await answer.json());
    };
    const missing = await app.request(`/api/jobs/${job.id}/guide`, { headers: bearer(token) });
    expect(missing.status).toBe(404);
    const files = [file("a.ts", patchAt(1)), file("b.ts", patchAt(2))];
    await saveJobDiff(world.actor, { ...attempt, ...shas, files });
    expect(await read()).toMatchObject({ attempt: 1, source: "order" });
    await saveJobGuide(world.actor, { ...attempt, head_sha: shas.head_sha, chapters: [] });
    expect(await read(), "a guide without a chapter is none").toMatchObject({ source: "order" });

    const agent = await connectClient(app, token, "2026-07-28", "/mcp/worker");
    const report = { ...attempt, status: "done", verify_result: "ALIGNED", ...shas };
    const tooMany = Array.from({ length: 21 }, () => told[0]);
    expect((await agent.call("update_job_status", { ...report, guide: tooMany })).result).toMatchObject({
      code: 422,
      issues: [{ path: "guide" }],
    });
    const ofNoCommit = { ...report, head_sha: undefined, guide: told };
    expect((await agent.call("update_job_status", ofNoCommit)).result).toMatchObject({
      code: 422,
      issues: [{ path: "guide" }],
    });
    expect((await agent.call("update_job_status", { ...report, guide: told })).isError).toBe(false);
    await agent.close();
    const found = await read();
    expect(found).toMatchObject({ head_sha: shas.head_sha, source: "agent" });
    expect(found.chapters).toMatchObject([{ title: "The rule", criterion: null }, { rest: true }]);

    await saveJobDiff(world.actor, { ...attempt, ...shas, head_sha: "c".repeat(40), files });
    expect(await read()).toMatchObject({ source: "order" });
  });

  it("A chapter with a title or reason that is too long is refused", () => {
    const long = (chapter: object) => guideSchema.safeParse([{ ...told[0], ...chapter }]).success;
    expect(long({ title: "x".repeat(120), why: "x".repeat(600) })).toBe(true);
    expect(long({ title: "x".repeat(121) })).toBe(false);
    expect(long({ why: "x".repeat(601) })).toBe(false);
    expect(long({ title: " " })).toBe(false);
  });
});
