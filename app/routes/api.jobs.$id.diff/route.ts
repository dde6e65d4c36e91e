import { ContractError } from "~/contract/errors";
import { diffLimits, jobDiffQuery, saveJobDiffBody } from "~/contract/job-diff";
import { getJobDiff, saveJobDiff } from "~/domain/agent-jobs/operations.server";
import { patchText } from "~/domain/agent-jobs/patch-text";
import { apiRoute } from "~/http/api-route.server";
import { endpoint } from "~/http/endpoint.server";
import { json, noContent } from "~/http/responses.server";
import { TextResponse } from "~/http/text-response.server";

/** `/api/jobs/:id/diff`: what an attempt has changed, as JSON or as a patch. */
const route = apiRoute({
  GET: endpoint({
    auth: "either",
    id: "agent job",
    query: jobDiffQuery,
    handle: async ({ actor, id, query, request }) => {
      const diff = await getJobDiff(actor, { job_id: id, ...query });
      if (diff === null) throw new ContractError(404, nothingYet(query.attempt));
      if (!wantsPatch(request)) return json(diff);
      return new TextResponse(patchText(diff), {
        headers: {
          "content-type": "text/x-diff; charset=utf-8",
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
        },
      });
    },
  }),
  PUT: endpoint({
    auth: "bearer",
    write: true,
    id: "agent job",
    body: saveJobDiffBody,
    bodyLimit: diffLimits.body,
    handle: async ({ actor, id, body }) => {
      await saveJobDiff(actor, { job_id: id, ...body });
      return noContent({});
    },
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

export const loader = route.loader;
export const action = route.action;
