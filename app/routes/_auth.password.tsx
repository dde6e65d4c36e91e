import { json, type MetaFunction, redirect } from "@remix-run/node";
import { Form, useLoaderData } from "@remix-run/react";
import { AuthFrame } from "~/features/accounts/auth-frame";
import { NewPasswordField } from "~/features/accounts/new-password-field";
import { runForm } from "~/http/form-action.server";
import { mustChangePassword, personLoader, writeAction } from "~/http/page-guards.server";
import { changePassword } from "~/nouns/accounts/passwords.server";
import { useActionResult } from "~/ui/action-result";
import { SubmitButton } from "~/ui/button";
import { TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { passwordChangeSchema } from "~/wire/accounts/contract";

/** Users with a temporary password must choose a new one here first. */
export const loader = personLoader(async ({ principal }) => {
  if (!mustChangePassword(principal)) throw redirect("/settings");
  return json({ username: principal.username });
});

export const action = writeAction(async ({ principal, form, context }) => {
  if (!mustChangePassword(principal)) throw redirect("/settings");
  return runForm(form, passwordChangeSchema, async (change) => {
    const { database } = context.services;
    await changePassword(database, principal, change, context.clientAddress);
    return redirect("/", 303);
  });
});

export const meta: MetaFunction = () => [{ title: "Choose a new password · Backloom" }];

export default function NewPasswordPage() {
  const { username } = useLoaderData<typeof loader>();
  const form = useServerForm<"current_password" | "new_password">({ lastResult: useActionResult() });
  return (
    <AuthFrame
      title="Choose a new password"
      lead={`An administrator gave ${username} a temporary password. Replace it to continue.`}
      footer={
        <Form method="post" action="/logout">
          <button type="submit" className="hover:text-ink hover:underline">
            Sign out instead
          </button>
        </Form>
      }
    >
      <ServerForm form={form}>
        <TextField
          label="Temporary password"
          type="password"
          autoComplete="current-password"
          required
          {...form.field("current_password")}
        />
        <NewPasswordField {...form.field("new_password")} />
        <SubmitButton size="lg" pendingLabel="Saving…">
          Save and continue
        </SubmitButton>
      </ServerForm>
    </AuthFrame>
  );
}
