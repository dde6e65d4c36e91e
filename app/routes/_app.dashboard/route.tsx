import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ButtonLink } from "~/components/button";
import { Fact, Facts } from "~/components/card";
import { EmptyState } from "~/components/empty-state";
import { costsText } from "~/components/numbers";
import { PageHeader } from "~/components/page-header";
import { useRowKeys } from "~/components/page-keys";
import type { ProductOverview } from "~/contract/product";
import { getDashboard } from "~/domain/pages/operations.server";
import { listProductOverviews } from "~/domain/products/operations.server";
import { pageLoader, requireActor } from "~/http/page-guards.server";
import { AddedTo } from "./added-to";
import { type ArchivedProduct, ArchivedProducts } from "./archived-products";
import { ProductCard } from "./product-card";
import { WaitingForYou } from "./waiting-for-you";

export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context }) => {
  const { actor } = await requireActor(request, context);
  const [dashboard, archived] = await Promise.all([
    getDashboard(actor),
    listProductOverviews(actor, { archived: true }),
  ]);
  return json({ ...dashboard, archived: archived.flatMap(ownArchived) });
});

/** Only an owner can bring a product back, so only owners are shown what they put away. */
function ownArchived(product: ProductOverview): ArchivedProduct[] {
  const { id, code, name, archived_at, role } = product;
  return role === "OWNER" && archived_at !== null ? [{ id, code, name, archived_at }] : [];
}

export const meta: MetaFunction = () => [{ title: "Dashboard · Backloom" }];

export default function DashboardPage() {
  const {
    products,
    added_to,
    questions,
    reviews,
    costs_today,
    done_today,
    workers_online,
    archived,
  } = useLoaderData<typeof loader>();
  useRowKeys();
  return (
    <>
      <PageHeader
        title="Dashboard"
        actions={
          <ButtonLink to="/products/new" data-create>
            New product
          </ButtonLink>
        }
      />
      <AddedTo products={added_to} />
      {products.length === 0 ? (
        <EmptyState
          title="Nothing on the loom yet"
          action={
            <>
              <ButtonLink to="/start" tone="primary">
                Take the first steps
              </ButtonLink>
              <ButtonLink to="/products/new">Create a product</ButtonLink>
            </>
          }
        >
          A product holds the backlog that you and your agents share. The first steps take five
          minutes and end with an agent's finished task.
        </EmptyState>
      ) : (
        <div className="grid gap-5">
          <Facts>
            <Fact term="Done today">{done_today === 1 ? "1 task" : `${done_today} tasks`}</Fact>
            <Fact term="Cost today">{costsText(costs_today) ?? "none yet"}</Fact>
            <Fact term="Workers">
              {workers_online === 0 ? "none online" : `${workers_online} online`}
            </Fact>
          </Facts>
          <WaitingForYou questions={questions} reviews={reviews} />
          <div className="grid gap-4 sm:grid-cols-2 2xl:grid-cols-3">
            {products.map((product) => (
              <ProductCard key={product.id} product={product} />
            ))}
          </div>
        </div>
      )}
      <ArchivedProducts products={archived} />
    </>
  );
}
