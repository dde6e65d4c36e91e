import { useFetchers, useNavigation } from "@remix-run/react";
import { useEffect, useRef } from "react";

/** Whether the current render may result from the user's own action: a form, a link, or the answer to one. */
export function useLocalMutation(): boolean {
  const navigation = useNavigation();
  const isSending = useFetchers().some(({ formData }) => formData !== undefined);
  const isBusy = isSending || navigation.state !== "idle";
  // The answer arrives in the same render in which nothing is pending any more.
  const wasBusy = useRef(isBusy);
  const isOwn = isBusy || wasBusy.current;
  useEffect(() => {
    wasBusy.current = isBusy;
  });
  return isOwn;
}
