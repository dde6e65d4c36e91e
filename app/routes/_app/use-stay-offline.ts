import { useEffect } from "react";
import { showToast } from "~/ui/toast";

const key = "offline";

/**
 * Without network no other page can be read: the one that is open stays, with everything on it. The router is asked
 * itself, since its hook would come with the first script.
 */
export function useStayOffline(): void {
  useEffect(() => {
    const router = window.__remixRouter;
    router.getBlocker(key, () => !navigator.onLine);
    const unsubscribe = router.subscribe(({ blockers }) => {
      const blocker = blockers.get(key);
      if (blocker?.state !== "blocked") return;
      blocker.reset();
      showToast("You are offline. Other pages open when you are connected.", "failed");
    });
    return () => {
      unsubscribe();
      router.deleteBlocker(key);
    };
  }, []);
}
