import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { reportJobConflict } from "~/nouns/agent-jobs/operations.server";
import { conflictLimits, reportJobConflictBody } from "~/wire/agent-jobs/job-conflict";

export const loader = apiRoute({
  POST: operationEndpoint(reportJobConflict, {
    summary: "Report work that does not merge",
    auth: "bearer",
    body: reportJobConflictBody,
    bodyLimit: conflictLimits.body,
    refusals: [409, 429],
    onlyNamed: true,
    input: ({ id, body }) => ({ job_id: id, ...body }),
  }),
});

export const action = loader;
