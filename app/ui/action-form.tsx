import { useFetcher } from "@remix-run/react";
import type { FormEventHandler, ReactNode } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import type { ActionResult } from "./action-result";
import { enhancedField } from "./enhanced-field";
import { FormResult } from "./form-result";

/**
 * A small form that changes one thing. With script it is sent in the background and says why it was refused; without
 * script it is an ordinary post that returns to the page.
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
  return (
    <fetcher.Form method="post" action={action} aria-busy={state !== "idle"} {...form}>
      <EnhancedField />
      {children}
      <FormResult answer={data} isSending={state === "submitting"} onDone={onDone} />
    </fetcher.Form>
  );
}

/** Tells the action that script will handle its answer; a page without script does not say so. */
export function EnhancedField() {
  return useHydrated() ? <input type="hidden" name={enhancedField} value="1" /> : null;
}
