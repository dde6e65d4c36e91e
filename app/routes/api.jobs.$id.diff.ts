import { z } from "zod";
import { madeInThread } from "~/features/diff/show-lines.server";
import { apiRoute, endpoint, operationEndpoint } from "~/http/endpoint.server";
import { jsonText } from "~/http/responses.server";
import { authenticate } from "~/nouns/accounts/operations.server";
import { getJobDiff, saveJobDiff } from "~/nouns/agent-jobs/operations.server";
import * as wire from "~/wire/agent-jobs/job-diff";
import { ContractError } from "~/wire/errors";

/** `/api/jobs/:id/diff`: an attempt's changes, as JSON or as a patch. */
export const loader = apiRoute({
  GET: endpoint({
    name: "getJobDiff",
    summary: "Get an attempt's changes; Accept: text/x-diff returns a patch for git apply",
    query: wire.jobDiffQuery.extend(wire.pathQuery.shape),
    answer: wire.shownDiffSchema,
    handle: async ({ actor, id, query: { attempt, path: paths }, request }) => {
      const asPatch = wantsPatch(request);
      const bound = asPatch ? {} : { paths, most: wire.mostShown };
      const [job, { user_id }] = await Promise.all([
        getJobDiff.json(actor, { job_id: id, attempt, ...bound }),
        authenticate(actor),
      ]);
      if (job === "null") throw new ContractError(404, nothingYet(attempt));
      const made = await madeInThread({ job, paths, asPatch }, user_id);
      if (!asPatch) return jsonText(made);
      return new Response(z.string().parse(JSON.parse(made)), {
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
    body: wire.saveJobDiffBody,
    bodyLimit: wire.diffLimits.body,
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
