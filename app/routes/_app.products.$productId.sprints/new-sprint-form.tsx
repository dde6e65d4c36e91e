import { ButtonLink, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { TextAreaField, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/rare/server-form";
import { useAnswer } from "~/ui/use-answer";
import { WriteFields } from "~/ui/write-access";

export function NewSprintForm({ cancelTo }: { cancelTo: string | null }) {
  const form = useServerForm<"sprint_goal" | "start_date" | "end_date">({
    lastResult: useAnswer(),
  });
  return (
    <Section title="New sprint">
      <ServerForm form={form} className="grid max-w-xl gap-4">
        <WriteFields className="grid gap-4">
          <TextAreaField
            label="Goal"
            required={false}
            // Asked for by key or click it is what comes next; alone on the page it waits for the key.
            autoFocus={cancelTo !== null}
            data-create={cancelTo === null || undefined}
            rows={2}
            description="What should be true when the sprint ends?"
            {...form.field("sprint_goal")}
          />
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Start date"
              required={false}
              type="date"
              {...form.field("start_date")}
            />
            <TextField label="End date" required={false} type="date" {...form.field("end_date")} />
          </div>
          <div className="flex gap-2">
            <SubmitButton pendingLabel="Creating…">Create sprint</SubmitButton>
            {cancelTo ? (
              <ButtonLink to={cancelTo} data-close>
                Cancel
              </ButtonLink>
            ) : null}
          </div>
        </WriteFields>
      </ServerForm>
    </Section>
  );
}
