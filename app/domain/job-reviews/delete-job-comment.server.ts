import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";

/** Takes one's own draft back. */
export async function deleteJobComment(
  actor: Actor,
  { job_id, comment_id }: { job_id: string; comment_id: string },
): Promise<void> {
  await callAs(
    actor,
    "delete_job_comment",
    { p_job_id: job_id, p_comment_id: comment_id },
    z.null(),
  );
}
