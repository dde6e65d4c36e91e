import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { nextIssueNoteBody } from "~/nouns/intake/contract";
import { nextIssueNote } from "~/nouns/intake/operations.server";

/** `POST /api/products/:id/issue-notes`: a worker claims the next comment or closing of an issue on the Git host. */
export const loader = apiRoute({
  POST: operationEndpoint(nextIssueNote, {
    summary: "Claim the next comment to write on an issue",
    auth: "bearer",
    body: nextIssueNoteBody,
    refusals: [429],
    input: ({ id, body }) => ({ product_id: id, ...body }),
  }),
});

export const action = loader;
