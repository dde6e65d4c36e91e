import { Form } from "@remix-run/react";
import type { ButtonSize } from "~/ui/button";
import { Confirm } from "~/ui/confirm";
import { TextField } from "~/ui/field";
import { isolated } from "~/ui/isolated";

type DeleteProductProps = { product: { id: string; code: string; name: string }; size?: ButtonSize };

/** Deletes a product for good. The user must type its code. */
export function DeleteProduct({ product, size }: DeleteProductProps) {
  return (
    <Confirm
      trigger="Delete"
      label={`Delete ${product.name}`}
      size={size}
      question={`Delete ${isolated(product.name)} for good?`}
      consequence="This also deletes its PBIs, stories, tasks, sprints, runs and logs. Export the product first if you may need them."
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
