import { useFetcher } from "@remix-run/react";
import type { Idea } from "~/contract/idea";
import { priorityOptions } from "~/features/items/lists/priority";
import type { ActionAnswer } from "~/ui/action-form";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { SelectField, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/rare/server-form";
import { WriteFields } from "~/ui/write-access";

/** An idea that is ready becomes a PBI, at once and with a link both ways. */
export function PromoteIdea({
  idea,
  products,
}: {
  idea: Idea;
  products: readonly { id: string; name: string }[];
}) {
  const fetcher = useFetcher<ActionAnswer>({ key: "promote-idea" });
  const form = useServerForm<"title" | "product_id" | "priority">({
    lastResult: fetcher.data,
    defaultValue: { title: idea.title, product_id: idea.product_id, priority: "3" },
  });
  return (
    <Section title="Promote to PBI">
      <details>
        <summary className="text-sm text-accent underline underline-offset-2 hover:decoration-2">
          Promote to PBI
        </summary>
        <ServerForm form={form} fetcher={fetcher} className="mt-3 grid gap-3">
          <WriteFields className="grid gap-3">
            <input type="hidden" name="intent" value="promote" />
            <TextField label="PBI title" {...form.field("title")} />
            <SelectField
              label="Product"
              options={products.map(({ id, name }) => ({ value: id, label: name }))}
              {...form.field("product_id")}
            />
            <SelectField label="Priority" options={priorityOptions()} {...form.field("priority")} />
            <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Promoting…">
              Promote
            </SubmitButton>
          </WriteFields>
        </ServerForm>
      </details>
    </Section>
  );
}
