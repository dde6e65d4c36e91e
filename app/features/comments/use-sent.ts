import type { useFetcher } from "@remix-run/react";
import { useEffect, useState } from "react";
import type { ActionResult } from "~/ui/action-result";

/** How often a form was sent with success: a new number empties it. */
export function useSent({ state, data }: ReturnType<typeof useFetcher<ActionResult>>): number {
  const [sent, setSent] = useState(0);
  const isDone = state === "idle" && data?.ok === true;
  useEffect(() => {
    if (isDone) setSent((before) => before + 1);
  }, [isDone]);
  return sent;
}
