import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { CopyBlock } from "~/components/copy-button";
import { Notice } from "~/components/notice";
import { useAnswer } from "~/components/use-answer";
import { newApiTokenSchema } from "~/contract/api-token";
import { createApiToken } from "~/domain/api-tokens/create-api-token.server";
import { listApiTokens, revokeApiToken } from "~/domain/api-tokens/operations.server";
import { done, runForm, runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { readId } from "~/http/read-id.server";
import { NewTokenForm } from "./new-token-form";
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
          <p className="mb-2">Copy it now: it is not shown again.</p>
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
