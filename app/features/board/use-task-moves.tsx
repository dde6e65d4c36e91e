import { useFetcher, useFetchers, useSubmit } from "@remix-run/react";
import { useCallback, useEffect, useState } from "react";
import { changesPath, noteRefusal } from "~/features/items/use-changes";
import { type ActionResult, showResult } from "~/ui/action-result";
import { enhancedField } from "~/ui/form-fields";
import type { CardTask } from "./board-settings";

export const moveIntent = "move-task";

/** Form field with the lane a dropped card shows in until the server responds. */
export const laneField = "lane";

const keyOf = (taskId: string) => `move-${taskId}`;

type Wanted = Partial<Pick<CardTask, "status" | "group">>;

/** Returns the cards with pending moves applied. A refused move reverts only its own card. */
export function useOptimisticTasks(tasks: readonly CardTask[]): readonly CardTask[] {
  const wanted = new Map<string, Wanted>();
  const fetchers = useFetchers();
  const want = (id: string, next: Wanted) => wanted.set(id, { ...wanted.get(id), ...next });
  for (const { formData, formAction } of fetchers) {
    const status = textIn(formData, "status");
    const taskId = textIn(formData, "task_id");
    if (formData?.get("intent") === moveIntent && taskId && status) want(taskId, { status });
    if (formAction !== changesPath) continue;
    const group = textIn(formData, laneField);
    for (const item of formData?.getAll("thing") ?? []) {
      const id = String(item).replace("task:", "");
      if (status) want(id, { status });
      if (group === undefined) continue;
      want(id, { group });
      if (!formData?.has("assignee_id")) continue;
      // Assigning a task assigns its story.
      const story = tasks.find((task) => task.id === id)?.story_code;
      for (const task of tasks) if (task.story_code === story) want(task.id, { group });
    }
  }
  if (wanted.size === 0) return tasks;
  return tasks.map((task) => {
    const next = wanted.get(task.id);
    return next ? { ...task, ...next } : task;
  });
}

function textIn(form: FormData | undefined, name: string): string | undefined {
  const value = form?.get(name);
  return typeof value === "string" ? value : undefined;
}

/** Sends moves in the background. Render `trackers`: they report the results. */
export function useTaskMoves() {
  const submit = useSubmit();
  const [moved, setMoved] = useState<Readonly<Record<string, string>>>({});
  const move = useCallback(
    (task: Pick<CardTask, "id" | "code" | "status">, status: string) => {
      if (task.status === status) return;
      noteRefusal([`task:${task.id}`], null);
      setMoved((known) => ({ ...known, [task.id]: task.code }));
      submit(
        { intent: moveIntent, task_id: task.id, status, [enhancedField]: "1" },
        { method: "post", navigate: false, fetcherKey: keyOf(task.id) },
      );
    },
    [submit],
  );
  const trackers = Object.entries(moved).map(([taskId, code]) => (
    <MoveTracker key={taskId} taskId={taskId} code={code} />
  ));
  return { move, trackers };
}

/** Stays mounted as long as the board, so that the result of a move is always reported. */
function MoveTracker({ taskId, code }: { taskId: string; code: string }) {
  const { state, data } = useFetcher<ActionResult>({ key: keyOf(taskId) });
  useEffect(() => {
    if (state !== "idle" || !data) return;
    const { error } = data;
    noteRefusal([`task:${taskId}`], error ?? null);
    showResult(error ? { ...data, error: `${code} was not moved: ${error}` } : data);
  }, [state, data, code, taskId]);
  return null;
}
