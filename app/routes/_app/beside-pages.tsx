import { useEffect, useRef } from "react";
import { AnswerTrackers } from "~/features/questions/answer-trackers";
import { secureOnly } from "~/secure-only";
import { useResultOf } from "~/ui/action-result";
import { startBlockedKey } from "~/ui/start-blocked";
import { undoKey } from "~/ui/use-undo";
import type { ShellData } from "./shell-data";
import { markTab } from "./tab-mark";
import { useKeptLook } from "./use-kept-look";
import { useLaterKeys } from "./use-later-keys";
import { useRecentPlaces } from "./use-recent-places";
import { useSavingMarks } from "./use-saving-marks";
import { useStayOffline } from "./use-stay-offline";

/** What goes on beside every page and no page waits for: it comes after the first script. */
export default function BesidePages({
  shell,
  product,
}: {
  shell: ShellData;
  product: { id: string; name: string } | undefined;
}) {
  useRecentPlaces(shell.user.id, product?.name);
  useLaterParts(product?.id);
  useTabMark(shell.inbox);
  useServiceWorker();
  useStayOffline();
  useLaterKeys();
  useSavingMarks();
  useKeptLook();
  // What the button of a message did.
  useResultOf(undoKey);
  useResultOf(startBlockedKey);
  return <AnswerTrackers />;
}

/** Shows the number of waiting items in the tab's title and icon. */
function useTabMark(count: number) {
  const marked = useRef(false);
  useEffect(() => {
    if (count === 0 && !marked.current) return;
    marked.current = true;
    markTab(count);
  }, [count]);
}

/** Offline page and push messages: see public/service-worker.js. */
function useServiceWorker() {
  useEffect(() => {
    secureOnly.serviceWorker?.register("/service-worker.js").catch(() => {
      // Private windows refuse it; the app works without.
    });
  }, []);
}

/** Loads overlays and preloading when the browser is idle, so that typing right after an overlay's key is not lost. */
function useLaterParts(productId: string | undefined) {
  useEffect(() => {
    let end: (() => void) | undefined;
    let isGone = false;
    const load = () =>
      void Promise.all([
        import("./preload-pages"),
        import("./palette/palette"),
        import("./keys-dialog"),
        import("~/ui/toasts"),
      ]).then(
        ([{ preloadPages }]) => {
          if (!isGone) end = preloadPages(productId);
        },
        () => {
          // Offline: they load again when first needed.
        },
      );
    // Safari has no requestIdleCallback.
    const handle = "requestIdleCallback" in window ? requestIdleCallback(load) : load();
    return () => {
      isGone = true;
      end?.();
      if (typeof handle === "number") cancelIdleCallback(handle);
    };
  }, [productId]);
}
