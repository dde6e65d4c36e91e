import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { useEffect } from "react";
import type { Actor } from "~/db/rpc.server";
import { runIntent } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { useLive } from "~/live/live-provider";
import { setActiveProduct } from "~/nouns/accounts/operations.server";
import { createApiToken } from "~/nouns/api-tokens/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { createSampleProduct } from "~/nouns/transfers/operations.server";
import { useActionResult } from "~/ui/action-result";
import { FormErrors } from "~/ui/field";
import { PageHeader } from "~/ui/page-header";
import { demoLabel, findSample, readProgress } from "./progress.server";
import { type FreshToken, Steps } from "./steps";

// More than one call: each step is read where the earlier ones lead.
export const loader = personLoader(async ({ actor, context }) =>
  json({ progress: await readProgress(actor), origin: context.services.env.appOrigin }),
);

/** Prepares what the step needs, and returns the token for the command to copy. */
export const action = writeAction(async ({ actor, principal, form, context }) =>
  runIntent(form, {
    demo: async () => {
      const sample = await findSample(actor);
      const { id } = sample ?? (await createSampleProduct(context.services.database, principal.user_id));
      await setActiveProduct(actor, { product_id: id });
      await startFirstRun(actor);
      const { token } = await createApiToken(actor, { label: demoLabel });
      return json<FreshToken>({ step: "demo", token }, 201);
    },
    agent: async () => {
      const { token } = await createApiToken(actor, { label: "my agent" });
      return json<FreshToken>({ step: "agent", token }, 201);
    },
  }),
);

async function startFirstRun(actor: Actor): Promise<void> {
  const { sample } = await readProgress(actor);
  if (!sample?.sprintId || sample.run) return;
  await startSprintRun(actor, { sprint_id: sample.sprintId });
}

export const meta: MetaFunction = () => [{ title: "First steps · Backloom" }];

export default function StartPage() {
  const { progress, origin } = useLoaderData<typeof loader>();
  const answer = useActionResult<Partial<FreshToken> & { error?: string }>();
  useProgress();
  const fresh = answer?.step && answer.token ? { step: answer.step, token: answer.token } : undefined;
  return (
    <div className="mx-auto grid max-w-2xl gap-5">
      <PageHeader
        title="First steps"
        lead="Watch an agent work in about a minute, then connect yours. You can leave at any time and continue later."
      />
      <FormErrors errors={answer?.error ? [answer.error] : []} />
      <Steps progress={progress} origin={origin} fresh={fresh} />
    </div>
  );
}

/** The steps happen in a terminal or on other pages, so this page polls. */
function useProgress() {
  const { revalidate } = useLive();
  useEffect(() => {
    const timer = setInterval(revalidate, 3000);
    return () => clearInterval(timer);
  }, [revalidate]);
}
