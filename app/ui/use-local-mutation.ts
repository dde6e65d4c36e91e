import { useFetchers, useNavigation } from "@remix-run/react";
import { useEffect, useRef } from "react";

/** Whether what the page shows now may be what its user has just done: a form, a link, and the answer to it. */
export function useLocalMutation(): boolean {
  const navigation = useNavigation();
  const isSending = useFetchers().some(({ formData }) => formData !== undefined);
  const isBusy = isSending || navigation.state !== "idle";
  // The answer comes in the very drawing in which nothing is under way any more.
  const wasBusy = useRef(isBusy);
  const isOwn = isBusy || wasBusy.current;
  useEffect(() => {
    wasBusy.current = isBusy;
  });
  return isOwn;
}
