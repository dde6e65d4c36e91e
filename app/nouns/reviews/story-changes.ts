import { z } from "zod";
import { type DiffFile, type JobDiff, readFileSchema, restSchema } from "~/wire/agent-jobs/job-diff";
import { parsePatch } from "~/wire/agent-jobs/patch";
import { markedSchema } from "~/wire/reviews/marks";
import { joinPatches, patchText } from "./join-patches";

/** What a person said last of an attempt; null before anyone judged it. */
const verdict = z.enum(["approve", "request_changes"]).nullable();

/** An attempt at a task of the story with what it changed, in the order in which the changes were made. */
export const storyAttemptSchema = z.object({
  task: z.object({ id: z.string(), code: z.string(), title: z.string() }),
  /** Whether its task waits for a verdict; done ones can be judged as well. */
  waits: z.boolean(),
  job_id: z.string(),
  attempt: z.int(),
  verdict,
  base_sha: z.string(),
  head_sha: z.string(),
  /** Null where they are too many to be named with those of earlier attempts. */
  files: z.array(readFileSchema).nullable(),
});
export type StoryAttempt = z.infer<typeof storyAttemptSchema>;

export const storyAttemptsSchema = z.object({
  /** Tasks that are neither done nor wait for a verdict. */
  open_tasks: z.int(),
  attempts: z.array(
    storyAttemptSchema.extend({
      marked: z.array(markedSchema),
      /** How its agent explains it. */
      chapters: z.array(z.object({ title: z.string(), why: z.string().default("") })).nullable(),
    }),
  ),
});

/** A file of the story with the attempts that changed it; each hunk is under the first of them. */
const storyFileSchema = readFileSchema.extend({
  parts: z.array(
    z.object({ task_id: z.string(), job_id: z.string(), attempt: z.int(), path: z.string(), hunks: z.array(z.int()) }),
  ),
});
export type StoryFile = z.infer<typeof storyFileSchema>;

export const storyChangesSchema = z.object({
  /** Where the changes that no one has judged begin and end; null without any. */
  base_sha: z.string().nullable(),
  head_sha: z.string().nullable(),
  tasks: z.array(
    z.object({ id: z.string(), code: z.string(), job_id: z.string(), attempt: z.int(), judged: z.boolean() }),
  ),
  files: z.array(storyFileSchema),
  rest: restSchema,
});
export type StoryChanges = z.infer<typeof storyChangesSchema>;

export interface Step {
  of: StoryAttempt;
  file: z.infer<typeof readFileSchema>;
  /** Whether it is shown; what was judged is there only between others. */
  isShown: boolean;
}

/** What no one has approved of a story, and of each of its files the steps that made it, oldest first. */
export type StoryReview = { changes: StoryChanges; steps: Step[][] };

/** What no one has approved of a story, in one diff from where it begins; `paths` leaves out other files. */
export function reviewOfStory(attempts: readonly StoryAttempt[], paths?: readonly string[]): StoryReview {
  const newest = new Map(attempts.map((each) => [each.task.id, each]));
  // What was asked to be changed counts as a part of the attempt that changed it.
  const isOpen = ({ task, verdict: given }: StoryAttempt): boolean =>
    given === null || (given === "request_changes" && newest.get(task.id)?.verdict === null);
  const open = attempts.filter(isOpen);
  const shown = new Set(open);
  const from = attempts.findIndex((each) => shown.has(each));
  const to = attempts.findLastIndex((each) => shown.has(each));
  const between = attempts.slice(Math.max(from, 0), to + 1);
  const chains = chainsOf(between, shown).filter(
    (chain) => !paths || chain.some(({ file }) => paths.includes(file.path)),
  );
  const isRead = (chain: Step[]) => chain.every(({ file }) => !file.left_out);
  const files = chains.flatMap((chain) => (isRead(chain) ? joinedFile(chain) : null) ?? apart(chain));
  const changes = {
    base_sha: open[0]?.base_sha ?? null,
    head_sha: open.at(-1)?.head_sha ?? null,
    tasks: [...newest.values()].map(({ task: { id, code }, job_id, attempt, verdict: given }) => ({
      id,
      code,
      job_id,
      attempt,
      judged: given !== null,
    })),
    files: files.map(({ file }) => file),
    rest: [
      ...files
        .filter(({ file }) => file.left_out)
        .map(({ file: { path }, steps }) => ({ path, job_id: steps[0]?.of.job_id ?? "" })),
      ...open.filter((each) => each.files === null).map(({ job_id }) => ({ path: null, job_id })),
    ],
  };
  return { changes, steps: files.map(({ steps }) => steps) };
}

/** The changes of one attempt by itself, judged or not. */
export function reviewOfAttempt(diff: JobDiff | null): StoryReview {
  if (diff === null) return reviewOfStory([]);
  const { job_id, attempt, base_sha, head_sha, files } = diff;
  const task = { id: job_id, code: "", title: "" };
  return reviewOfStory([{ task, waits: false, job_id, attempt, verdict: null, base_sha, head_sha, files }]);
}

