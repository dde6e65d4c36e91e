import { useFetcher } from "@remix-run/react";
import type { ActionAnswer } from "~/components/action-form";
import { SubmitButton } from "~/components/button";
import { Section } from "~/components/card";
import { SelectField, TextField } from "~/components/field";
import { priorityOptions } from "~/components/priority";
import { ServerForm, useServerForm } from "~/components/server-form";
import { WriteFields } from "~/components/write-access";
import type { Idea } from "~/contract/idea";

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
    <Section title="Make it a PBI">
      <details>
        <summary className="text-sm text-accent underline underline-offset-2 hover:decoration-2">
          It is ready for the backlog
        </summary>
        <ServerForm form={form} fetcher={fetcher} className="mt-3 grid gap-3">
          <WriteFields className="grid gap-3">
            <input type="hidden" name="intent" value="promote" />
            <TextField label="Title of the PBI" {...form.field("title")} />
            <SelectField
              label="Product"
              options={products.map(({ id, name }) => ({ value: id, label: name }))}
              {...form.field("product_id")}
            />
            <SelectField label="Priority" options={priorityOptions()} {...form.field("priority")} />
            <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Promoting…">
              Promote to a PBI
            </SubmitButton>
          </WriteFields>
        </ServerForm>
      </details>
    </Section>
  );
}
