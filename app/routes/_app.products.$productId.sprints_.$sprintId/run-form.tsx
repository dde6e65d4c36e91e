import { Form } from "@remix-run/react";
import { SubmitButton } from "~/ui/button";
import { WriteFields } from "~/ui/write-access";

/** Starts a run of this sprint with one click. */
export function RunForm({
  intent,
  label,
  id,
  cure,
}: {
  intent: string;
  label: string;
  id?: string;
  cure?: string;
}) {
  return (
    <WriteFields quiet>
      <Form method="post" id={id}>
        <input type="hidden" name="intent" value={intent} />
        <SubmitButton name="cure" value={cure} pendingLabel="Starting…">
          {label}
        </SubmitButton>
      </Form>
    </WriteFields>
  );
}