/** The steps of each file in their order, under the names that it had; judged ones only between others. */
function chainsOf(attempts: readonly StoryAttempt[], shown: ReadonlySet<StoryAttempt>): Step[][] {
  const chains: Step[][] = [];
  const byPath = new Map<string, Step[]>();
  for (const of of attempts) {
    const renamed: [string, Step[]][] = [];
    for (const file of of.files ?? []) {
      const before = file.status === "renamed" ? (file.old_path ?? file.path) : file.path;
      const known = file.status === "copied" ? undefined : byPath.get(before);
      const chain = known?.at(-1)?.of === of ? [] : (known ?? []);
      if (chain.length === 0) chains.push(chain);
      chain.push({ of, file, isShown: shown.has(of) });
      renamed.push([file.path, chain]);
      if (before !== file.path) byPath.delete(before);
    }
    for (const [path, chain] of renamed) byPath.set(path, chain);
  }
  return chains
    .map((chain) => {
      const isShown = (step: Step) => step.isShown;
      return chain.slice(Math.max(0, chain.findIndex(isShown)), chain.findLastIndex(isShown) + 1);
    })
    .filter(({ length }) => length > 0);
}

type JoinedFile = { file: StoryFile; steps: Step[] };

function apart(chain: readonly Step[]): JoinedFile[] {
  return chain
    .filter(({ isShown }) => isShown)
    .map((step) => {
      const hunks = [...parsePatch(step.file.patch ?? "").hunks.keys()];
      return { file: { ...step.file, parts: [partOf(step, hunks)] }, steps: [step] };
    });
}

const partOf = ({ of: { task, job_id, attempt }, file: { path } }: Step, hunks: number[]) => ({
  task_id: task.id,
  job_id,
  attempt,
  path,
  hunks,
});

/** What all steps did to a file together: nothing where the last one took all of it back. Null if they do not fit. */
function joinedFile(chain: Step[]): JoinedFile[] | null {
  const [first, last] = [chain[0], chain.at(-1)];
  if (!first || !last || chain.length === 1 || !chain.every(isText) || !isChain(chain)) return null;
  const joined = joinPatches(chain.map(({ file }) => file.patch ?? ""));
  if (joined === null) return null;
  const { file } = last;
  if (first.file.status === "added" && file.status === "deleted") return [];
  const isShownAt = (at: number) => chain[at]?.isShown === true;
  const open = joined.filter(({ by }) => [...by].some(isShownAt));
  const oldPath = chain.map((step) => step.file.old_path).find((path) => path !== undefined);
  const isRenamed = first.file.status !== "added" && oldPath !== undefined && oldPath !== file.path;
  if (open.length === 0 && !isRenamed) return [];
  const { old_path: _old, truncated: _cut, ...rest } = file;
  const counted = (kind: string) =>
    open.reduce((sum, { lines }) => sum + lines.filter((line) => line.kind === kind).length, 0);
  const status = statusOf(first.file, file, isRenamed);
  const parts = chain.flatMap((step, at) => {
    if (!step.isShown) return [];
    const isFirst = (by: ReadonlySet<number>) => Math.min(...[...by].filter(isShownAt)) === at;
    const hunks = open.flatMap(({ by }, n) => (isFirst(by) ? [n] : []));
    return [partOf(step, hunks)];
  });
  const joint = {
    ...rest,
    status,
    additions: counted("added"),
    deletions: counted("deleted"),
    parts,
    ...(isRenamed ? { old_path: oldPath } : {}),
    patch: `${headerOf(chain)}${patchText(open)}`,
  };
  return [{ file: joint, steps: chain }];
}

function isText({ file }: Step): boolean {
  const { patch, truncated, binary, status } = file;
  return patch !== undefined && !truncated && !binary && !["submodule", "type_changed", "copied"].includes(status);
}

/** Whether each step begins with the content that the one before left, as far as git names it. */
function isChain(chain: readonly Step[]): boolean {
  return chain.every(({ file }, at) => {
    const before = chain[at - 1];
    if (before === undefined) return true;
    const [, left] = blobsOf(before.file);
    const [found] = blobsOf(file);
    return left === undefined || found === undefined || left === found;
  });
}

function blobsOf({ patch = "" }: DiffFile): [string | undefined, string | undefined] {
  const [, before, after] = /^index ([0-9a-f]+)\.\.([0-9a-f]+)/m.exec(headOf(patch)) ?? [];
  return [before, after];
}

function headOf(patch: string): string {
  const end = patch.search(/^@@ /m);
  return end < 0 ? patch : patch.slice(0, end);
}

function statusOf(first: DiffFile, last: DiffFile, isRenamed: boolean): DiffFile["status"] {
  if (first.status === "added") return "added";
  if (last.status === "deleted") return "deleted";
  return isRenamed ? "renamed" : "modified";
}

/** The header that says most: of the step that made, renamed or deleted the file; with the content of both ends. */
function headerOf(chain: readonly Step[]): string {
  const files = chain.map(({ file }) => file);
  const telling =
    files.find(({ status }) => status !== "modified" && status !== "deleted") ??
    files.find(({ status }) => status === "deleted") ??
    files[0];
  const [before] = files[0] ? blobsOf(files[0]) : [];
  const last = files.at(-1);
  const [, after] = last ? blobsOf(last) : [];
  const head = headOf(telling?.patch ?? "");
  if (before === undefined || after === undefined) return head;
  return head.replace(/^index [0-9a-f]+\.\.[0-9a-f]+/m, `index ${before}..${after}`);
}
