import { useFetcher } from "@remix-run/react";
import type { FormEventHandler, ReactNode } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { type ActionResult, useResultToast } from "./action-result";
import { enhancedField } from "./enhanced-field";

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
  /** Prevented, it is not sent. */
  onSubmit?: FormEventHandler<HTMLFormElement>;
}) {
  const fetcher = useFetcher<ActionResult>(fetcherKey ? { key: fetcherKey } : undefined);
  const { state, data } = fetcher;
  useResultToast(data, onDone);
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
