import { useBlocker } from "@remix-run/react";
import { useEffect } from "react";
import { showToast } from "~/ui/toast";

const isOffline = () => !navigator.onLine;

/** Without network no other page can be read: the one that is open stays, with everything on it. */
export function useStayOffline(): void {
  const blocker = useBlocker(isOffline);
  useEffect(() => {
    if (blocker.state !== "blocked") return;
    blocker.reset();
    showToast("You are offline. Other pages open when you are connected.", "failed");
  }, [blocker]);
}
