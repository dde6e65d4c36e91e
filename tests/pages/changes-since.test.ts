import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { changedFiles, roundOf, showFile, showFiles } from "~/features/diff/show-diff.server";
import type { DiffFile, JobDiff } from "~/wire/agent-jobs/job-diff";
import { parsePatch } from "~/wire/agent-jobs/patch";
import { addedFile } from "../setup/diff-files";
import { roundsOf } from "../setup/rounds";

const diff = (attempt: number, ...files: DiffFile[]): JobDiff => {
  const rest = { base_sha: "a", head_sha: "b", additions: 0, deletions: 0, created_at: "", attempts: [] };
  return { job_id: "", attempt, ...rest, files };
};

const viewer = "someone";
const showDiff = async (now: JobDiff, asked: { viewer: string; before?: JobDiff }) =>
  showFiles(await changedFiles(now, asked), viewer, undefined);
const home = mkdtempSync(join(tmpdir(), "backloom-round-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const write = (name: string, text: string): string => {
  writeFileSync(join(home, name), text);
  return name;
};

/** What git says of a file that had the one text and has the other; null for no file. */
function told(from: string | null, to: string): DiffFile[] {
  const names = [from === null ? "/dev/null" : write("from", from), write("to", to)];
  const words = ["diff", "--no-index", "--full-index", "--", ...names];
  const { stdout: patch, status } = spawnSync("git", words, { cwd: home, encoding: "utf8" });
  if (status === 0) return [];
  const isNew = from === null;
  return [
    {
      path: "story.txt",
      status: isNew ? "added" : "modified",
      binary: false,
      additions: 1,
      deletions: isNew ? 0 : 1,
      patch,
    },
  ];
}

/** The text that a round makes of the earlier one; every line that it names has to be there. */
function applied(text: string, patch: string): string {
  const lines = text === "" ? [] : text.split(/(?<=\n)/);
  const made: string[] = [];
  let at = 0;
  for (const hunk of parsePatch(patch).hunks) {
    for (const { kind, text: words, old, new: next, isUnended } of hunk.lines) {
      const line = isUnended ? words : `${words}\n`;
      while (old !== null && at < old - 1) made.push(lines[at++] ?? "");
      if (kind !== "added") expect(lines[at++]).toBe(line);
      if (kind === "deleted") continue;
      made.push(line);
      expect(made).toHaveLength(next ?? 0);
    }
  }
  return [...made, ...lines.slice(at)].join("");
}

it("A diff since an earlier attempt leaves out unchanged files and keeps the positions of the others", async () => {
  const before = diff(1, addedFile("a", "one"), addedFile("b", "two"));
  const now = diff(2, addedFile("a", "one"), addedFile("b", "better"), addedFile("c", "new"));
  const paths = (files: readonly { path: string; index: number }[]) => files.map(({ path, index }) => [path, index]);
  expect(paths(await showDiff(now, { viewer, before }))).toEqual([
    ["b", 1],
    ["c", 2],
  ]);
  expect(await showDiff(now, { viewer })).toHaveLength(3);
});

it("A diff since an earlier attempt shows only the lines changed since then", async () => {
  const base = Array.from({ length: 60 }, (_, line) => `line ${line}\n`).join("");
  const first = base.replace("line 5\n", "five\n").replace("line 50\n", "fifty\n");
  const second = first.replace("fifty\n", "50\nand one\n");
  const before = diff(1, ...told(base, first));
  const now = diff(2, ...told(base, second));
  const [shown] = await showDiff(now, { viewer, before });
  expect(shown).toMatchObject({ path: "story.txt", index: 0, additions: 2, deletions: 1 });
  const lines = shown?.hunks?.flatMap((hunk) => hunk.lines) ?? [];
  expect(lines.filter(([kind]) => kind !== "s")).toEqual([
    ["d", 51, null, "fifty"],
    ["a", null, 51, "50"],
    ["a", null, 52, "and one"],
  ]);
  expect(lines).toHaveLength(9);
  expect((await showFile(now, 0, { viewer, before }))?.hunks).toEqual(shown?.hunks);
});

it("A diff since an earlier attempt shows files that are again as they were before the work", async () => {
  const touched = told("one\ntwo\nthree\n", "one\n2\nthree\n");
  const [gone] = await showDiff(diff(2), { viewer, before: diff(1, ...touched, addedFile("new", "x")) });
  expect(gone).toMatchObject({ path: "story.txt", index: 0, additions: 1, deletions: 1 });
  expect(gone?.note).toContain("Restored");
  const made = (await showDiff(diff(2), { viewer, before: diff(1, addedFile("new", "x")) }))[0];
  expect(made).toMatchObject({ path: "new", status: "deleted", additions: 0, deletions: 1 });
});

it("A file whose colors take too long leaves the others theirs", async () => {
  const slow = Array<string>(20).fill("let ".repeat(400));
  const shown = await showDiff(diff(1, addedFile("a.ts", "let a;"), addedFile("b.h", ...slow)), { viewer });
  const colored = shown.map(({ hunks }) => JSON.stringify(hunks).includes("hljs-"));
  expect(colored).toEqual([true, false]);
});

it("A rough comparison, made because other files took the time, is not kept for later reads", async () => {
  const text = (word: string, count: number) =>
    Array.from({ length: count }, (_, line) => `${word} ${line}\n`).join("");
  const named = (path: string, words: string) => told(null, words).map((each) => ({ ...each, path }));
  const [old, next] = [named("small", "a\nb\nc\n"), named("small", "x\nb\ny\n")];
  const before = diff(1, ...named("heavy", text("old", 2_000)), ...old);
  const now = diff(2, ...named("heavy", text("new", 1_000)), ...next);
  const small = (files: Awaited<ReturnType<typeof roundOf>>) =>
    files.find(({ file: { path } }) => path === "small")?.file;
  expect(small(await roundOf(before, now, viewer))).toMatchObject({ deletions: 3 });
  const alone = await roundOf(diff(1, ...old), diff(2, ...next), "someone else");
  expect(small(alone)).toMatchObject({ additions: 2, deletions: 2 });
  expect(small(await roundOf(before, now, viewer))).toEqual(small(alone));
});

it("A file that cannot be compared with the earlier attempt says it is compared with the work's start", async () => {
  const before = diff(1, ...told("a\nb\n", "a\nB\n"));
  const now = diff(2, ...told("c\nd\n", "c\nD\n"));
  expect((await showDiff(now, { viewer, before }))[0]).toMatchObject({ note: "Compared with where the work started." });
  const cut = diff(1, ...before.files.map((each) => ({ ...each, truncated: true })));
  const whole = diff(2, ...told("a\nb\n", "a\nBB\n"));
  expect((await showDiff(whole, { viewer, before: cut }))[0]?.note).toContain("where the work started");
});

it("A diff since an earlier attempt turns the earlier text into the later one, no matter what both changed", async () => {
  let seed = 7;
  const random = (below: number): number => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const edit = (lines: readonly string[]): string[] =>
    lines.flatMap((line) => {
      const turn = random(14);
      if (turn === 0) return [];
      if (turn === 1) return [`new ${random(5)}`];
      return turn === 2 ? [line, `more ${random(5)}`] : [line];
    });
  const text = (lines: readonly string[]): string =>
    lines.length === 0 ? "" : `${lines.join("\n")}${random(4) === 0 ? "" : "\n"}`;
  const rounds = roundsOf("CHANGE_ROUNDS", { whole: 60, short: 15 });
  for (let round = 0; round < rounds; round += 1) {
    const lines = Array.from({ length: random(40) }, () => `line ${random(6)}`);
    const base = round % 7 === 0 ? null : text(lines);
    const one = text(edit(lines));
    const two = text(edit(random(2) === 0 ? lines : edit(lines)));
    const [before, now] = [diff(1, ...told(base, one)), diff(2, ...told(base, two))];
    const changed = (await roundOf(before, now, viewer))[0]?.file.patch ?? "";
    expect(applied(one, changed), JSON.stringify({ base, one, two, changed })).toBe(two);
  }
});
