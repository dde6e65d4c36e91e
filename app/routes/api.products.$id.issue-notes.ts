import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { nextIssueNote } from "~/nouns/intake/operations.server";
import { nextIssueNoteBody } from "~/wire/intake/contract";

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
