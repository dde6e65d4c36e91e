import { Form } from "@remix-run/react";
import type { ButtonSize } from "./button";
import { Confirm } from "./confirm";
import { TextField } from "./field";

/** Deletes a product for good; who presses it types its code once more. */
export function DeleteProduct({
  product,
  size,
}: {
  product: { id: string; code: string; name: string };
  size?: ButtonSize;
}) {
  return (
    <Confirm
      trigger="Delete"
      label={`Delete ${product.name}`}
      size={size}
      question={`Delete ${product.name} for good?`}
      consequence="Its PBIs, stories, tasks, sprints, runs and logs go with it. Export it first if in doubt."
      confirmLabel="Delete everything"
    >
      {(buttons) => (
        <Form method="post" action={`/products/${product.id}/settings`} className="grid gap-3">
          <input type="hidden" name="intent" value="delete" />
          <TextField
            id={`delete-${product.id}`}
            label={`Type ${product.code} to confirm`}
            name="code"
            required
            mono
            autoComplete="off"
          />
          {buttons}
        </Form>
      )}
    </Confirm>
  );
}
