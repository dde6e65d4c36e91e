import type { Actor } from "~/db/rpc.server";
import { getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { operation } from "~/nouns/operation.server";
import { mostShown } from "~/wire/agent-jobs/job-diff";
import { ContractError } from "~/wire/errors";
import * as wire from "~/wire/reviews/contract";
import { linesOf } from "./find-line";

const ofLine = {
  job_id: true,
  attempt: true,
  path: true,
  line: true,
  side: true,
  line_text: true,
  body: true,
} as const;
const stored = wire.storedCommentSchema;
const storeComment = operation("add_job_comment", stored.pick(ofLine), stored);

/** Drafts a comment on a line. No one else sees it until it is sent with a review. */
export async function addJobComment(
  actor: Actor,
  { job_id, path, line, side, body, attempt }: wire.AddJobCommentInput,
): Promise<wire.JobComment> {
  const diff = await getJobDiff(actor, { job_id, attempt, paths: [path], most: mostShown });
  if (diff === null) {
    throw new ContractError(409, "There are no changes to comment on yet. Wait for the attempt to end.");
  }
  const file = diff.files.find((each) => each.path === path);
  const found = file && linesOf(file, side).find((each) => each.line === line);
  if (!found) {
    throw new ContractError(
      422,
      `The changes of attempt ${diff.attempt} do not show this line. Choose one of the diff.`,
      { issues: [{ path: file ? "line" : "path", message: "Is not part of the diff." }] },
    );
  }
  const place = { job_id, attempt: diff.attempt, path, line, side, line_text: found.text };
  const comment = await storeComment(actor, { ...place, body });
  return { ...comment, stale: false, current_line: line };
}
