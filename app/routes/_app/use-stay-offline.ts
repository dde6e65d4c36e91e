import { useBlocker } from "@remix-run/react";
import { useEffect } from "react";
import { showToast } from "~/ui/toast";

/** Without network no other page can be read: the one that is open stays, with everything on it. */
export function useStayOffline(): void {
  const blocker = useBlocker(() => !navigator.onLine);
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    blocker.reset();
    showToast("You are offline. Other pages open when you are connected.", "failed");
  }, [blocker]);
}
