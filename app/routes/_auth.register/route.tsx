import { json, type MetaFunction, redirect } from "@remix-run/node";
import { Link } from "@remix-run/react";
import { AuthFrame } from "~/components/auth-frame";
import { SubmitButton } from "~/components/button";
import { TextField } from "~/components/field";
import { ServerForm, useServerForm } from "~/components/server-form";
import { useAnswer } from "~/components/use-answer";
import { registrationSchema } from "~/contract/account";
import { passwordMinLength } from "~/contract/password";
import { createSession } from "~/domain/accounts/create-session.server";
import { register } from "~/domain/accounts/register.server";
import { takeLimit } from "~/domain/accounts/take-limit.server";
import { addressLimitKey } from "~/http/client-address.server";
import { runForm } from "~/http/form-action.server";
import { findActor, pageAction, pageLoader } from "~/http/page-guards.server";
import { startSession } from "~/http/session-response.server";
import { signingInBrowser } from "~/http/signing-in-browser.server";

export const loader = pageLoader(async ({ request, context }) => {
  if (await findActor(request, context)) throw redirect("/dashboard");
  return json(null);
});

export const action = pageAction(async ({ request, context }) => {
  const { database, env } = context.services;
  const form = await request.formData();
  return runForm(form, registrationSchema, async (registration) => {
    await takeLimit(database, "registration", addressLimitKey(context.clientAddress));
    const outcome = await register(database, registration, {
      appOrigin: env.appOrigin,
      address: context.clientAddress,
    });
    if (outcome.status === "confirmation_sent") return redirect("/login?notice=confirm", 303);
    const browser = await signingInBrowser(request, context);
    return startSession(
      await createSession(database, outcome.userId, browser),
      "/dashboard",
      context,
    );
  });
});

export const meta: MetaFunction = () => [{ title: "Create an account · Backloom" }];

export default function RegisterPage() {
  const form = useServerForm<"username" | "email" | "password">({ lastResult: useAnswer() });
  return (
    <AuthFrame
      title="Create an account"
      lead="For yourself; your agents get tokens of their own afterwards."
      footer={
        <p>
          Have an account?{" "}
          <Link to="/login" className="font-medium text-accent hover:underline">
            Sign in
          </Link>
        </p>
      }
    >
      <ServerForm form={form}>
        <TextField
          label="User name"
          description="What others see: letters, digits, dots, underscores and hyphens."
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          {...form.field("username")}
        />
        <TextField
          label="E-mail address"
          type="email"
          autoComplete="email"
          required
          {...form.field("email")}
        />
        <TextField
          label="Password"
          description={`At least ${passwordMinLength} characters.`}
          type="password"
          autoComplete="new-password"
          required
          {...form.field("password")}
        />
        <SubmitButton size="lg" pendingLabel="Creating…">
          Create account
        </SubmitButton>
      </ServerForm>
    </AuthFrame>
  );
}
