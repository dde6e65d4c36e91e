import { useNavigate } from "@remix-run/react";
import { useMemo } from "react";
import { usePageKeys } from "~/ui/page-keys";

/** `Shift+N` and `Shift+P` lead through the queue from this review on; `n` and `p` step through its changes. */
export function useNextKey({ next, before }: { next: string | null; before: string | null }): void {
  const navigate = useNavigate();
  const keys = useMemo(() => {
    const way = (keys: string, label: string, to: string | null) =>
      to === null ? [] : [{ keys, label, run: () => navigate(to) }];
    return [...way("Shift+N", "Next review", next), ...way("Shift+P", "Previous review", before)];
  }, [next, before, navigate]);
  usePageKeys("Reviews", keys);
}

/** `Shift+A` presses the button that approves; `Shift+R` begins to write what should change, `Ctrl+Enter` sends it. */
export function useVerdictKeys(isOpen: boolean, leadsOn: boolean, write: () => void): void {
  const keys = useMemo(() => {
    const press = (selector: string) => document.querySelector<HTMLElement>(`#review ${selector}`)?.click();
    const isWriting = () => document.activeElement?.matches("#review textarea") ?? false;
    return isOpen
      ? [
          { keys: "Shift+A", label: leadsOn ? "Approve and next" : "Approve", run: () => press("[value^=approve]") },
          { keys: "Shift+R", label: "Say what should change", run: () => write() },
          {
            keys: "$mod+Enter",
            label: "Send what should change",
            whileTyping: true,
            // The palette presses it as well.
            run: (event?: KeyboardEvent) => (event && !isWriting() ? false : press("[value^=request_changes]")),
          },
        ]
      : [];
  }, [isOpen, leadsOn, write]);
  usePageKeys("Verdict", keys);
}
