import { Form } from "@remix-run/react";
import type { ProductDetail } from "~/contract/product";
import { DeleteProduct } from "~/features/products/delete-product";
import { ActionForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { WriteFields } from "~/ui/write-access";

export function DangerZone({ product }: { product: ProductDetail }) {
  if (product.archived_at !== null) {
    return (
      <Section title="Archived" about="It is read-only. You can find it on your dashboard.">
        <div className="flex flex-wrap gap-2">
          <ActionForm>
            <Button type="submit" tone="primary" name="intent" value="restore">
              Restore this product
            </Button>
          </ActionForm>
          <DeleteProduct product={product} />
        </div>
      </Section>
    );
  }
  return (
    <Section title="Archive">
      <WriteFields quiet className="flex flex-wrap gap-2">
        <Confirm
          trigger="Archive"
          question={`Archive ${product.name}?`}
          consequence="It becomes read-only and agents cannot see it until you restore it."
          confirmLabel="Archive"
        >
          {(buttons) => (
            <Form method="post">
              <input type="hidden" name="intent" value="archive" />
              {buttons}
            </Form>
          )}
        </Confirm>
        <DeleteProduct product={product} />
      </WriteFields>
    </Section>
  );
}
