import { pullTextsSchema } from "~/nouns/pulls/contract";
import type { WorkerOptions } from "../base/options";
import type { ServedProduct } from "../service/served-product";
import type { Service } from "../service/service";

/** What will happen with pull requests, for the worker's first lines; null without `--pr`. */
export async function describePulls(
  { opensPulls, pullRequestCommand }: WorkerOptions,
  product: ServedProduct | null,
  service: Service,
): Promise<string | null> {
  if (!opensPulls && pullRequestCommand === undefined) return null;
  if (product === null) return "Opens pull requests for the products whose settings ask for them.";
  const path = `/api/products/${product.id}/pull-texts`;
  const { wanted, draft } = await service.read(path, pullTextsSchema);
  if (wanted === false) {
    return `Opens no pull requests: ${product.code} is set to "Do not open pull requests". Its owner can change this under Settings, Git host.`;
  }
  return draft
    ? "Opens pull requests as drafts until every criterion is proven."
    : "Opens pull requests ready for review.";
}
