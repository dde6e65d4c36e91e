import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { getJobMarks } from "~/nouns/reviews/operations.server";

/** `GET /api/jobs/:id/marks`: where the newest changes of a job ask for a careful look. */
export const loader = apiRoute({
  GET: operationEndpoint(getJobMarks, {
    summary: "Get the marks of a job's newest changes, each with its files and their first hunks",
    input: ({ id }) => ({ job_id: id }),
  }),
});
