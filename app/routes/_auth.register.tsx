import { json, type MetaFunction, redirect } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { registrationSchema } from "~/contract/account";
import { ContractError } from "~/contract/errors";
import { passwordMinLength } from "~/contract/password";
import { createSession } from "~/domain/accounts/create-session.server";
import { register } from "~/domain/accounts/register.server";
import { takeLimit } from "~/domain/accounts/take-limit.server";
import { AuthFrame } from "~/features/accounts/auth-frame";
import { addressLimitKey } from "~/http/client-address.server";
import { runForm } from "~/http/form-action.server";
import { findActor, pageAction, pageLoader } from "~/http/page-guards.server";
import { startSession } from "~/http/session-response.server";
import { signingInBrowser } from "~/http/signing-in-browser.server";
import { useActionResult } from "~/ui/action-result";
import { SubmitButton } from "~/ui/button";
import { TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/rare/server-form";

export const loader = pageLoader(async ({ request, context }) => {
  if (await findActor(request, context)) throw redirect("/dashboard");
  return json({ isOpen: context.services.env.registration === "open" });
});

export const action = pageAction(async ({ request, context }) => {
  const { database, env } = context.services;
  if (env.registration !== "open") throw new ContractError(403, howToGetIn);
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

const howToGetIn = "Registration is closed. Ask an administrator for an account.";

export const meta: MetaFunction = () => [{ title: "Create an account · Backloom" }];

export default function RegisterPage() {
  const { isOpen } = useLoaderData<typeof loader>();
  return isOpen ? <RegistrationForm /> : <ClosedDoor />;
}

/** Says how one gets in where nobody makes an account alone. */
function ClosedDoor() {
  return (
    <AuthFrame title="Request an account" lead={howToGetIn} footer={<SignInLink />}>
      <p className="text-sm text-muted">
        They create it with{" "}
        <code className="rounded-sm bg-raised px-1">npm run admin -- user create</code> and give you
        the user name and a temporary password.
      </p>
    </AuthFrame>
  );
}

function SignInLink() {
  return (
    <p>
      Already have an account?{" "}
      <Link to="/login" className="font-medium text-accent hover:underline">
        Sign in
      </Link>
    </p>
  );
}

function RegistrationForm() {
  const form = useServerForm<"username" | "email" | "password">({ lastResult: useActionResult() });
  return (
    <AuthFrame
      title="Create an account"
      lead="This account is for you. Your agents get their own tokens."
      footer={<SignInLink />}
    >
      <ServerForm form={form}>
        <TextField
          label="User name"
          description="Shown to others. Letters, digits, dots, underscores and hyphens."
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
