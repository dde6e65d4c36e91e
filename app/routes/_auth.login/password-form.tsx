import { Link } from "@remix-run/react";
import { SubmitButton } from "~/components/button";
import { TextField } from "~/components/field";
import { ServerForm, useServerForm } from "~/components/server-form";
import { useAnswer } from "~/components/use-answer";

/** User name or e-mail address and password: an ordinary form post, with or without script. */
export function PasswordForm({ redirectTo }: { redirectTo: string }) {
  const form = useServerForm<"identifier" | "password">({ lastResult: useAnswer() });
  return (
    <ServerForm form={form}>
      <input type="hidden" name="redirectTo" value={redirectTo} />
      <TextField
        label="User name or e-mail address"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        {...form.field("identifier")}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="current-password"
        required
        {...form.field("password")}
      />
      <div className="flex flex-wrap items-center justify-between gap-3">
        <SubmitButton size="lg" pendingLabel="Signing in…">
          Sign in
        </SubmitButton>
        <Link to="/recover" className="text-sm text-muted hover:text-ink hover:underline">
          Forgot the password?
        </Link>
      </div>
    </ServerForm>
  );
}
