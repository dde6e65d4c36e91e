import { useState } from "react";
import type { Doing } from "~/contract/events";
import { useBacklogStream } from "./use-backlog-stream";

/** What agents of a product do at the moment, by the id of the job and of its task, as far as it was told since the page is open. */
export function useDoing(productId: string, enabled: boolean): ReadonlyMap<string, Doing> {
  const [known, setKnown] = useState<ReadonlyMap<string, Doing>>(new Map());
  useBacklogStream(productId, {
    enabled,
    onResync: () => undefined,
    onChange({ entity, id, task_id, doing }) {
      if (entity !== "job_output" || !doing) return;
      setKnown((before) => {
        const after = new Map(before).set(id, doing);
        return task_id ? after.set(task_id, doing) : after;
      });
    },
  });
  return known;
}
