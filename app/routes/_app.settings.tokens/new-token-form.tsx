import { SubmitButton } from "~/components/button";
import { Section } from "~/components/card";
import { SelectField, TextField } from "~/components/field";
import { ServerForm, useServerForm } from "~/components/server-form";
import { useAnswer } from "~/components/use-answer";
import { WriteFields } from "~/components/write-access";

const lifetimes = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "", label: "no end" },
];

export function NewTokenForm() {
  const form = useServerForm<"label" | "expires_days">({
    lastResult: useAnswer(),
    defaultValue: { expires_days: "90" },
  });
  return (
    <Section
      title="New token"
      about="For an agent or a script. It may do what you may do, until it ends or you revoke it."
    >
      <ServerForm form={form}>
        <input type="hidden" name="intent" value="create" />
        <WriteFields quiet className="grid gap-4 sm:grid-cols-[1fr_10rem_auto] sm:items-end">
          <TextField
            label="Name"
            placeholder="laptop worker"
            maxLength={100}
            required
            {...form.field("label")}
          />
          <SelectField label="Good for" options={lifetimes} {...form.field("expires_days")} />
          <SubmitButton pendingLabel="Creating…">Create token</SubmitButton>
        </WriteFields>
      </ServerForm>
    </Section>
  );
}
