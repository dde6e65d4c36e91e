import { useFetcher, useFetchers, useSubmit } from "@remix-run/react";
import { useCallback, useEffect, useState } from "react";
import type { ActionAnswer } from "~/components/action-form";
import { enhancedField } from "~/components/enhanced-field";
import { tellAnswer } from "~/components/tell-answer";
import { changesPath } from "~/components/things/use-changes";
import type { CardTask } from "./board-cards";

export const moveIntent = "move-task";

const keyOf = (taskId: string) => `move-${taskId}`;

/** The cards as they will be when the moves under way succeed: a refused one falls back by itself, alone. */
export function useOptimisticTasks(tasks: readonly CardTask[]): readonly CardTask[] {
  const wanted = new Map<string, string>();
  const fetchers = useFetchers();
  for (const { formData, formAction } of fetchers) {
    const changed = formAction === changesPath ? formData?.get("status") : null;
    if (typeof changed === "string") {
      for (const thing of formData?.getAll("thing") ?? []) {
        wanted.set(String(thing).replace("task:", ""), changed);
      }
    }
    if (formData?.get("intent") !== moveIntent) continue;
    const taskId = formData.get("task_id");
    const status = formData.get("status");
    if (typeof taskId === "string" && typeof status === "string") wanted.set(taskId, status);
  }
  if (wanted.size === 0) return tasks;
  return tasks.map((task) => {
    const status = wanted.get(task.id);
    return status ? { ...task, status } : task;
  });
}

/** Sends a move in the background; `trackers` must be rendered, they report how it went. */
export function useTaskMoves(action?: string) {
  const submit = useSubmit();
  const [moved, setMoved] = useState<readonly { taskId: string; code: string }[]>([]);
  const move = useCallback(
    (task: Pick<CardTask, "id" | "code" | "status">, status: string) => {
      if (task.status === status) return;
      setMoved((known) =>
        known.some(({ taskId }) => taskId === task.id)
          ? known
          : [...known, { taskId: task.id, code: task.code }],
      );
      submit(
        { intent: moveIntent, task_id: task.id, status, [enhancedField]: "1" },
        { method: "post", action, navigate: false, fetcherKey: keyOf(task.id) },
      );
    },
    [submit, action],
  );
  const trackers = moved.map((entry) => <MoveTracker key={entry.taskId} {...entry} />);
  return { move, trackers };
}

/** Stays as long as the board does, so that an answer finds somebody who tells it. */
function MoveTracker({ taskId, code }: { taskId: string; code: string }) {
  const { state, data } = useFetcher<ActionAnswer>({ key: keyOf(taskId) });
  useEffect(() => {
    if (state !== "idle" || !data) return;
    const { error } = data;
    tellAnswer(error ? { ...data, error: `${code} stays where it was: ${error}` } : data);
  }, [state, data, code]);
  return null;
}
