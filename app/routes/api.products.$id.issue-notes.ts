import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { nextIssueNote } from "~/nouns/intake/operations.server";
import { nextIssueNoteBody } from "~/wire/intake/contract";

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
