import type { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { applyCures, curesOfStart, keepCures } from "~/features/runs/run-cures.server";
import { startRun } from "~/nouns/sprint-runs/operations.server";
import { listStoryTasks } from "~/nouns/stories/operations.server";
import { getTaskDetail } from "~/nouns/tasks/operations.server";
import { canonicalId } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";
import type { Blocker, StartedRun, startForm } from "~/wire/sprint-runs/contract";

export type Start = { started: StartedRun } | { started: null; error: string; blockers: Blocker[]; chosen: string[] };

/** Starts a run of items (`task:id`, `story:id`) with the chosen options: a fix, or `without:` and an item. */
export async function startChosen(
  actor: Actor,
  productId: string,
  items: readonly string[],
  { chosen, ...said }: { chosen: string[] } & z.infer<typeof startForm>,
): Promise<Start> {
  const stories = items.filter((item) => item.startsWith("story:")).map(idOf);
  await applyCures(actor, productId, chosen, async () => stories);
  const without = chosen
    .filter((choice) => choice.startsWith("without:"))
    .map((choice) => choice.slice("without:".length));
  const [only] = items;
  const isStory = items.length === 1 && without.length === 0 && only?.startsWith("story:");
  const what = isStory ? { story_id: idOf(only ?? "") } : { task_ids: await tasksOf(actor, items, without) };
  try {
    return { started: await startRun(actor, { ...what, ...said, ...curesOfStart(chosen) }) };
  } catch (error) {
    return { started: null, ...keepCures(error, chosen) };
  }
}

async function tasksOf(actor: Actor, items: readonly string[], without: readonly string[]) {
  const [wanted, left] = await Promise.all([
    chosenTasks(actor, items),
    Promise.all(without.map((item) => tasksOfItem(actor, item))),
  ]);
  const out = new Set(left.flat().map(({ id }) => id));
  const ids = wanted.map(({ id }) => id).filter((id) => !out.has(id));
  if (ids.length === 0) throw new ContractError(409, "No task is left to run.");
  return ids;
}

type ChosenTask = { id: string; code: string; title: string; status: string };

/** Returns the tasks of the items, each once; of stories those still to do. */
export async function chosenTasks(actor: Actor, items: readonly string[]): Promise<ChosenTask[]> {
  const found = await Promise.all(
    items.map(async (item) => {
      const tasks = await tasksOfItem(actor, item);
      return item.startsWith("story:") ? tasks.filter(isToDo) : tasks;
    }),
  );
  return [...new Map(found.flat().map((task) => [task.id, task])).values()];
}

const isToDo = ({ status }: ChosenTask) => status !== "done" && status !== "review";

async function tasksOfItem(actor: Actor, item: string): Promise<ChosenTask[]> {
  if (item.startsWith("story:")) return listStoryTasks(actor, { story_id: idOf(item) });
  return [await getTaskDetail(actor, { task_id: idOf(item) })];
}

const idOf = (item: string): string => canonicalId(item.split(":")[1]);
