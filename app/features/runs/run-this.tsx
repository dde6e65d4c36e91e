import { Form } from "@remix-run/react";
import { SubmitButton } from "~/ui/button";
import { WriteFields } from "~/ui/write-access";
import { runAddress } from "./run-address";

/** Starts a run of tasks or a story. Blockers are shown on a separate page. */
export function RunThis({
  productId,
  items,
  cures = [],
  label = "Run this",
}: {
  productId: string;
  items: readonly string[];
  /** Fixes that an earlier run of these items began with. */
  cures?: readonly string[];
  label?: string;
}) {
  return (
    <WriteFields quiet>
      <Form method="post" action={runAddress(productId, items)}>
        {cures.map((cure) => (
          <input key={cure} type="hidden" name="cure" value={cure} />
        ))}
        <SubmitButton tone="plain" pendingLabel="Starting…">
          {label}
        </SubmitButton>
      </Form>
    </WriteFields>
  );
}
