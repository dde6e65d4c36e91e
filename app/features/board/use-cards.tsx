import { useSearchParams } from "@remix-run/react";
import { useEffect, useRef, useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { useSelected } from "~/features/items/selection";
import { useRefusals } from "~/features/items/use-changes";
import { useDoing } from "~/live/use-live-stream";
import { isHeld } from "~/ui/status";
import { useWriteAccess } from "~/ui/write-access";
import type { CardTask, DropTarget } from "./board-settings";
import { TaskCard } from "./task-card";

/** Returns a function that renders a card with its local state: agent activity, recent change, selection, move. */
export function useCards(
  productId: string,
  tasks: readonly CardTask[],
  dropTarget: DropTarget | null,
  onMove: (task: Pick<CardTask, "id" | "code" | "status">, status: string) => void,
) {
  const selected = useSelected();
  const refusals = useRefusals();
  const changed = useChangedTasks(tasks);
  const isAnyHeld = tasks.some(({ job_status }) => isHeld(job_status));
  const doing = useDoing(productId, isAnyHeld);
  const [params] = useSearchParams();
  const { canWrite } = useWriteAccess();
  const asked = useHydrated() ? null : params.get("move");
  return (task: CardTask) => (
    <TaskCard
      key={task.id}
      task={task}
      doing={doing.get(task.id)}
      draggable={canWrite}
      asked={asked === task.id}
      changed={changed.has(task.id)}
      moving={dropTarget?.moving === task.id}
      marked={selected.has(`task:${task.id}`)}
      refusal={refusals.get(`task:${task.id}`)}
      onMove={onMove}
    />
  );
}

const nothing: ReadonlySet<string> = new Set();

/** Returns the tasks whose state changed since the last render, for a short highlight. */
function useChangedTasks(tasks: readonly CardTask[]): ReadonlySet<string> {
  const before = useRef<Map<string, string> | null>(null);
  const [changed, setChanged] = useState<ReadonlySet<string>>(nothing);
  useEffect(() => {
    const now = new Map(tasks.map((task) => [task.id, `${task.status} ${task.job_status}`]));
    const known = before.current;
    before.current = now;
    if (!known) return;
    const different = [...now].filter(([id, state]) => known.get(id) !== state).map(([id]) => id);
    if (different.length === 0) return;
    setChanged(new Set(different));
    const timer = setTimeout(() => setChanged(nothing), 1600);
    return () => clearTimeout(timer);
  }, [tasks]);
  return changed;
}
