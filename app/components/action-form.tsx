import { useFetcher } from "@remix-run/react";
import { type ReactNode, useEffect } from "react";
import { enhancedField } from "./enhanced-field";
import { showToast } from "./toast";
import { useHydrated } from "./use-hydrated";

/** What an action answers to a small form: done, or the sentence that says why not. */
export interface ActionAnswer {
  ok?: boolean;
  message?: string;
  error?: string;
}

/**
 * A small form that changes one thing. With script it is sent in the background and a refusal becomes
 * a message; without script it is an ordinary post that comes back to the page.
 */
export function ActionForm({
  children,
  fetcherKey,
  action,
  onDone,
  ...form
}: {
  children: ReactNode;
  id?: string;
  className?: string;
  "aria-label"?: string;
  fetcherKey?: string;
  action?: string;
  onDone?: () => void;
}) {
  const fetcher = useFetcher<ActionAnswer>(fetcherKey ? { key: fetcherKey } : undefined);
  const hydrated = useHydrated();
  const { state, data } = fetcher;
  useEffect(() => {
    if (state !== "idle" || !data) return;
    if (data.error) showToast(data.error, "failed");
    else if (data.message) showToast(data.message);
    if (data.ok) onDone?.();
  }, [state, data, onDone]);
  return (
    <fetcher.Form method="post" action={action} aria-busy={state !== "idle"} {...form}>
      {hydrated ? <input type="hidden" name={enhancedField} value="1" /> : null}
      {children}
    </fetcher.Form>
  );
}
