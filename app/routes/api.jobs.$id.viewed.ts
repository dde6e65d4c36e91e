import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { markViewed } from "~/nouns/reviews/operations.server";
import { markViewedBody } from "~/wire/reviews/contract";

/** `PUT /api/jobs/:id/viewed`: whether the person has looked at a file of an attempt. */
export const loader = apiRoute({
  PUT: operationEndpoint(markViewed, {
    summary: "Set whether you have viewed a file of an attempt, until it changes. Session only",
    caller: "person",
    body: markViewedBody,
    status: 204,
    refusals: [429],
    input: ({ id, body }) => ({ job_id: id, ...body }),
  }),
});

export const action = loader;
