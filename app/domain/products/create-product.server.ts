import {
  type CreateProductInput,
  type ProductDetail,
  productDetailSchema,
} from "~/contract/product";
import { type Actor, callAs } from "~/db/rpc.server";

/** Creates a product that the caller owns (specification: Product). */
export function createProduct(actor: Actor, input: CreateProductInput): Promise<ProductDetail> {
  return callAs(
    actor,
    "create_product",
    {
      p_code: input.code,
      p_name: input.name,
      p_description: input.description,
      p_repo_url: input.repo_url,
      p_definition_of_done: input.definition_of_done,
      p_auto_pr: input.auto_pr,
      p_pr_strategy: input.pr_strategy,
      p_done_requires: input.done_requires,
      p_dependency_release: input.dependency_release,
    },
    productDetailSchema,
  );
}
