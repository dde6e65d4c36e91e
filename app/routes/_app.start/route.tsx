import { json, type MetaFunction, redirect } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { useEffect } from "react";
import { setActiveProduct } from "~/domain/accounts/operations.server";
import { listProductOverviews } from "~/domain/products/operations.server";
import { createSampleProduct } from "~/domain/transfers/create-sample-product.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { useLive } from "~/live/live-provider";
import { useActionResult } from "~/ui/action-result";
import { FormErrors } from "~/ui/field";
import { PageHeader } from "~/ui/page-header";
import { readProgress } from "./progress.server";
import { Steps } from "./steps";

export const loader = pageLoader(async ({ request, context }) => {
  const { actor, principal } = await requireActor(request, context);
  return json(await readProgress(actor, principal.active_product_id));
});

/** Takes the sample product, or goes back to the own one that was taken before. */
export const action = pageAction(async ({ request, context }) => {
  const { actor, principal } = await requireWriter(request, context);
  const products = await listProductOverviews(actor);
  const earlier = products.find((product) => product.code === "SAMPLE" && product.role === "OWNER");
  const { id } =
    earlier ?? (await createSampleProduct(context.services.database, principal.user_id));
  await setActiveProduct(actor, { product_id: id });
  return redirect("/start", 303);
});

export const meta: MetaFunction = () => [{ title: "First steps · Backloom" }];

export default function StartPage() {
  const progress = useLoaderData<typeof loader>();
  const refusal = useActionResult<{ error?: string }>();
  useProgress(progress.finished);
  return (
    <div className="mx-auto grid max-w-2xl gap-5">
      <PageHeader
        title="First steps"
        lead="Set up Backloom and finish a first task with an agent in about five minutes. You can leave at any time and continue later."
      />
      <FormErrors errors={refusal?.error ? [refusal.error] : []} />
      <Steps progress={progress} />
    </div>
  );
}

/** The steps happen elsewhere, in a terminal or on another page; look again while somebody waits here. */
function useProgress(finished: boolean) {
  const { revalidate } = useLive();
  useEffect(() => {
    if (finished) return;
    const timer = setInterval(revalidate, 3000);
    return () => clearInterval(timer);
  }, [finished, revalidate]);
}
