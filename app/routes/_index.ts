import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { hasOnlySample } from "~/features/products/first-day";
import { findActor } from "~/http/page-guards.server";
import { getShell } from "~/nouns/pages/operations.server";

/** Where a sign-in leads: the first steps while the sample is the only product, otherwise the dashboard. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const found = await findActor(request, context);
  if (!found) return redirect("/login");
  if (found.principal.is_demo) return redirect("/dashboard");
  const { products } = await getShell(found.actor, { active_product_id: null });
  return redirect(hasOnlySample(products) ? "/start" : "/dashboard");
}
