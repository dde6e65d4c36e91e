import { json } from "@remix-run/node";
import { Outlet, useLoaderData } from "@remix-run/react";
import { ProductAccess, useIsViewer } from "~/features/products/product-access";
import { productLoader } from "~/http/page-guards.server";
import { unlessOfPage } from "~/live/path-data";
import { getProduct } from "~/nouns/products/operations.server";
import { CountBadge } from "~/ui/badge";
import { NavTabs } from "~/ui/tabs";
import { WriteAccessNotice } from "~/ui/write-access";
import { productPages, productPath, triagePage } from "./_app/navigation";

export { RouteError as ErrorBoundary } from "~/ui/error-page";

export const loader = productLoader(async ({ actor, productId }) => {
  const product = await getProduct(actor, { product_id: productId });
  return json({
    id: productId,
    name: product.name,
    isOwner: product.role === "OWNER",
    archived: product.archived_at !== null,
    triage: product.triage_count,
    hasTriage: product.agent_items === "triage" || product.triage_count > 0,
  });
});

export const shouldRevalidate = unlessOfPage;

export default function ProductLayout() {
  const product = useLoaderData<typeof loader>();
  const isViewer = useIsViewer(product.id);
  return (
    <ProductAccess productId={product.id} archived={product.archived}>
      <div className="-mt-4">
        <NavTabs
          label={`Pages of ${product.name}`}
          tabs={[...productPages, ...(product.hasTriage ? [triagePage] : [])].map(({ page, label }) => ({
            to: productPath(product.id, page),
            label,
            ...(page === "triage" ? { count: <CountBadge count={product.triage} meaning="in triage" /> } : {}),
          }))}
        />
      </div>
      {product.archived || isViewer ? <WriteAccessNotice /> : null}
      <Outlet />
    </ProductAccess>
  );
}
