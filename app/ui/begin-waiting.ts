import { useSubmit } from "@remix-run/react";
import { useCallback } from "react";
import { enhancedField } from "./enhanced-field";

/** A task that waits for others, and the status that it should get all the same. */
export interface Begin {
  task_id: string;
  status: string;
}

/** Under this key the answer arrives. */
export const beginKey = "begin-waiting";

/** Begins a task although it waits for others: the same change again, confirmed. */
export function useBeginWaiting(): (begin: Begin) => void {
  const submit = useSubmit();
  return useCallback(
    ({ task_id, status }) =>
      submit(
        { thing: `task:${task_id}`, status, confirmed: "1", [enhancedField]: "1" },
        { method: "post", action: "/changes", navigate: false, fetcherKey: beginKey },
      ),
    [submit],
  );
}
