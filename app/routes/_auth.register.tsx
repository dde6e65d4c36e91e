import { type AppLoadContext, json, type MetaFunction, redirect } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import type { ReactNode } from "react";
import { ContractError } from "~/contract/errors";
import type { Database } from "~/db/database.server";
import { AuthFrame } from "~/features/accounts/auth-frame";
import { NewPasswordField } from "~/features/accounts/new-password-field";
import { ProviderLink } from "~/features/accounts/provider";
import { addressLimitKey } from "~/http/client-address.server";
import { runForm } from "~/http/form-action.server";
import { providerOf } from "~/http/oidc-departure.server";
import { findActor, pageAction, pageLoader } from "~/http/page-guards.server";
import { safeRedirect } from "~/http/redirects.server";
import { signingInBrowser, startSession } from "~/http/signing-in.server";
import { registrationSchema } from "~/nouns/accounts/contract";
import { register } from "~/nouns/accounts/create-account.server";
import { createSession } from "~/nouns/accounts/log-in.server";
import { takeLimit } from "~/nouns/accounts/operations.server";
import { invitationCodeIn } from "~/nouns/products/invitation";
import {
  hashInvitationCode,
  joinProduct,
  reserveInvitation,
} from "~/nouns/products/invitations.server";
import { useActionResult } from "~/ui/action-result";
import { SubmitButton } from "~/ui/button";
import { TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";

export const loader = pageLoader(async ({ request, context }) => {
  const wanted = new URL(request.url).searchParams.get("redirectTo");
  const redirectTo = safeRedirect(wanted, "/dashboard");
  if (await findActor(request, context)) throw redirect(redirectTo);
  const isOpen = isOpenTo(invitationCodeIn(redirectTo), context);
  return json({ redirectTo, isOpen, lead: howToGetIn(context), provider: providerOf(context) });
});

/** An invitation link allows registration unless registration is closed. */
function isOpenTo(code: string | undefined, { services }: AppLoadContext): boolean {
  const { registration } = services.env;
  return registration === "open" || (registration === "invite" && code !== undefined);
}

export const action = pageAction(async ({ request, context }) => {
  const { database, env } = context.services;
  const form = await request.formData();
  const goTo = safeRedirect(form.get("redirectTo"), "/dashboard");
  const code = invitationCodeIn(goTo);
  if (!isOpenTo(code, context)) throw new ContractError(403, howToGetIn(context));
  form.delete("redirectTo");
  return runForm(form, registrationSchema, async (registration) => {
    await takeLimit(database, "registration", addressLimitKey(context.clientAddress));
    const where = { appOrigin: env.appOrigin, address: context.clientAddress };
    const signUp = () => register(database, registration, where);
    const outcome = code ? await withInvitation(database, code, signUp) : await signUp();
    if (outcome.status === "confirmation_sent") return redirect("/login?notice=confirm", 303);
    const browser = await signingInBrowser(request, context);
    const session = await createSession(database, outcome.userId, browser);
    if (!code) return startSession(session, goTo, context);
    const actor = { database, credential: { session_id: session.session_id } };
    const code_hash = hashInvitationCode(code);
    const { product_id } = await joinProduct(actor, { code_hash, reserved: true });
    return startSession(session, `/products/${product_id}/backlog`, context);
  });
});

/** A link is valid for one account: it is reserved during registration, and released if that fails. */
async function withInvitation<T>(
  database: Database,
  code: string,
  signUp: () => Promise<T>,
): Promise<T> {
  const code_hash = hashInvitationCode(code);
  await reserveInvitation(database, { code_hash });
  try {
    return await signUp();
  } catch (error) {
    await reserveInvitation(database, { code_hash, release: true });
    throw error;
  }
}

/** With `invite`, an owner's link is a way in. */
const howToGetIn = ({ services }: AppLoadContext): string =>
  services.env.registration === "invite"
    ? "Accounts are made by invitation. Ask the owner of a product for an invitation link, or an administrator for an account."
    : "Registration is closed. Ask an administrator for an account.";

export const meta: MetaFunction = () => [{ title: "Create an account · Backloom" }];

export default function RegisterPage() {
  const { isOpen, lead, redirectTo, provider } = useLoaderData<typeof loader>();
  if (!isOpen) return <ClosedDoor lead={lead} />;
  return (
    <RegistrationForm redirectTo={redirectTo}>
      {provider ? <ProviderLink provider={provider} redirectTo={redirectTo} /> : null}
    </RegistrationForm>
  );
}

/** Says how to get an account if registration is closed. */
function ClosedDoor({ lead }: { lead: string }) {
  return (
    <AuthFrame title="Request an account" lead={lead} footer={<SignInLink />}>
      <p className="text-sm text-muted">
        An administrator creates an account with{" "}
        <code className="rounded-sm bg-raised px-1">npm run admin -- user create</code> and gives
        you the username and a temporary password.
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

function RegistrationForm({ redirectTo, children }: { redirectTo: string; children: ReactNode }) {
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
          type="email"
          autoComplete="email"
          required
          {...form.field("email")}
        />
        <NewPasswordField label="Password" {...form.field("password")} />
        <SubmitButton size="lg" pendingLabel="Creating…">
          Create account
        </SubmitButton>
      </ServerForm>
    </AuthFrame>
  );
}
