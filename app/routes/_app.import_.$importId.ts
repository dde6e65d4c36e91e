import { json } from "@remix-run/node";
import { personLoader } from "~/http/page-guards.server";
import { getImport } from "~/nouns/transfers/import-backlog.server";
import { canonicalId } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";

/** How far an import is, for the page that sent it: null while its file is read. */
export const loader = personLoader(async ({ actor, params }) => {
  const found = await getImport(actor, { import_id: canonicalId(params.importId) }).catch((error: unknown) => {
    if (error instanceof ContractError && error.status === 404) return { import: null };
    throw error;
  });
  return json(found, { headers: { "cache-control": "no-store" } });
});
