import { Form } from "@remix-run/react";
import type { ReactNode } from "react";
import { ButtonLink, SubmitButton } from "~/ui/button";
import { StatusIcon } from "~/ui/status";
import { WriteFields } from "~/ui/write-access";

/** Action result with the token, shown once in the command to copy. */
export interface FreshToken {
  step: "demo" | "agent";
  token: string;
}

/** One step. The next open one is highlighted. */
export function Step({
  title,
  text,
  done,
  isCurrent,
  children,
}: {
  title: string;
  text: string;
  done: boolean;
  isCurrent: boolean;
  children: ReactNode;
}) {
  return (
    <li
      aria-current={isCurrent ? "step" : undefined}
      className={`grid grid-cols-[1.5rem_minmax(0,1fr)] gap-x-2 rounded-lg border bg-surface p-4 ${isCurrent ? "border-accent" : "border-line"}`}
    >
      <StatusIcon tone={done ? "done" : isCurrent ? "progress" : "todo"} className="mt-1 size-4!" />
      <div className="grid min-w-0 gap-2">
        <h2 className="text-base font-semibold">
          {title}
          <span className="sr-only">{done ? ", done" : ""}</span>
        </h2>
        <p className="text-sm text-muted">{text}</p>
        {children}
      </div>
    </li>
  );
}

/** Only the next step is highlighted. */
const toneOf = (isCurrent: boolean) => (isCurrent ? "primary" : "plain");

/** A link to the next page of a step. */
export function Press({
  to,
  isCurrent = false,
  children,
}: {
  to: string;
  isCurrent?: boolean;
  children: ReactNode;
}) {
  return (
    <div>
      <ButtonLink to={to} tone={toneOf(isCurrent)}>
        {children}
      </ButtonLink>
    </div>
  );
}

/** A button that posts to this page. */
export function PressFor({
  intent,
  isCurrent,
  children,
}: {
  intent: FreshToken["step"];
  isCurrent: boolean;
  children: string;
}) {
  return (
    <WriteFields quiet>
      <Form method="post">
        <SubmitButton
          name="intent"
          value={intent}
          tone={toneOf(isCurrent)}
          pendingLabel="Preparing…"
        >
          {children}
        </SubmitButton>
      </Form>
    </WriteFields>
  );
}
