import { useFetcher } from "@remix-run/react";
import { passwordMinLength } from "~/contract/password";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/rare/server-form";
import { WriteFields } from "~/ui/write-access";
import { SavedNotice } from "./saved-notice";

export function PasswordForm() {
  const fetcher = useFetcher();
  const form = useServerForm<"current_password" | "new_password">({
    lastResult: fetcher.data,
    id: "password",
  });
  return (
    <Section title="Password" about="A new password signs you out on every other device.">
      <ServerForm form={form} fetcher={fetcher} action="/settings?index">
        <input type="hidden" name="intent" value="password" />
        <WriteFields quiet className="grid gap-4">
          <TextField
            label="Current password"
            type="password"
            autoComplete="current-password"
            required
            {...form.field("current_password")}
          />
          <TextField
            label="New password"
            description={`At least ${passwordMinLength} characters.`}
            type="password"
            autoComplete="new-password"
            required
            {...form.field("new_password")}
          />
          <div className="flex items-center gap-3">
            <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Changing…">
              Change password
            </SubmitButton>
            <SavedNotice data={fetcher.data} />
          </div>
        </WriteFields>
      </ServerForm>
    </Section>
  );
}
