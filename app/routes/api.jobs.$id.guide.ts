import { readGuide } from "~/features/diff/read-guide.server";
import { apiRoute, endpoint } from "~/http/endpoint.server";
import { json } from "~/http/responses.server";
import { authenticate } from "~/nouns/accounts/operations.server";
import { getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { jobDiffQuery } from "~/wire/agent-jobs/job-diff";
import { ContractError } from "~/wire/errors";
import { jobGuideSchema } from "~/wire/reviews/guide";

export const loader = apiRoute({
  GET: endpoint({
    name: "getJobGuide",
    summary: "Get an attempt's changes in chapters, each hunk exactly once",
    query: jobDiffQuery,
    answer: jobGuideSchema,
    handle: async ({ actor, id, query }) => {
      const diff = await getJobDiff(actor, { job_id: id, ...query });
      const { user_id } = await authenticate(actor);
      if (diff !== null) return json(await readGuide(actor, diff, user_id));
      throw new ContractError(404, "No attempt of this job has sent what it changed.");
    },
  }),
});
