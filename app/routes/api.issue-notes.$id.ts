import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { reportIssueNote } from "~/nouns/intake/operations.server";
import { reportIssueNoteBody } from "~/wire/intake/contract";

export const loader = apiRoute({
  PUT: operationEndpoint(reportIssueNote, {
    summary: "Report that an issue was commented on or closed, or why not",
    auth: "bearer",
    body: reportIssueNoteBody,
    refusals: [409, 429],
    input: ({ id, body }) => ({ issue_note_id: id, ...body }),
  }),
});

export const action = loader;
