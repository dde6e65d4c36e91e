import type { useFetcher } from "@remix-run/react";
import { useEffect, useState } from "react";
import type { ActionResult } from "~/ui/action-result";

/** Returns the number of successful submissions. Used as a key: a new number resets the form. */
export function useSent({ state, data }: ReturnType<typeof useFetcher<ActionResult>>): number {
  const [sent, setSent] = useState(0);
  const isDone = state === "idle" && data?.ok === true;
  useEffect(() => {
    if (isDone) setSent((before) => before + 1);
  }, [isDone]);
  return sent;
}
