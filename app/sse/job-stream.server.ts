import { z } from "zod";
import { agentJobWithAttemptsSchema } from "~/contract/agent-job";
import { ContractError } from "~/contract/errors";
import type { ChangeEvent } from "~/contract/events";
import { topics } from "~/contract/topics";
import { type Actor, callAs } from "~/db/rpc.server";
import { authenticate } from "~/domain/accounts/authenticate.server";
import { getJobOutput } from "~/domain/agent-jobs/operations.server";
import { isCanonicalUuid } from "~/http/uuid";
import { deliverJob, jobPayload } from "~/realtime/deliver-job";
import type { JobOutputs } from "./job-outputs";
import { readerOf, type StreamSource, streamViewerSchema } from "./stream-source";

export const jobQuerySchema = z.object({
  job_id: z.string().optional(),
  /** `0` leaves out what the agent says: for whoever says it. */
  output: z.enum(["0", "1"]).optional(),
});

/** The job that a stream is asked for: 400 when it is missing, 404 when it can be no job, after the credential is judged. */
export async function jobToWatch(
  actor: Actor,
  { job_id: jobId }: z.infer<typeof jobQuerySchema>,
): Promise<string> {
  if (jobId !== undefined && isCanonicalUuid(jobId)) return jobId;
  await authenticate(actor);
  if (jobId) throw new ContractError(404, "No such agent job.");
  throw new ContractError(400, "Say which job: ?job_id=<id>.");
}

const stateSchema = z.object({ viewer: streamViewerSchema, job: agentJobWithAttemptsSchema });
const outputNewsSchema = z.object({ attempt: z.number(), last_seq: z.number() });

/** `GET /api/realtime/job`: one job, its attempts, and what its agent says. */
export function jobStream(
  actor: Actor,
  jobId: string,
  outputs: JobOutputs,
  withOutput: boolean,
): StreamSource {
  let place = { attempt: 0, seq: 0 };
  return {
    kind: "job",
    name: "job",
    payload: jobPayload,
    attach: (push) => {
      if (!withOutput) return () => undefined;
      return outputs.watch(
        jobId,
        {
          push,
          read: ({ attempt, seq }) =>
            getJobOutput(actor, { job_id: jobId, attempt, after: seq, limit: 5_000 }),
        },
        place.attempt,
        place.seq,
      );
    },
    async read() {
      const { viewer, job } = await callAs(
        actor,
        "read_job_stream",
        { p_job_id: jobId },
        stateSchema,
      );
      const reader = readerOf(viewer);
      const last = job.attempts.at(-1);
      place = { attempt: last?.attempt ?? 0, seq: last?.last_seq ?? 0 };
      outputs.notice(jobId, place.attempt, place.seq);
      return {
        limitKey: `user:${reader.userId}`,
        expiresAt: viewer.expires_at,
        snapshot: viewer.snapshot,
        access: { ...reader, productId: job.product_id },
        topics: [topics.product(job.product_id), topics.user(reader.userId)],
        greeting: (resumed) => [
          { event: "ready", data: { job_id: jobId, ...(resumed && { resumed }) } },
          { event: "state", data: { job } },
        ],
        deliver: (event: ChangeEvent) => {
          const news = isOutputOf(event, jobId) && outputNewsSchema.safeParse(event).data;
          if (news) outputs.notice(jobId, news.attempt, news.last_seq);
          return deliverJob(event, { ...reader, jobId, productId: job.product_id });
        },
      };
    },
  };
}

function isOutputOf(event: ChangeEvent, jobId: string): boolean {
  return event.entity === "job_output" && event.id === jobId;
}
