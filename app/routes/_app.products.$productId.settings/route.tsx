import { json, type MetaFunction } from "@remix-run/node";
import { Form, useLoaderData } from "@remix-run/react";
import type { Actor } from "~/db/rpc.server";
import type { Env } from "~/env.server";
import { DeleteProduct } from "~/features/products/delete-product";
import { productAction, productLoader } from "~/http/page-guards.server";
import { getBudgets } from "~/nouns/budgets/operations.server";
import { readIntakeHook } from "~/nouns/intake/intake-hook.server";
import { listLabels } from "~/nouns/labels/operations.server";
import { listWebhookDeliveries, listWebhooks } from "~/nouns/notices/operations.server";
import { getProduct } from "~/nouns/products/operations.server";
import { PressForm } from "~/ui/action-form";
import { useActionResult } from "~/ui/action-result";
import { Alert } from "~/ui/alert";
import { ButtonLink } from "~/ui/button";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { FormErrors } from "~/ui/field";
import { isolated } from "~/ui/isolated";
import { PageHeader } from "~/ui/page-header";
import { FilterLinks } from "~/ui/tabs";
import { WriteFields } from "~/ui/write-access";
import { ContractError } from "~/wire/errors";
import type { ProductDetail } from "~/wire/products/contract";
import { Intake } from "./intake";
import { Labels } from "./labels";
import { ProductBudgets } from "./product-budgets";
import { ProductFields, sections } from "./product-fields";
import { actOnProduct } from "./settings-action.server";
import { Webhooks } from "./webhooks";

export const loader = productLoader(async ({ actor, productId: product_id, context, params }) => {
  const shown = sections.find(([name]) => name === (params.section ?? "general"));
  if (!shown) throw new ContractError(404, "These settings have no such section.");
  const [section, title] = shown;
  // More than one call: each section reads only what it shows.
  const product = await getProduct(actor, { product_id });
  const isOwner = product.role === "OWNER";
  const connects = section === "integrations" && isOwner;
  return json({
    section,
    title,
    product,
    isOwner,
    labels: section === "general" ? (await listLabels(actor, { product_id })).labels : [],
    budgets: section === "automation" ? await getBudgets(actor, { product_id }) : null,
    intake: connects ? await readIntake(actor, product_id, context.services.env) : null,
    webhooks: connects ? await readWebhooks(actor, product_id) : [],
  });
});

async function readWebhooks(actor: Actor, product_id: string) {
  const { webhooks } = await listWebhooks(actor, { product_id });
  return Promise.all(
    webhooks.map(async (webhook) => {
      const page = await listWebhookDeliveries(actor, { webhook_id: webhook.id, limit: 20 });
      return { ...webhook, deliveries: page.deliveries.map(withoutPayload) };
    }),
  );
}

async function readIntake(actor: Actor, product_id: string, env: Env) {
  const hook = await readIntakeHook(actor, { product_id, secrets: env.sessionSecrets });
  if (hook === null) return null;
  const { key, ...shown } = hook;
  return { ...shown, address: key === null ? null : `${env.appOrigin}/hooks/in/${key}` };
}

type Delivery = Awaited<ReturnType<typeof listWebhookDeliveries>>["deliveries"][number];

const withoutPayload = ({ payload, ...delivery }: Delivery) => ({ ...delivery, title: payload.title });

export const action = productAction(async ({ actor, productId, form, request, context }) =>
  actOnProduct(actor, productId, form, request.url, context.services.env),
);

export const meta: MetaFunction = () => [{ title: "Product settings · Backloom" }];

export default function ProductSettingsPage() {
  const { section, title, product, isOwner, budgets, labels, intake, webhooks } = useLoaderData<typeof loader>();
  const answer = useActionResult<{ error?: unknown; secret?: string }>();
  const path = `/products/${product.id}/settings`;
  return (
    <div className="grid max-w-4xl gap-5">
      <PageHeader title="Settings" />
      <FilterLinks
        label="Sections"
        current={section}
        links={sections.map(([name, label]) => [name, label, name === "general" ? path : `${path}/${name}`])}
      />
      {isOwner ? null : <Alert title={`Only ${product.owner_username}, its owner, can change these.`} />}
      {/* Errors of a single field show beside it. */}
      <FormErrors errors={typeof answer?.error === "string" ? [answer.error] : []} />
      {section !== "integrations" && section !== "danger" ? (
        <ProductFields
          key={section}
          product={product}
          section={section}
          title={title}
          isOwner={isOwner}
          answer={answer}
        />
      ) : null}
      {section === "general" ? (
        <>
          <Section title="Files" about="Pictures, recordings and documents of this product, up to 1 GB.">
            <ButtonLink to={`/products/${product.id}/files`}>Show files</ButtonLink>
          </Section>
          <Labels labels={labels} />
        </>
      ) : null}
      {section === "agents" ? (
        <Section title="Lessons" about="What agents learned when their work came back.">
          <ButtonLink to={`/products/${product.id}/lessons`}>Show lessons</ButtonLink>
        </Section>
      ) : null}
      {budgets ? <ProductBudgets budgets={budgets} /> : null}
      {section === "integrations" ? (
        <Section
          title="Import"
          about="Import stories from Linear, GitHub, Jira, Trello, Backlog.md, Spec Kit, OpenSpec, beads or another Backloom."
        >
          <ButtonLink to={`/import?product=${product.id}`}>Import…</ButtonLink>
        </Section>
      ) : null}
      {section === "integrations" && isOwner ? (
        <>
          <Intake intake={intake} />
          <Webhooks webhooks={webhooks} secret={answer?.secret ?? null} />
        </>
      ) : null}
      {section === "danger" && isOwner ? <DangerZone product={product} /> : null}
    </div>
  );
}

function DangerZone({ product }: { product: ProductDetail }) {
  if (product.archived_at !== null) {
    return (
      <Section title="Archived" about="It is read-only. You can find it on your dashboard.">
        <div className="flex flex-wrap gap-2">
          <PressForm tone="primary" name="intent" value="restore">
            Restore this product
          </PressForm>
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
