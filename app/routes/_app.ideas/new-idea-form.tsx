import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { SelectField, TextAreaField, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/rare/server-form";
import { useAnswer } from "~/ui/use-answer";
import { WriteFields } from "~/ui/write-access";

export function NewIdeaForm({
  products,
  productId,
  asked,
}: {
  products: readonly { id: string; name: string }[];
  productId: string | null;
  /** Somebody asked for the form, so it is what comes next; else it is there because nothing else is. */
  asked: boolean;
}) {
  const form = useServerForm<"title" | "description" | "product_id">({
    lastResult: useAnswer(),
    defaultValue: { product_id: productId ?? products[0]?.id },
  });
  return (
    <Section title="New idea">
      <ServerForm form={form} className="grid max-w-xl gap-4">
        <WriteFields className="grid gap-4">
          <TextField
            label="Title"
            required
            autoFocus={asked}
            data-create={!asked || undefined}
            {...form.field("title")}
          />
          <TextAreaField
            label="Description"
            required={false}
            description="Markdown."
            {...form.field("description")}
          />
          <SelectField
            label="Product"
            options={products.map(({ id, name }) => ({ value: id, label: name }))}
            {...form.field("product_id")}
          />
          <div>
            <SubmitButton pendingLabel="Creating…">Create idea</SubmitButton>
          </div>
        </WriteFields>
      </ServerForm>
    </Section>
  );
}
