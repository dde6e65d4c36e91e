import { apiRoute, endpoint, operationEndpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { getJobDiff, saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import { patchText } from "~/nouns/agent-jobs/patch-text";
import { diffLimits, jobDiffQuery, jobDiffSchema, saveJobDiffBody } from "~/wire/agent-jobs/job-diff";
import { ContractError } from "~/wire/errors";

/** `/api/jobs/:id/diff`: an attempt's changes, as JSON or as a patch. */
export const loader = apiRoute({
  GET: endpoint({
    name: "getJobDiff",
    summary: "Get an attempt's changes; Accept: text/x-diff returns a patch for git apply",
    query: jobDiffQuery,
    answer: jobDiffSchema,
    handle: async ({ actor, id, query, request }) => {
      const diff = await getJobDiff(actor, { job_id: id, ...query });
      if (diff === null) throw new ContractError(404, nothingYet(query.attempt));
      if (!wantsPatch(request)) return json(diff);
      return new Response(patchText(diff), {
        headers: {
          "content-type": "text/x-diff; charset=utf-8",
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
        },
      });
    },
  }),
  PUT: operationEndpoint(saveJobDiff, {
    summary: "Store an attempt's changes, at most 2 MiB. A lost attempt gets 409",
    auth: "bearer",
    body: saveJobDiffBody,
    bodyLimit: diffLimits.body,
    status: 204,
    refusals: [409, 429],
    input: ({ id, body }) => ({ job_id: id, ...body }),
  }),
});

function wantsPatch(request: Request): boolean {
  return /\btext\/x-(?:diff|patch)\b/.test(request.headers.get("accept") ?? "");
}

function nothingYet(attempt: number | undefined): string {
  return attempt === undefined
    ? "No attempt of this job has sent what it changed."
    : `Attempt ${attempt} of this job has sent no changes.`;
}

export const action = loader;
