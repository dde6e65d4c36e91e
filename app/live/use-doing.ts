import { useState } from "react";
import type { Doing } from "~/contract/events";
import { isBacklogChange } from "./read-message";
import { backlogStream, useLiveStream } from "./use-live-stream";

/** What agents of a product do at the moment, by the id of the job and of its task, as far as it was told since the page is open. */
export function useDoing(productId: string, enabled: boolean): ReadonlyMap<string, Doing> {
  const [known, setKnown] = useState<ReadonlyMap<string, Doing>>(new Map());
  useLiveStream({
    url: enabled ? backlogStream(productId) : null,
    onSignal(signal) {
      if (signal.type !== "change" || !isBacklogChange(signal.data)) return;
      const { entity, id, task_id, doing } = signal.data;
      if (entity !== "job_output" || !doing) return;
      setKnown((before) => {
        const after = new Map(before).set(id, doing);
        return task_id ? after.set(task_id, doing) : after;
      });
    },
  });
  return known;
}
