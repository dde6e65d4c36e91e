import { useFetcher } from "@remix-run/react";
import type { FormEventHandler, ReactNode } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { type ActionResult, useResultToast } from "./action-result";
import { enhancedField } from "./enhanced-field";

/**
 * A small form that changes one thing. With script it is sent in the background and a refusal becomes
 * a message; without script it is an ordinary post that returns to the page.
 */
export function ActionForm({
  children,
  fetcherKey,
  action,
  onDone,
  refusal,
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
  /** Shows a refusal below the form's controls, where the form stays in view; otherwise it is a message in the corner. */
  refusal?: "here";
  /** Prevented, it is not sent. */
  onSubmit?: FormEventHandler<HTMLFormElement>;
}) {
  const fetcher = useFetcher<ActionResult>(fetcherKey ? { key: fetcherKey } : undefined);
  const { state, data } = fetcher;
  const here = refusal === "here" && state === "idle" ? data?.error : undefined;
  useResultToast(refusal === "here" && data?.error ? undefined : data, onDone);
  return (
    <fetcher.Form method="post" action={action} aria-busy={state !== "idle"} {...form}>
      <EnhancedField />
      {children}
      {here ? (
        <p role="alert" className="basis-full text-sm text-failed">
          {here}
        </p>
      ) : null}
    </fetcher.Form>
  );
}

/** Tells the action that script will handle its answer; a page without script does not say so. */
export function EnhancedField() {
  return useHydrated() ? <input type="hidden" name={enhancedField} value="1" /> : null;
}
