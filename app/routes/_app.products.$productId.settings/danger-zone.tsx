import { Form } from "@remix-run/react";
import { ActionForm } from "~/components/action-form";
import { Button } from "~/components/button";
import { Section } from "~/components/card";
import { Confirm } from "~/components/confirm";
import { DeleteProduct } from "~/components/delete-product";
import { WriteFields } from "~/components/write-access";
import type { ProductDetail } from "~/contract/product";

export function DangerZone({ product }: { product: ProductDetail }) {
  if (product.archived_at !== null) {
    return (
      <Section title="Archived" about="It can be read and not changed. Your dashboard lists it.">
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
    <Section title="Put it away">
      <WriteFields quiet className="flex flex-wrap gap-2">
        <Confirm
          trigger="Archive"
          question={`Archive ${product.name}?`}
          consequence="Nobody can change it until you restore it; agents stop seeing it."
          confirmLabel="Archive it"
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
