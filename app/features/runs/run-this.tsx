import { Form } from "@remix-run/react";
import { SubmitButton } from "~/ui/button";
import { WriteFields } from "~/ui/write-access";
import { runAddress } from "./run-address";

/** Starts a run of tasks or a story. Blockers are shown on a separate page. */
export function RunThis({
  productId,
  items,
  label = "Run this",
}: {
  productId: string;
  items: readonly string[];
  label?: string;
}) {
  return (
    <WriteFields quiet>
      <Form method="post" action={runAddress(productId, items)}>
        <SubmitButton tone="plain" pendingLabel="Starting…">
          {label}
        </SubmitButton>
      </Form>
    </WriteFields>
  );
}
