import { useFetcher } from "@remix-run/react";
import { type ActionAnswer, ActionForm } from "~/components/action-form";
import { Button, SubmitButton } from "~/components/button";
import { Section } from "~/components/card";
import { SelectField, TextAreaField, TextField } from "~/components/field";
import { ServerForm, useServerForm } from "~/components/server-form";
import { WriteFields } from "~/components/write-access";
import type { Idea } from "~/contract/idea";

const steps = ["draft", "discussing", "ready"] as const;
const labels = { draft: "Draft", discussing: "Being discussed", ready: "Ready" } as const;

export function IdeaEdit({
  idea,
  products,
}: {
  idea: Idea;
  products: readonly { id: string; name: string }[];
}) {
  const fetcher = useFetcher<ActionAnswer>({ key: `edit-${idea.id}` });
  const form = useServerForm<"title" | "description" | "product_id" | "status">({
    lastResult: fetcher.data,
    defaultValue: {
      title: idea.title,
      description: idea.description,
      product_id: idea.product_id,
      status: idea.status,
    },
  });
  const at = idea.status === "planned" ? -1 : steps.indexOf(idea.status);
  return (
    <Section title="Edit">
      <ServerForm form={form} fetcher={fetcher}>
        <WriteFields className="grid gap-3">
          <input type="hidden" name="intent" value="update" />
          <TextField label="In one line" required {...form.field("title")} />
          <TextAreaField label="More about it" required={false} {...form.field("description")} />
          <SelectField
            label="Product"
            options={products.map(({ id, name }) => ({ value: id, label: name }))}
            {...form.field("product_id")}
          />
          {at === -1 ? null : (
            <SelectField
              label="State"
              description="It moves forward only."
              options={steps.slice(at).map((step) => ({ value: step, label: labels[step] }))}
              {...form.field("status")}
            />
          )}
          <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Saving…">
            Save
          </SubmitButton>
        </WriteFields>
      </ServerForm>
      <WriteFields quiet>
        <ActionForm className="mt-3 border-t border-line pt-3">
          <Button
            type="submit"
            size="sm"
            name="intent"
            value={idea.archived_at ? "restore" : "archive"}
          >
            {idea.archived_at ? "Take it out of the archive" : "Archive"}
          </Button>
        </ActionForm>
      </WriteFields>
    </Section>
  );
}
