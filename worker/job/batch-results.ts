import type { VerifyResult } from "~/wire/agent-jobs/contract";
import { type Guide, guideLimits } from "~/wire/reviews/guide";
import { Crossing } from "~/wire/reviews/line-crossing";
import { sendable } from "../base/sendable";
import { readDiff } from "../git/read-diff";
import type { Attempt } from "./attempt";

/** Verification results of tasks that earlier attempts finished. */
export function earlierResults({ job }: Pick<Attempt, "job">): VerifyResult[] {
  return (job.executions ?? []).flatMap(({ status, verify_result }) =>
    status === "done" && verify_result !== null ? [verify_result] : [],
  );
}

/** The worst result of a batch's tasks. EMPTY (already there) says nothing about the others, so it ranks last. */
export function worstOf(results: readonly VerifyResult[]): VerifyResult {
  return (["DIVERGENT", "PARTIAL", "ALIGNED"] as const).find((result) => results.includes(result)) ?? "EMPTY";
}

/** The guide of a task of a batch, and the commits between which the task was done. */
export type TaskGuide = { name: string; guide: Guide | undefined; base: string; head: string };

type Part = Guide[number]["parts"][number];

/** Chapters of its tasks, with lines where later tasks left them. One a task if it has no guide or too many. */
export async function guideOfBatch(
  folder: string,
  tasks: readonly TaskGuide[],
  head: string,
): Promise<Guide | undefined> {
  const guides: Guide[] = [];
  for (const task of tasks) guides.push(await chaptersOf(folder, task, head));
  const isLong = guides.flat().length > guideLimits.chapters;
  const guide = isLong ? guides.flatMap(asOne) : guides.flat();
  return guide.length === 0 ? undefined : guide.slice(0, guideLimits.chapters);
}

async function chaptersOf(folder: string, task: TaskGuide, end: string): Promise<Guide> {
  const { name, guide, base, head } = task;
  if (guide === undefined || guide.length === 0) {
    const files = await readDiff(folder, base, head);
    const parts = files.map(({ path }) => ({ path }));
    return parts.length === 0 ? [] : [{ title: titled(name), why: "", parts }];
  }
  const move = await mover(folder, head, end);
  return guide.map(({ title, parts, ...chapter }) => ({
    ...chapter,
    title: titled(`${name.split(" ")[0]} ${title}`),
    parts: parts.flatMap(move),
  }));
}

function asOne(chapters: Guide): Guide {
  const [first] = chapters;
  if (!first) return [];
  const why = chapters.map(({ title }) => title).join("\n");
  return [{ ...first, why: sendable(why, guideLimits.why), parts: chapters.flatMap(({ parts }) => parts) }];
}

const titled = (text: string) => sendable(text, guideLimits.title);

/** Moves a part to where its lines are at a later commit; without any of them left it is gone. */
async function mover(folder: string, from: string, to: string): Promise<(part: Part) => Part[]> {
  const files = from === to ? [] : await readDiff(folder, from, to);
  const later = new Map(files.map((file) => [file.old_path ?? file.path, file]));
  return (part) => {
    const file = later.get(part.path);
    if (file === undefined) return [part];
    const { path } = file;
    if (part.from === undefined && part.to === undefined) return [{ path }];
    const span = new Crossing(file.patch ?? "", "old").span(part.from ?? 1, part.to);
    return span === null ? [] : [{ path, ...span }];
  };
}
