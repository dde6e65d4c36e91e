import { useSearchParams } from "@remix-run/react";
import { isHeld } from "~/components/status";
import { useSelected } from "~/components/things/selection";
import { useHydrated } from "~/components/use-hydrated";
import { useWriteAccess } from "~/components/write-access";
import { useDoing } from "~/live/use-doing";
import type { Aim } from "./board";
import type { CardTask } from "./board-cards";
import { TaskCard } from "./task-card";
import { useChangedTasks } from "./use-changed-tasks";

/** Draws a card with all that is known of it here: what its agent does, what has changed, what is selected or moved. */
export function useCards(
  productId: string,
  tasks: readonly CardTask[],
  aim: Aim | null,
  onMove: (task: Pick<CardTask, "id" | "code" | "status">, status: string) => void,
) {
  const selected = useSelected();
  const changed = useChangedTasks(tasks);
  const isAnyHeld = tasks.some(({ job_status }) => isHeld(job_status));
  const doing = useDoing(productId, isAnyHeld);
  const [params] = useSearchParams();
  const { canWrite } = useWriteAccess();
  const asked = useHydrated() ? null : params.get("move");
  const card = (task: CardTask) => (
    <TaskCard
      key={task.id}
      task={task}
      doing={doing.get(task.id)}
      draggable={canWrite}
      asked={asked === task.id}
      changed={changed.has(task.id)}
      moving={aim?.moving === task.id}
      marked={selected.has(`task:${task.id}`)}
      onMove={onMove}
    />
  );
  // One that is worked on says since when.
  const cardKey = (task: CardTask) =>
    isHeld(task.job_status) || asked === task.id ? null : JSON.stringify(task);
  return { card, cardKey };
}
