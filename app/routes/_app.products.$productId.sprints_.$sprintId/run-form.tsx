import { Form } from "@remix-run/react";
import { SubmitButton } from "~/ui/button";
import { WriteFields } from "~/ui/write-access";

/** Starts a run of this sprint with one click; without a label, by the buttons that name this form. */
export function RunForm({
  intent,
  label,
  id,
  cure,
  chosen = [],
  tone,
}: {
  intent: string;
  label?: string;
  id?: string;
  cure?: string;
  /** Fixes pressed before, which still count. */
  chosen?: readonly string[];
  tone?: "plain";
}) {
  return (
    <WriteFields quiet>
      <Form method="post" id={id}>
        <input type="hidden" name="intent" value={intent} />
        {chosen.map((word) => (
          <input key={word} type="hidden" name="cure" value={word} />
        ))}
        {label ? (
          <SubmitButton
            name="cure"
            value={cure}
            pendingLabel="Starting…"
            {...(tone ? { tone } : {})}
          >
            {label}
          </SubmitButton>
        ) : null}
      </Form>
    </WriteFields>
  );
}
