import { z } from "zod";
import { productSchema } from "~/wire/products/contract";
import type { WorkerOptions } from "../base/options";
import { WorkerProblem } from "../base/problems";
import type { Service } from "./service";

export type ServedProduct = z.output<typeof productSchema>;

/** Null for all that its user has enabled. A local repository is one product's: others' jobs must never run in it. */
export async function findServedProduct(
  { product, repo }: WorkerOptions,
  service: Service,
  signal: AbortSignal,
): Promise<ServedProduct | null> {
  if (product === undefined && repo === undefined) return null;
  const products = await service.read("/api/products", z.array(productSchema), { signal });
  const codes = products.map(({ code }) => code).join(", ") || "none";
  if (product === undefined) {
    const [only, another] = products;
    if (only !== undefined && another === undefined) return only;
    throw new WorkerProblem(`--repo serves one product: say which with --product (you have ${codes})`);
  }
  const wanted = product.trim().toLowerCase();
  const served = products.filter(({ id, code }) => id === wanted || code.toLowerCase() === wanted);
  if (served.length === 1 && served[0] !== undefined) return served[0];
  throw new WorkerProblem(
    served.length === 0
      ? `You have no product ${product} (yours: ${codes})`
      : `Several products have the code ${product}: give the id of one with --product`,
  );
}
