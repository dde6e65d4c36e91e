import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { getImport } from "~/nouns/transfers/import-backlog.server";

export const loader = apiRoute({
  GET: operationEndpoint(getImport, {
    summary: "Get how far an import is, and its report at the end",
    input: ({ id }) => ({ import_id: id }),
  }),
});
