import { useState } from "react";
import type { Doing } from "~/contract/events";
import { isBacklogChange } from "./read-message";
import { backlogStream, useLiveStream } from "./use-live-stream";

/** What a product's agents are doing now, by job id and task id. Knows only what was sent since the page opened. */
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
