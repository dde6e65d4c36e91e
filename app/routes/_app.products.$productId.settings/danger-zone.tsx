import { Form } from "@remix-run/react";
import { ActionForm } from "~/components/action-form";
import { Button } from "~/components/button";
import { Section } from "~/components/card";
import { Confirm } from "~/components/confirm";
import { TextField } from "~/components/field";
import { WriteFields } from "~/components/write-access";
import type { ProductDetail } from "~/contract/product";

export function DangerZone({ product }: { product: ProductDetail }) {
  if (product.archived_at !== null) {
    return (
      <Section title="Archived" about="It can be read and not changed.">
        <ActionForm>
          <Button type="submit" tone="primary" name="intent" value="restore">
            Restore this product
          </Button>
        </ActionForm>
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
        <Confirm
          trigger="Delete"
          question={`Delete ${product.name} for good?`}
          consequence="Its PBIs, stories, tasks, sprints, runs and logs go with it. Export it first if in doubt."
          confirmLabel="Delete everything"
        >
          {(buttons) => (
            <Form method="post" className="grid gap-3">
              <input type="hidden" name="intent" value="delete" />
              <TextField
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
      </WriteFields>
    </Section>
  );
}
