import { SubmitButton } from "~/components/button";
import { TextField } from "~/components/field";
import { ServerForm, useServerForm } from "~/components/server-form";
import { useAnswer } from "~/components/use-answer";
import { passwordMinLength } from "~/contract/password";

export function AskForm() {
  const form = useServerForm<"email">({ lastResult: useAnswer() });
  return (
    <ServerForm form={form}>
      <TextField
        label="E-mail address"
        type="email"
        autoComplete="email"
        required
        {...form.field("email")}
      />
      <SubmitButton size="lg" pendingLabel="Sending…">
        Send me a link
      </SubmitButton>
    </ServerForm>
  );
}

export function NewPasswordForm({ proof }: { proof: { kind: string; value: string } }) {
  const form = useServerForm<"new_password">({ lastResult: useAnswer() });
  return (
    <ServerForm form={form}>
      <input type="hidden" name="proof_kind" value={proof.kind} />
      <input type="hidden" name="proof" value={proof.value} />
      <TextField
        label="New password"
        description={`At least ${passwordMinLength} characters. All your sessions end.`}
        type="password"
        autoComplete="new-password"
        required
        {...form.field("new_password")}
      />
      <SubmitButton size="lg" pendingLabel="Saving…">
        Save password
      </SubmitButton>
    </ServerForm>
  );
}
