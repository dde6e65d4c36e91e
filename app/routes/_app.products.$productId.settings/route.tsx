import { json, type MetaFunction } from "@remix-run/node";
import { Form, useLoaderData } from "@remix-run/react";
import type { Actor } from "~/db/rpc.server";
import type { Env } from "~/env.server";
import { DeleteProduct } from "~/features/products/delete-product";
import { pageAction, pageLoader, requireProduct, requireWriter } from "~/http/page-guards.server";
import { getBudgets } from "~/nouns/budgets/operations.server";
import { readIntakeHook } from "~/nouns/intake/intake-hook.server";
import { listLabels } from "~/nouns/labels/operations.server";
import { listWebhookDeliveries, listWebhooks } from "~/nouns/notices/operations.server";
import type { ProductDetail } from "~/nouns/products/contract";
import { getProduct } from "~/nouns/products/operations.server";
import { ActionForm } from "~/ui/action-form";
import { useActionResult } from "~/ui/action-result";
import { Alert } from "~/ui/alert";
import { Button, ButtonLink } from "~/ui/button";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { FormErrors } from "~/ui/field";
import { isolated } from "~/ui/isolated";
import { WriteFields } from "~/ui/write-access";
import { Intake } from "./intake";
import { Labels } from "./labels";
import { ProductBudgets } from "./product-budgets";
import { ProductFields } from "./product-fields";
import { actOnProduct } from "./settings-action.server";
import { Webhooks } from "./webhooks";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, productId } = await requireProduct(request, context, params);
  const [product, budgets, { labels }] = await Promise.all([
    getProduct(actor, { product_id: productId }),
    getBudgets(actor, { product_id: productId }),
    listLabels(actor, { product_id: productId }),
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
    labels,
    intake: isOwner ? await readIntake(actor, productId, context.services.env) : null,
    webhooks: webhooks.map((webhook, index) => ({
      ...webhook,
      deliveries: (deliveries[index] ?? []).map(withoutPayload),
    })),
  });
});

async function readIntake(actor: Actor, product_id: string, env: Env) {
  const hook = await readIntakeHook(actor, { product_id, secrets: env.sessionSecrets });
  if (hook === null) return null;
  const { key, ...shown } = hook;
  return { ...shown, address: key === null ? null : `${env.appOrigin}/hooks/in/${key}` };
}

type Delivery = Awaited<ReturnType<typeof listWebhookDeliveries>>["deliveries"][number];

function withoutPayload({ payload, ...delivery }: Delivery) {
  return { ...delivery, title: payload.title };
}

export const action = pageAction(async ({ request, context, params }) => {
  const { actor } = await requireWriter(request, context);
  const { productId } = await requireProduct(request, context, params);
  return actOnProduct(actor, productId, request, context.services.env);
});

export const meta: MetaFunction = () => [{ title: "Product settings · Backloom" }];

export default function ProductSettingsPage() {
  const { product, isOwner, budgets, labels, intake, webhooks } = useLoaderData<typeof loader>();
  const answer = useActionResult<{ error?: unknown; secret?: string }>();
  return (
    <div className="grid max-w-2xl gap-5">
      <h1 className="text-xl font-semibold tracking-tight">Settings</h1>
      {isOwner ? null : (
        <Alert title={`Only ${product.owner_username}, its owner, can change these.`} />
      )}
      {/* Errors of a single field show beside it. */}
      <FormErrors errors={typeof answer?.error === "string" ? [answer.error] : []} />
      <ProductFields product={product} isOwner={isOwner} answer={answer} />
      <Section
        title="Import"
        about="Import stories from Linear, GitHub, Jira, Trello, Backlog.md or another Backloom."
      >
        <ButtonLink to={`/import?product=${product.id}`}>Import…</ButtonLink>
      </Section>
      <Section
        title="Files"
        about="Pictures, recordings and documents of this product, up to 1 GB."
      >
        <ButtonLink to={`/products/${product.id}/files`}>Show files</ButtonLink>
      </Section>
      <Labels labels={labels} />
      <ProductBudgets budgets={budgets} />
      {isOwner ? (
        <>
          <Intake intake={intake} />
          <Webhooks webhooks={webhooks} secret={answer?.secret ?? null} />
          <DangerZone product={product} />
        </>
      ) : null}
    </div>
  );
}

function DangerZone({ product }: { product: ProductDetail }) {
  if (product.archived_at !== null) {
    return (
      <Section title="Archived" about="It is read-only. You can find it on your dashboard.">
        <div className="flex flex-wrap gap-2">
          <ActionForm>
            <Button type="submit" tone="primary" name="intent" value="restore">
              Restore this product
            </Button>
          </ActionForm>
          <DeleteProduct product={product} />
        </div>
      </Section>
    );
  }
  return (
    <Section title="Archive">
      <WriteFields quiet className="flex flex-wrap gap-2">
        <Confirm
          trigger="Archive"
          question={`Archive ${isolated(product.name)}?`}
          consequence="It becomes read-only and agents cannot see it until you restore it."
          confirmLabel="Archive"
        >
          {(buttons) => (
            <Form method="post">
              <input type="hidden" name="intent" value="archive" />
              {buttons}
            </Form>
          )}
        </Confirm>
        <DeleteProduct product={product} />
      </WriteFields>
    </Section>
  );
}
