import { json, type MetaFunction, redirect } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { z } from "zod";
import { AuthFrame } from "~/features/accounts/auth-frame";
import { addressLimitKey } from "~/http/client-address.server";
import { runForm } from "~/http/form-action.server";
import { pageAction, pageLoader } from "~/http/page-guards.server";
import { recoveryCookies } from "~/http/recovery-cookies.server";
import { withCookies } from "~/http/session.server";
import { finishRecovery, proofKinds, proveRecovery, requestRecovery } from "~/nouns/accounts/passwords.server";
import { useActionResult } from "~/ui/action-result";
import { Alert } from "~/ui/alert";
import { SubmitButton } from "~/ui/button";
import { TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { emailSchema, passwordSchema } from "~/wire/accounts/contract";
import { passwordMinLength } from "~/wire/accounts/password";

const newPasswordSchema = z.object({
  proof_kind: z.enum(proofKinds),
  proof: z.string().min(1).max(1000),
  new_password: passwordSchema,
});

/** Account recovery by email, if Supabase can send it. The embedded stack cannot; there an administrator helps. */
export const loader = pageLoader(async ({ request, context }) => {
  const query = new URL(request.url).searchParams;
  const token = query.get("token_hash");
  const kind = token === null ? "code" : query.get("type") === "invite" ? "invite" : "token_hash";
  const value = token ?? query.get("code");
  const canSend = context.services.env.supabase !== undefined;
  const isLate = query.has("error_code");
  return json({ canSend, isLate, proof: value ? { kind, value } : null });
});

export const action = pageAction(async ({ request, context }) => {
  const { database, env } = context.services;
  const form = await request.formData();
  const cookies = recoveryCookies(request, env);
  const client = database.formClient(context.clientAddress, cookies.methods);
  if (form.has("proof")) {
    let kept: string[] = [];
    const answer = await runForm(form, newPasswordSchema, async (fields) => {
      const { proof: value, proof_kind: kind, new_password: password } = fields;
      let userId = await cookies.provenBy(value);
      if (userId === null) {
        userId = await proveRecovery(client, { kind, value });
        kept = [await cookies.keepProven(value, userId)];
      }
      await finishRecovery(database, { userId, password, address: context.clientAddress });
      kept = cookies.forget();
      return redirect("/login?notice=reset", 303);
    });
    return withCookies(answer, kept);
  }
  return runForm(form, z.object({ email: emailSchema }), async ({ email }) => {
    const addressKey = addressLimitKey(context.clientAddress);
    const recovery = { email, addressKey, returnTo: `${env.appOrigin}/recover` };
    await requestRecovery(database, client, recovery, (error) =>
      context.log.error({ err: error }, "the recovery message was not sent"),
    );
    await cookies.stored;
    return withCookies(json({ sent: true }), cookies.keep());
  });
});

export const meta: MetaFunction = () => [{ title: "Forgot your password · Backloom" }];

export default function RecoverPage() {
  const { canSend, isLate, proof } = useLoaderData<typeof loader>();
  const answer = useActionResult<{ sent?: boolean }>();
  const back = (
    <Link to="/login" className="font-medium text-accent hover:underline">
      Back to sign in
    </Link>
  );
  return (
    <AuthFrame title={proof ? "Choose a new password" : "Forgot your password?"} footer={back}>
      {proof ? (
        <NewPasswordForm proof={proof} />
      ) : answer?.sent ? (
        <Alert role="status" title="Check your email">
          If an account with this address exists, we sent it a link. Open the link in this browser.
        </Alert>
      ) : canSend ? (
        <>
          {isLate ? <Alert role="status" title="This link has expired. Request a new one." /> : null}
          <AskForm />
        </>
      ) : (
        <Alert title="This server does not send email">
          Ask an administrator to reset your password: on the administration page, or with{" "}
          <code className="font-mono text-xs">npm run admin -- user reset-password</code>.
        </Alert>
      )}
    </AuthFrame>
  );
}

function AskForm() {
  const form = useServerForm<"email">({ lastResult: useActionResult() });
  return (
    <ServerForm form={form}>
      <TextField label="Email address" type="email" autoComplete="email" required {...form.field("email")} />
      <SubmitButton size="lg" pendingLabel="Sending…">
        Send me a link
      </SubmitButton>
    </ServerForm>
  );
}

function NewPasswordForm({ proof }: { proof: { kind: string; value: string } }) {
  const form = useServerForm<"new_password">({ lastResult: useActionResult() });
  return (
    <ServerForm form={form} fields={{ proof_kind: proof.kind, proof: proof.value }}>
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
