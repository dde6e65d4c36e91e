import { useEffect, useRef, useState } from "react";
import type { CardTask } from "./board-cards";

const nothing: ReadonlySet<string> = new Set();

/** Which cards changed their place since the last look, for a short highlight. */
export function useChangedTasks(tasks: readonly CardTask[]): ReadonlySet<string> {
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
