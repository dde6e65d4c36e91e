import { z } from "zod";
import type { Database } from "~/db/database.server";
import { takeLimit } from "~/nouns/accounts/operations.server";
import { serviceOperation } from "~/nouns/operation.server";
import { fileIdInput } from "~/wire/files/contract";
import { grantedRoleSchema, productIdInput } from "~/wire/products/contract";
import { exportDocumentSchema, exportFormat, exportVersion } from "./export-document";
import { importDocument } from "./import-document.server";
import { sampleDocument } from "./sample-document";

/** Makes a user a member of a product on behalf of the operator. */
export const enrolMember = serviceOperation(
  "enrol_member",
  productIdInput.extend({ user_id: z.string(), role: grantedRoleSchema.optional() }),
  z.object({ product_id: z.uuid(), user_id: z.uuid() }),
);

/** Export document of a product (docs/export-format.md), or null if there is no such product. */
export const exportProduct = serviceOperation("export_product", productIdInput, exportDocumentSchema.nullable());

/** Returns the content of a file in base64, or null. */
export const exportFile = serviceOperation("export_file", fileIdInput, z.object({ content: z.string() }).nullable());

/** Finds a product by id, code or owner/code, for the admin command line; 404 or 409 with candidates. */
export const resolveProduct = serviceOperation(
  "resolve_product",
  z.object({ reference: z.string() }),
  z.object({ id: z.uuid(), code: z.string(), name: z.string(), owner_id: z.uuid() }),
);

/** Creates the sample product for a user's first steps: fully planned and ready to run. One per owner. */
export async function createSampleProduct(database: Database, ownerId: string): Promise<{ id: string }> {
  const document = exportDocumentSchema.parse({ format: exportFormat, version: exportVersion, ...sampleDocument });
  // Imports by the service are not counted, but this one is on behalf of a person.
  await takeLimit(database, "product", ownerId);
  const { id } = await importDocument(database, ownerId, document, { isTrusted: true });
  return { id };
}
