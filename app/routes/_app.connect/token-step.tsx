import { SubmitButton } from "~/components/button";
import { Section } from "~/components/card";
import { CopyBlock } from "~/components/copy-button";
import { TextField } from "~/components/field";
import { ServerForm, useServerForm } from "~/components/server-form";
import { useAnswer } from "~/components/use-answer";
import { WriteFields } from "~/components/write-access";

/** First step: a token, shown once, that the blocks below already contain. */
export function TokenStep({ token, count }: { token: string | null; count: number }) {
  const form = useServerForm<"label">({
    lastResult: useAnswer(),
    defaultValue: { label: "my agent" },
  });
  if (token) {
    return (
      <Section title="1. Your token" about="Shown this once. The blocks below contain it already.">
        <CopyBlock label="API token" text={token} />
      </Section>
    );
  }
  return (
    <Section
      title="1. Make a token"
      about={
        count === 0
          ? "An agent signs in with a token of yours and may do what you may."
          : "You have tokens already, but they cannot be shown again. Make one for this agent."
      }
    >
      <ServerForm form={form}>
        <WriteFields className="flex flex-wrap items-end gap-3">
          <div className="min-w-48 flex-1">
            <TextField label="Name" required {...form.field("label")} />
          </div>
          <SubmitButton size="lg" pendingLabel="Making…">
            Make a token
          </SubmitButton>
        </WriteFields>
      </ServerForm>
    </Section>
  );
}
