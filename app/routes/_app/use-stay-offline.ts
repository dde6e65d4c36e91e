import { useBlocker } from "@remix-run/react";
import { useEffect } from "react";
import { showToast } from "~/ui/toast";

/** Offline no other page can load, so navigation is blocked and the open page stays as it is. */
export function useStayOffline(): void {
  const blocker = useBlocker(() => !navigator.onLine);
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    blocker.reset();
    showToast("You are offline. Other pages open when you are connected.", "failed");
  }, [blocker]);
}
