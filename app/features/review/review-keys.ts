import { useNavigate } from "@remix-run/react";
import { useMemo } from "react";
import { usePageKeys } from "~/ui/page-keys";

/** `Shift+N` leads to the next review; `n` steps through the changes of this one. */
export function useNextKey(next: string | null): void {
  const navigate = useNavigate();
  const keys = useMemo(
    () =>
      next === null ? [] : [{ keys: "Shift+N", label: "Next review", run: () => navigate(`/jobs/${next}/changes`) }],
    [next, navigate],
  );
  usePageKeys("Reviews", keys);
}

/** One key a verdict: `Shift+A` presses the button that leads on, `Shift+R` begins to write what should change. */
export function useVerdictKeys(isOpen: boolean, leadsOn: boolean): void {
  const keys = useMemo(() => {
    const at = (selector: string) => document.querySelector<HTMLElement>(`#review ${selector}`);
    const verdict = leadsOn ? "approve_and_next" : "approve";
    const label = leadsOn ? "Approve and next" : "Approve";
    const approve = { keys: "Shift+A", label, run: () => at(`[value=${verdict}]`)?.click() };
    const ask = { keys: "Shift+R", label: "Say what should change", run: () => at("textarea")?.focus() };
    return isOpen ? [approve, ask] : [];
  }, [isOpen, leadsOn]);
  usePageKeys("Verdict", keys);
}
