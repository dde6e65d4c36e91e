import { nextIssueNoteBody } from "~/contract/issue-note";
import { nextIssueNote } from "~/domain/issues/operations.server";
import { apiRoute } from "~/http/api-route.server";
import { operationEndpoint } from "~/http/operation-endpoint.server";

/** `POST /api/products/:id/issue-notes`: what a worker writes under an issue of the code host next. */
export const loader = apiRoute({
  POST: operationEndpoint(nextIssueNote, {
    name: "nextIssueNote",
    summary: "A worker takes what is to be written under an issue next; null when there is nothing",
    auth: "bearer",
    id: "product",
    body: nextIssueNoteBody,
    refusals: [429],
    input: ({ id, body }) => ({ product_id: id, ...body }),
  }),
});
export const action = loader;
