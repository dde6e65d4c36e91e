import { type Actor, callAs } from "~/db/rpc.server";
import { getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { mostShown } from "~/wire/agent-jobs/job-diff";
import { ContractError } from "~/wire/errors";
import * as wire from "~/wire/reviews/contract";
import { linesOf } from "./find-line";

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
  const stored = await callAs(
    actor,
    "add_job_comment",
    {
      p_job_id: job_id,
      p_attempt: diff.attempt,
      p_path: path,
      p_line: line,
      p_side: side,
      p_line_text: found.text,
      p_body: body,
    },
    wire.storedCommentSchema,
  );
  return { ...stored, stale: false, current_line: line };
}
