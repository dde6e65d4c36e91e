import { type AppLoadContext, json, type MetaFunction, redirect } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { AuthFrame } from "~/features/accounts/auth-frame";
import { NewPasswordField } from "~/features/accounts/new-password-field";
import { providerOf } from "~/features/accounts/oidc-departure.server";
import { ProviderLink } from "~/features/accounts/provider";
import { addressLimitKey } from "~/http/client-address.server";
import { runForm } from "~/http/form-action.server";
import { findActor, pageAction, pageLoader } from "~/http/page-guards.server";
import { recoveryCookies } from "~/http/recovery-cookies.server";
import { safeRedirect } from "~/http/redirects.server";
import { withCookies } from "~/http/session.server";
import { signingInBrowser, startSession } from "~/http/signing-in.server";
import { register } from "~/nouns/accounts/create-account.server";
import { createSession } from "~/nouns/accounts/log-in.server";
import { takeLimit, uncountIfAway } from "~/nouns/accounts/operations.server";
import { invitationCodeIn } from "~/nouns/products/invitation";
import { useActionResult } from "~/ui/action-result";
import { SubmitButton } from "~/ui/button";
import { TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { registrationSchema } from "~/wire/accounts/contract";
import { ContractError } from "~/wire/errors";

export const loader = pageLoader(async ({ request, context }) => {
  const wanted = new URL(request.url).searchParams.get("redirectTo");
  const redirectTo = safeRedirect(wanted);
  if (await findActor(request, context)) throw redirect(redirectTo);
  const isOpen = isOpenTo(invitationCodeIn(redirectTo), context);
  const settings = isOpen ? await context.services.database.authSettings() : null;
  const sendsLink = settings?.mailer_autoconfirm === false;
  const provider = providerOf(context);
  return json({ redirectTo, isOpen, sendsLink, lead: howToGetIn(context), provider });
});

/** An invitation link allows registration unless registration is closed. */
function isOpenTo(code: string | undefined, { services }: AppLoadContext): boolean {
  const { registration } = services.env;
  return registration === "open" || (registration === "invite" && code !== undefined);
}

export const action = pageAction(async ({ request, context }) => {
  const { database, env } = context.services;
  const form = await request.formData();
  const goTo = safeRedirect(form.get("redirectTo"));
  const code = invitationCodeIn(goTo);
  if (!isOpenTo(code, context)) throw new ContractError(403, howToGetIn(context));
  form.delete("redirectTo");
  const settings = await database.authSettings();
  const sendsLink = settings?.mailer_autoconfirm === false;
  const schema = sendsLink ? registrationSchema.omit({ password: true }) : registrationSchema;
  return runForm(form, schema, async (registration) => {
    const addressKey = addressLimitKey(context.clientAddress);
    await takeLimit(database, "registration", addressKey);
    const cookies = recoveryCookies(request, env);
    const client = database.formClient(context.clientAddress, cookies.methods);
    const ways = { settings, invitationCode: code, client, appOrigin: env.appOrigin };
    const account = await uncountIfAway(database, ["registration", addressKey], () =>
      register(database, registration, ways),
    );
    if (sendsLink || account === null) {
      return withCookies(redirect("/login?notice=confirm", 303), cookies.keep());
    }
    const browser = await signingInBrowser(request, context);
    return startSession(await createSession(database, account, browser), goTo, context);
  });
});

/** With `invite`, an owner's link is a way in. */
const howToGetIn = ({ services }: AppLoadContext): string =>
  services.env.registration === "invite"
    ? "Accounts are made by invitation. Ask the owner of a product for an invitation link, or an administrator for an account."
    : "Registration is closed. Ask an administrator for an account.";

export const meta: MetaFunction = () => [{ title: "Create an account · Backloom" }];

export default function RegisterPage() {
  const { isOpen, sendsLink, lead, redirectTo, provider } = useLoaderData<typeof loader>();
  if (!isOpen) return <ClosedDoor lead={lead} />;
  return (
    <RegistrationForm redirectTo={redirectTo} sendsLink={sendsLink}>
      {provider ? <ProviderLink provider={provider} redirectTo={redirectTo} /> : null}
    </RegistrationForm>
  );
}

function ClosedDoor({ lead }: { lead: string }) {
  return (
    <AuthFrame title="Request an account" lead={lead} footer={<SignInLink />}>
      <p className="text-sm text-muted">
        An administrator creates an account with{" "}
        <code className="rounded-sm bg-raised px-1">npm run admin -- user create</code> and gives you the username and a
        temporary password.
      </p>
    </AuthFrame>
  );
}

function SignInLink({ redirectTo }: { redirectTo?: string }) {
  const to = redirectTo ? `/login?redirectTo=${encodeURIComponent(redirectTo)}` : "/login";
  return (
    <p>
      Already have an account?{" "}
      <Link to={to} className="font-medium text-accent hover:underline">
        Sign in
      </Link>
    </p>
  );
}

interface RegistrationFormProps {
  redirectTo: string;
  /** The password is chosen with the link of a message. */
  sendsLink: boolean;
  children: ReactNode;
}

function RegistrationForm({ redirectTo, sendsLink, children }: RegistrationFormProps) {
  const form = useServerForm<"username" | "email" | "password">({ lastResult: useActionResult() });
  return (
    <AuthFrame
      title="Create an account"
      lead="This account is for you. Your agents get their own tokens."
      footer={<SignInLink redirectTo={redirectTo} />}
    >
      {children}
      <ServerForm form={form} fields={{ redirectTo }}>
        <TextField
          label="Username"
          description="Shown to others. Letters, digits, dots, underscores and hyphens."
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          {...form.field("username")}
        />
        <TextField
          label="Email address"
          description={sendsLink ? "We send you a link to choose your password." : undefined}
          type="email"
          autoComplete="email"
          required
          {...form.field("email")}
        />
        {sendsLink ? null : <NewPasswordField label="Password" {...form.field("password")} />}
        <SubmitButton size="lg" pendingLabel="Creating…">
          Create account
        </SubmitButton>
      </ServerForm>
    </AuthFrame>
  );
}
