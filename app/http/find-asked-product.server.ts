import { getShell } from "~/nouns/pages/operations.server";
import type { SignedIn } from "./page-guards.server";
import { isCanonicalUuid } from "./uuid";

/** The product of a page that shows one at a time: the one in its address, otherwise the active one, otherwise any. */
export async function findAskedProduct(
  request: Request,
  { actor, principal }: SignedIn,
): Promise<string | null> {
  const wanted = new URL(request.url).searchParams.get("product");
  if (wanted && isCanonicalUuid(wanted)) return wanted;
  const { products } = await getShell(actor, { active_product_id: null });
  const active = products.find(({ id }) => id === principal.active_product_id);
  return (active ?? products[0])?.id ?? null;
}
