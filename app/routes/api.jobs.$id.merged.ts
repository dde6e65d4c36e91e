import { apiRoute, operationEndpoint } from "~/http/endpoint.server";
import { reportMerged } from "~/nouns/agent-jobs/operations.server";
import { reportMergedBody } from "~/wire/agent-jobs/contract";

export const loader = apiRoute({
  POST: operationEndpoint(reportMerged, {
    summary: "Report that the main branch has a job's commit, which unblocks what waited for it",
    auth: "bearer",
    body: reportMergedBody,
    refusals: [409, 429],
    onlyNamed: true,
    input: ({ id, body }) => ({ job_id: id, ...body }),
  }),
});

export const action = loader;
