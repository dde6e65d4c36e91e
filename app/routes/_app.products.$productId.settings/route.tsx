import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { getBudgets } from "~/domain/budgets/operations.server";
import { listWebhookDeliveries, listWebhooks } from "~/domain/notices/operations.server";
import { getProduct } from "~/domain/products/operations.server";
import { pageAction, pageLoader, requireProduct, requireWriter } from "~/http/page-guards.server";
import { FormErrors } from "~/ui/field";
import { Notice } from "~/ui/notice";
import { useAnswer } from "~/ui/use-answer";
import { DangerZone } from "./danger-zone";
import { ProductBudgets } from "./product-budgets";
import { ProductFields } from "./product-fields";
import { actOnProduct } from "./settings-action.server";
import { Webhooks } from "./webhooks";

export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, productId } = await requireProduct(request, context, params);
  const [product, budgets] = await Promise.all([
    getProduct(actor, { product_id: productId }),
    getBudgets(actor, { product_id: productId }),
  ]);
  const isOwner = product.role === "OWNER";
  const { webhooks } = isOwner
    ? await listWebhooks(actor, { product_id: productId })
    : { webhooks: [] };
  const deliveries = await Promise.all(
    webhooks.map(async ({ id }) => {
      const page = await listWebhookDeliveries(actor, { webhook_id: id, limit: 20 });
      return page.deliveries;
    }),
  );
  return json({
    product,
    isOwner,
    budgets,
    webhooks: webhooks.map((webhook, index) => ({
      ...webhook,
      deliveries: (deliveries[index] ?? []).map(withoutPayload),
    })),
  });
});

type Delivery = Awaited<ReturnType<typeof listWebhookDeliveries>>["deliveries"][number];

function withoutPayload({ payload, ...delivery }: Delivery) {
  return { ...delivery, title: payload.title };
}

export const action = pageAction(async ({ request, context, params }) => {
  const { actor } = await requireWriter(request, context);
  const { productId } = await requireProduct(request, context, params);
  return actOnProduct(actor, productId, request);
});

export const meta: MetaFunction = () => [{ title: "Product settings · Backloom" }];

export default function ProductSettingsPage() {
  const { product, isOwner, budgets, webhooks } = useLoaderData<typeof loader>();
  const answer = useAnswer<{ error?: unknown; secret?: string }>();
  return (
    <div className="grid max-w-2xl gap-5">
      <h1 className="text-xl font-semibold tracking-tight">Settings</h1>
      {isOwner ? null : (
        <Notice title={`Only ${product.owner_username}, its owner, can change these.`} />
      )}
      {/* What is wrong with one form of the page stands beside its fields. */}
      <FormErrors errors={typeof answer?.error === "string" ? [answer.error] : []} />
      <ProductFields product={product} isOwner={isOwner} answer={answer} />
      <ProductBudgets budgets={budgets} />
      {isOwner ? (
        <>
          <Webhooks webhooks={webhooks} secret={answer?.secret ?? null} />
          <DangerZone product={product} />
        </>
      ) : null}
    </div>
  );
}
