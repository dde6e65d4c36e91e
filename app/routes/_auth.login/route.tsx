import { json, type MetaFunction, redirect } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { providerOf } from "~/features/accounts/oidc-departure.server";
import { ProviderLink } from "~/features/accounts/provider";
import { useForgetRecentPages } from "~/features/places/recent-pages";
import { addressLimitKey } from "~/http/client-address.server";
import { runForm } from "~/http/form-action.server";
import { findActor, pageAction, pageLoader } from "~/http/page-guards.server";
import { safeRedirect } from "~/http/redirects.server";
import { signingInBrowser, startSession } from "~/http/signing-in.server";
import { logIn } from "~/nouns/accounts/log-in.server";
import { takeLimit, uncountIfAway } from "~/nouns/accounts/operations.server";
import { invitationCodeIn } from "~/nouns/products/invitation";
import { useActionResult } from "~/ui/action-result";
import { Alert } from "~/ui/alert";
import { SubmitButton } from "~/ui/button";
import { TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { Mark } from "~/ui/icon";
import { PageTitle } from "~/ui/page-header";
import { loginSchema } from "~/wire/accounts/contract";
import { PhonePanel } from "./phone-panel";

const notices: Readonly<Record<string, string>> = {
  confirm: "Almost done. Open the link in the message we sent you, in this browser, and choose your password.",
  reset: "Your password is set. Sign in with it.",
  "signed-out": "You are signed out.",
  confirmed: "Your email address is confirmed. Sign in.",
  late: "This link has expired. Sign in, or request a new link under “Forgot your password?”.",
};

export const loader = pageLoader(async ({ request, context }) => {
  const query = new URL(request.url).searchParams;
  const redirectTo = safeRedirect(query.get("redirectTo"));
  if (await findActor(request, context)) throw redirect(redirectTo);
  const { registration } = context.services.env;
  const isInvited = invitationCodeIn(redirectTo) !== undefined && registration === "invite";
  const isOpen = registration === "open" || isInvited;
  const provider = providerOf(context);
  return json({ redirectTo, isOpen, provider, notice: notices[noticeName(query)] ?? null });
});

/** Reads the redirects of Supabase Auth's emails: a code after confirmation, otherwise an error. */
function noticeName(query: URLSearchParams): string {
  if (query.has("error_code")) return "late";
  return query.has("code") ? "confirmed" : (query.get("notice") ?? "");
}

export const action = pageAction(async ({ request, context }) => {
  const { database } = context.services;
  // Counted before the form is validated: malformed attempts count too.
  const addressKey = `address:${addressLimitKey(context.clientAddress)}`;
  await takeLimit(database, "login", addressKey);
  const form = await request.formData();
  return runForm(form, loginSchema, async (login) => {
    const browser = await signingInBrowser(request, context);
    const session = await uncountIfAway(database, ["login", addressKey], () => logIn(database, login, browser));
    return startSession(session, safeRedirect(form.get("redirectTo")), context);
  });
});

export const meta: MetaFunction = () => [{ title: "Sign in · Backloom" }];

export default function LoginPage() {
  const { redirectTo, isOpen, provider, notice } = useLoaderData<typeof loader>();
  useForgetRecentPages();
  return (
    <main className="mx-auto grid min-h-dvh w-full max-w-3xl content-center gap-6 px-5 py-10">
      <div className="flex items-center gap-2 justify-self-center text-lg font-semibold tracking-tight">
        <Mark className="size-7" />
        Backloom
      </div>
      {notice ? <Alert role="status" title={notice} /> : null}
      <div className="grid overflow-hidden rounded-lg border border-line bg-surface md:grid-cols-[1fr_19rem]">
        <section className="grid content-start gap-5 p-6" aria-labelledby="by-password">
          <PageTitle id="by-password">Sign in</PageTitle>
          {provider ? <ProviderLink provider={provider} redirectTo={redirectTo} /> : null}
          <PasswordForm redirectTo={redirectTo} />
        </section>
        <PhonePanel redirectTo={redirectTo} />
      </div>
      <p className="justify-self-center text-sm text-muted">
        New here?{" "}
        <Link
          to={`/register?redirectTo=${encodeURIComponent(redirectTo)}`}
          className="font-medium text-accent hover:underline"
        >
          {isOpen ? "Create an account" : "Request an account"}
        </Link>
      </p>
    </main>
  );
}

/** Sign-in with username or email and password: a plain form, with or without JavaScript. */
function PasswordForm({ redirectTo }: { redirectTo: string }) {
  const form = useServerForm<"identifier" | "password">({ lastResult: useActionResult() });
  return (
    <ServerForm form={form} fields={{ redirectTo }}>
      <TextField
        label="Username or email address"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        autoFocus
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
          Forgot your password?
        </Link>
      </div>
    </ServerForm>
  );
}
