import { useSubmit } from "@remix-run/react";
import { useCallback } from "react";
import { enhancedField } from "./form-fields";

/** A blocked task, and the status that it should get anyway. */
export interface Begin {
  task_id: string;
  status: string;
}

/** Fetcher key of the answer. */
export const startBlockedKey = "start-blocked";

/** Starts a blocked task: sends the same change again, confirmed. */
export function useStartBlocked(): (begin: Begin) => void {
  const submit = useSubmit();
  return useCallback(
    ({ task_id, status }) =>
      submit(
        { thing: `task:${task_id}`, status, confirmed: "1", [enhancedField]: "1" },
        { method: "post", action: "/changes", navigate: false, fetcherKey: startBlockedKey },
      ),
    [submit],
  );
}
