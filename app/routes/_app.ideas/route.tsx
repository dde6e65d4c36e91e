import { json, type MetaFunction, redirect } from "@remix-run/node";
import { useLoaderData, useSearchParams } from "@remix-run/react";
import { ButtonLink } from "~/components/button";
import { EmptyState } from "~/components/empty-state";
import { PageHeader } from "~/components/page-header";
import { useRowKeys } from "~/components/page-keys";
import { createIdeaInput } from "~/contract/idea";
import { createIdea, listIdeas } from "~/domain/ideas/operations.server";
import { runForm } from "~/http/form-action.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { isCanonicalUuid } from "~/http/uuid";
import { ProductFilter } from "../_app/product-filter";
import { useShellData } from "../_app/shell-data";
import { IdeaCard } from "./idea-card";
import { IdeaTabs } from "./idea-tabs";
import { NewIdeaForm } from "./new-idea-form";

export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context }) => {
  const { actor } = await requireActor(request, context);
  const address = new URL(request.url).searchParams;
  const product = address.get("product") ?? "";
  const archived = address.get("state") === "archived";
  const page = await listIdeas(actor, {
    product_id: isCanonicalUuid(product) ? product : undefined,
    archived,
    limit: 100,
    cursor: address.get("after") ?? undefined,
  });
  return json({ ...page, archived, productId: product || null });
});

export const action = pageAction(async ({ request, context }) => {
  const { actor } = await requireWriter(request, context);
  return runForm(await request.formData(), createIdeaInput, async (input) => {
    const idea = await createIdea(actor, input);
    return redirect(`/ideas/${idea.id}`, 303);
  });
});

export const meta: MetaFunction = () => [{ title: "Ideas · Backloom" }];

export default function IdeasPage() {
  const { items, next_cursor, archived, productId } = useLoaderData<typeof loader>();
  const [params] = useSearchParams();
  const shell = useShellData();
  const products = shell?.products ?? [];
  const asked = params.get("panel") === "new";
  const creating = asked || (items.length === 0 && !archived);
  useRowKeys();
  return (
    <>
      <PageHeader
        title="Ideas"
        lead="Your own notes about what a product could become. Agents read the open ones with their context."
        actions={
          <>
            <ProductFilter productId={productId} />
            {creating ? null : (
              <ButtonLink to="?panel=new" tone="primary" data-create>
                New idea
              </ButtonLink>
            )}
          </>
        }
      />
      <IdeaTabs archived={archived} />
      <div className="grid gap-5">
        {creating && products.length > 0 ? (
          <NewIdeaForm
            key={asked ? "asked" : "first"}
            asked={asked}
            products={products}
            productId={productId ?? shell?.activeProductId ?? null}
          />
        ) : null}
        {items.length === 0 ? (
          <NoIdeas archived={archived} hasProducts={products.length > 0} />
        ) : (
          <ul className="grid gap-3 sm:grid-cols-2 2xl:grid-cols-3">
            {items.map((idea) => (
              <IdeaCard
                key={idea.id}
                idea={idea}
                product={products.find(({ id }) => id === idea.product_id)?.name}
              />
            ))}
          </ul>
        )}
      </div>
      {next_cursor ? (
        <p className="mt-4 text-center">
          <ButtonLink to={`?${archived ? "state=archived&" : ""}after=${next_cursor}`}>
            More
          </ButtonLink>
        </p>
      ) : null}
    </>
  );
}

function NoIdeas({ archived, hasProducts }: { archived: boolean; hasProducts: boolean }) {
  return (
    <EmptyState
      compact
      title={archived ? "Nothing archived" : "No ideas yet"}
      action={
        hasProducts ? null : (
          <ButtonLink to="/products/new" tone="primary" data-create>
            Create a product
          </ButtonLink>
        )
      }
    >
      {hasProducts
        ? "Note one, talk it through with an agent, and make it a PBI when it is ready."
        : "An idea belongs to a product."}
    </EmptyState>
  );
}
