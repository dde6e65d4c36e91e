import { json } from "@remix-run/node";
import { z } from "zod";
import { comparedWith, sinceIn } from "~/features/diff/compared-with.server";
import { showFile } from "~/features/diff/show-diff.server";
import { personLoader } from "~/http/page-guards.server";
import { getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { canonicalId } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";
import { attemptInQuery } from "~/wire/text";

const querySchema = z.object({ attempt: attemptInQuery, index: z.coerce.number().int().min(0) });

/** Lines of one file of a diff, for a page that already shows the diff. */
export const loader = personLoader(async ({ actor, principal, request, params }) => {
  const { searchParams } = new URL(request.url);
  const query = querySchema.safeParse(Object.fromEntries(searchParams));
  if (!query.success)
    throw new ContractError(
      404,
      "This file does not exist. It may have been deleted. List the product's files to see what is there.",
    );
  const { attempt, index } = query.data;
  const jobId = canonicalId(params.jobId);
  const since = sinceIn(searchParams);
  const only = since === undefined ? { index } : {};
  const diff = await getJobDiff(actor, { job_id: jobId, attempt, ...only });
  const before = diff && (await comparedWith(actor, diff, since));
  const position = since === undefined ? 0 : index;
  const file = diff && (await showFile(diff, position, { viewer: principal.user_id, before }));
  if (!file)
    throw new ContractError(
      404,
      "This file does not exist. It may have been deleted. List the product's files to see what is there.",
    );
  return json(file, { headers: { "cache-control": "no-store" } });
});
