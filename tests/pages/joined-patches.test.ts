import fc from "fast-check";
import { expect, it } from "vitest";
import { joinPatches, patchText } from "~/nouns/reviews/join-patches";
import { reviewOfStory, type StoryAttempt } from "~/nouns/reviews/story-changes";
import { attemptOfLine, positionComments } from "~/nouns/reviews/story-lines";
import { parsePatch } from "~/wire/agent-jobs/patch";
import { file, sha } from "../api/story-changes";
import { at } from "../setup/world";

/** Lines with some of them deleted, and some added before them; and the patch that says so. */
type Edit = { deletes: boolean; adds: string[] };

function edited(lines: readonly string[], edits: readonly Edit[]) {
  const ops = [...lines, null].flatMap((line, at): string[] => {
    const { deletes = false, adds = [] } = edits[at] ?? {};
    const kept = line === null ? [] : [`${deletes ? "-" : " "}${line}`];
    return [...adds.map((text) => `+${text}`), ...kept];
  });
  const near = (at: number) => ops.slice(Math.max(0, at - 3), at + 4).some((op) => !op.startsWith(" "));
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
  { weight: 1, arbitrary: fc.record({ deletes: fc.boolean(), adds: fc.array(word, { maxLength: 3 }) }) },
);
const edits = fc.array(edit, { maxLength: 60 });

it("Patches that build on each other join into one that does the same", () => {
  fc.assert(
    fc.property(fc.array(word, { maxLength: 50 }), fc.array(edits, { minLength: 1, maxLength: 4 }), (base, rounds) => {
      let lines: readonly string[] = base;
      const patches = rounds.map((round) => {
        const { patch, after } = edited(lines, round);
        lines = after;
        return patch;
      });
      const joined = joinPatches(patches);
      if (joined === null) throw new Error("They fit onto each other.");
      expect(applied(base, patchText(joined))).toEqual(lines);
    }),
    { numRuns: 2_000 },
  );
});

it("Each line of a story's joined diff belongs to the attempt that changed it", () => {
  const roundsOf = fc.array(edits, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(fc.array(word, { maxLength: 50 }), roundsOf, fc.boolean(), (base, rounds, isJudged) => {
      let lines: readonly string[] = base;
      const attempts = rounds.map((round, n): StoryAttempt => {
        const { patch, after } = edited(lines, round);
        lines = after;
        return {
          task: { id: `${n}`, code: `T-${n}`, title: "" },
          waits: true,
          job_id: `${n}`,
          attempt: 1,
          verdict: isJudged && n === 1 ? "approve" : null,
          base_sha: sha(n),
          head_sha: sha(n + 1),
          files: patch === "" ? [] : [file("a.ts", patch)],
        };
      });
      const { changes, steps } = reviewOfStory(attempts);
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
          const comment = { ...stored, job_id: of.job_id, line: found.line, side, line_text: line.text } as const;
          expect(positionComments({ changes, steps }, [comment])).toMatchObject([
            { index, current_line: line[side], stale: false },
          ]);
        }
      }
    }),
    { numRuns: 1_000 },
  );
});

it("Patches that do not fit onto each other are not joined", () => {
  expect(joinPatches(["@@ -1 +1 @@\n-a\n+b\n", "@@ -1 +1 @@\n-other\n+c\n"])).toBeNull();
  expect(joinPatches(["@@ -1 +1 @@\n-a\n"])).toBeNull();
  expect(joinPatches(["@@ -9 +9 @@\n-a\n+b\n@@ -1 +1 @@\n-a\n+b\n"])).toBeNull();
});

it("Patches that revert each other join into no change", () => {
  expect(joinPatches(["@@ -1 +1 @@\n-a\n+b\n", "@@ -1 +1 @@\n-b\n+a\n"])).toEqual([]);
});

const stored = {
  id: "1",
  review_id: null,
  attempt: 1,
  path: "a.ts",
  body: "Why?",
  author_id: null,
  author: "ada",
  draft: true,
  created_at: "",
};
