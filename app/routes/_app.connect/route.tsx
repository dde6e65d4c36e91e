import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { PageHeader } from "~/components/page-header";
import { useAnswer } from "~/components/use-answer";
import { newApiTokenSchema } from "~/contract/api-token";
import { createApiToken } from "~/domain/api-tokens/create-api-token.server";
import { listApiTokens } from "~/domain/api-tokens/operations.server";
import { listAgentWorkers } from "~/domain/workers/operations.server";
import { runForm } from "~/http/form-action.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { useShellData } from "../_app/shell-data";
import { ClientSetups } from "./client-setups";
import { FirstCall } from "./first-call";
import { installedAgents } from "./installed-agents";
import { TokenStep } from "./token-step";
import { WhatAgentsTell } from "./what-agents-tell";

export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context }) => {
  const { actor, principal } = await requireActor(request, context);
  const [tokens, workers] = await Promise.all([listApiTokens(actor), listAgentWorkers(actor, {})]);
  const { workerFile, version } = context.services;
  return json({
    origin: context.services.env.appOrigin,
    installed: installedAgents(workers, principal.user_id),
    worker: workerFile && { version, sha256: workerFile.sha256 },
    tokens: tokens.map(({ id, label, last_used_at }) => ({ id, label, last_used_at })),
  });
});

export const action = pageAction(async ({ request, context }) => {
  const { actor } = await requireWriter(request, context);
  return runForm(await request.formData(), newApiTokenSchema, async (input) => {
    const { id, token } = await createApiToken(actor, input);
    return json({ id, token }, 201);
  });
});

export const meta: MetaFunction = () => [{ title: "Connect an agent · Backloom" }];

/** What stands for the token until there is one to show. */
const tokenPlaceholder = "YOUR-TOKEN";

export default function ConnectPage() {
  const { origin, installed, tokens, worker } = useLoaderData<typeof loader>();
  const { products = [], activeProductId } = useShellData() ?? {};
  const product = products.find(({ id }) => id === activeProductId) ?? products[0] ?? null;
  const fresh = useAnswer<{ id?: string; token?: string }>();
  const used = tokens.find(({ id }) => id === fresh?.id);
  return (
    <div className="mx-auto grid max-w-3xl gap-5">
      <PageHeader
        title="Connect an agent"
        lead="One token, one line to copy, and the first call shows up here."
      />
      <TokenStep token={fresh?.token ?? null} count={tokens.length} />
      <ClientSetups
        origin={origin}
        token={fresh?.token ?? tokenPlaceholder}
        product={product}
        installed={installed}
      />
      {worker ? (
        <p className="text-sm text-muted">
          <a href="/worker.mjs">The worker</a> {worker.version}, SHA-256{" "}
          <code className="break-all">{worker.sha256}</code>
        </p>
      ) : null}
      <FirstCall
        waiting={fresh?.id !== undefined}
        lastUsedAt={used?.last_used_at ?? null}
        earlier={tokens.some((token) => token.last_used_at !== null)}
      />
      <WhatAgentsTell />
    </div>
  );
}
