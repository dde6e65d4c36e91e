import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { newApiTokenSchema } from "~/contract/api-token";
import { createApiToken } from "~/domain/api-tokens/create-api-token.server";
import { listApiTokens, revokeApiToken } from "~/domain/api-tokens/operations.server";
import { done, runForm, runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { readId } from "~/http/read-id.server";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { SelectField, TextField } from "~/ui/field";
import { Notice } from "~/ui/notice";
import { CopyBlock } from "~/ui/rare/copy-button";
import { ServerForm, useServerForm } from "~/ui/rare/server-form";
import { useAnswer } from "~/ui/use-answer";
import { WriteFields } from "~/ui/write-access";
import { TokenList } from "./token-list";

export { shouldRevalidate } from "~/live/unreachable";

/** The token screen (specification: Authentication 1). */
export const loader = pageLoader(async ({ request, context }) => {
  const { actor } = await requireActor(request, context);
  const { env } = context.services;
  return json({ tokens: await listApiTokens(actor), origin: env.appOrigin });
});

export const action = pageAction(async ({ request, context }) => {
  const { actor } = await requireWriter(request, context);
  const form = await request.formData();
  return runIntent(form, {
    create: () =>
      runForm(form, newApiTokenSchema, async (input) => {
        const { token, label } = await createApiToken(actor, input);
        return json({ created: { token, label } }, { status: 201 });
      }),
    revoke: async () => {
      await revokeApiToken(actor, { token_id: readId(form, "token_id", "token") });
      return done(form, "/settings/tokens", "Token revoked");
    },
  });
});

export const meta: MetaFunction = () => [{ title: "API tokens · Backloom" }];

export default function TokensPage() {
  const { tokens, origin } = useLoaderData<typeof loader>();
  const answer = useAnswer<{ created?: { token: string; label: string } }>();
  const created = answer?.created;
  return (
    <div className="grid max-w-3xl gap-5">
      {created ? (
        <Notice tone="done" role="status" title={`Token “${created.label}” is ready`}>
          <p className="mb-2">Copy it now. It is shown only once.</p>
          <CopyBlock label="API token" text={created.token} />
          <p className="mt-3 mb-2">Try it:</p>
          <CopyBlock
            label="Products of this account"
            text={`curl -H "Authorization: Bearer ${created.token}" ${origin}/api/products`}
          />
        </Notice>
      ) : null}
      <NewTokenForm key={created?.token ?? "empty"} />
      <TokenList tokens={tokens} />
    </div>
  );
}

const lifetimes = [
  { value: "30", label: "30 days" },
  { value: "90", label: "90 days" },
  { value: "365", label: "1 year" },
  { value: "", label: "No expiry" },
];

function NewTokenForm() {
  const form = useServerForm<"label" | "expires_days">({
    lastResult: useAnswer(),
    defaultValue: { expires_days: "90" },
  });
  return (
    <Section
      title="New token"
      about="For an agent or a script. It can do what you can do until it expires or you revoke it."
    >
      <ServerForm form={form}>
        <input type="hidden" name="intent" value="create" />
        <WriteFields quiet className="grid gap-4 sm:grid-cols-[1fr_10rem_auto] sm:items-end">
          <TextField
            label="Name"
            placeholder="laptop worker"
            maxLength={100}
            required
            {...form.field("label")}
          />
          <SelectField label="Expires after" options={lifetimes} {...form.field("expires_days")} />
          <SubmitButton pendingLabel="Creating…">Create token</SubmitButton>
        </WriteFields>
      </ServerForm>
    </Section>
  );
}
