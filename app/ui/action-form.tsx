import { useFetcher } from "@remix-run/react";
import type { ReactNode } from "react";
import type { Begin } from "./begin-waiting";
import { enhancedField } from "./enhanced-field";
import { useToldAnswer } from "./tell-answer";
import { useHydrated } from "./use-hydrated";

/** What an action answers to a small form: done, or the sentence that says why not. */
export interface ActionAnswer {
  ok?: boolean;
  message?: string;
  error?: string;
  /** What was done can be taken back. */
  undo?: boolean;
  /** It was refused because the task waits for others, and can be sent again, confirmed. */
  begin?: Begin;
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
  autoComplete?: "off";
  fetcherKey?: string;
  action?: string;
  onDone?: () => void;
}) {
  const fetcher = useFetcher<ActionAnswer>(fetcherKey ? { key: fetcherKey } : undefined);
  const { state, data } = fetcher;
  useToldAnswer(data, onDone);
  return (
    <fetcher.Form method="post" action={action} aria-busy={state !== "idle"} {...form}>
      <EnhancedField />
      {children}
    </fetcher.Form>
  );
}

/** Tells the action that script will handle its answer; a page without script does not say so. */
export function EnhancedField() {
  return useHydrated() ? <input type="hidden" name={enhancedField} value="1" /> : null;
}
