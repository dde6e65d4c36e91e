import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";
import { authenticate } from "~/nouns/accounts/operations.server";
import { getJobOutput } from "~/nouns/agent-jobs/operations.server";
import { deliverJob, jobPayload } from "~/realtime/deliver-job";
import { agentJobWithAttemptsSchema } from "~/wire/agent-jobs/contract";
import type { OutputEntry } from "~/wire/agent-jobs/job-output";
import { canonicalId } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";
import { type ChangeEvent, topics } from "~/wire/events";
import { formatPosition, type JobOutputs, type OutputPosition, outputMessage, parsePosition } from "./job-outputs";
import { type PositionedMessage, readerOf, type StreamSource, streamViewerSchema } from "./stream-source";

export const jobQuerySchema = z.object({
  job_id: z.string().optional(),
  /** `0` leaves out the agent's output, for the worker that produces it. */
  output: z.enum(["0", "1"]).optional(),
});

/** Returns the requested job id. Throws 400 if it is missing, after checking the credential. */
export async function jobToWatch(actor: Actor, { job_id: jobId }: z.infer<typeof jobQuerySchema>): Promise<string> {
  if (jobId) return canonicalId(jobId);
  await authenticate(actor);
  throw new ContractError(400, "Say which job: ?job_id=<id>.");
}

const stateSchema = z.object({ viewer: streamViewerSchema, job: agentJobWithAttemptsSchema });
const outputNewsSchema = z.object({ attempt: z.number(), last_seq: z.number() });

/** `GET /api/realtime/job`: one job, its attempts, and its agent's output. */
export function jobStream(actor: Actor, jobId: string, outputs: JobOutputs, withOutput: boolean): StreamSource {
  let position: OutputPosition = { attempt: 0, seq: 0 };
  /** Only a reader of the current attempt can resume. Readers without output miss none. */
  const missedBy = async (reader: OutputPosition | undefined): Promise<MissedOutput | undefined> =>
    withOutput && reader?.attempt === position.attempt ? readMissedOutput(actor, jobId, reader) : undefined;
  return {
    kind: "job",
    nameOf: () => "job",
    payload: jobPayload,
    attach: (reader) => {
      if (!withOutput) return () => undefined;
      const read = ({ attempt, seq }: OutputPosition) =>
        getJobOutput(actor, { job_id: jobId, attempt, after: seq, limit: 5_000 });
      return outputs.watch(jobId, { ...reader, read }, position);
    },
    async read(readerPosition) {
      const { viewer, job } = await callAs(actor, "read_job_stream", { p_job_id: jobId }, stateSchema);
      const reader = readerOf(viewer);
      const last = job.attempts.at(-1);
      position = { attempt: last?.attempt ?? 0, seq: last?.last_seq ?? 0 };
      outputs.notice(jobId, position.attempt, position.seq);
      let missed = await missedBy(parsePosition(readerPosition));
      if (missed) position = missed.to;
      const known = position;
      return {
        limitKey: `user:${reader.userId}`,
        expiresAt: viewer.expires_at,
        snapshot: viewer.snapshot,
        access: { ...reader, productId: job.product_id },
        topics: [topics.product(job.product_id), topics.user(reader.userId)],
        mayResume: () => !withOutput || (missed !== undefined && !outputs.isBeyond(jobId, known)),
        greeting: (resumed) => {
          const from = resumed && missed ? missed.from : known;
          const ready = {
            event: "ready",
            data: { job_id: jobId, ...(resumed && { resumed }) },
            ...(withOutput && { position: formatPosition(from) }),
          };
          const more = resumed ? toSend(jobId, missed) : [];
          // Sent once, then released: the state lives as long as its stream.
          missed = undefined;
          return [ready, { event: "state", data: { job } }, ...more];
        },
        deliver: (event: ChangeEvent) => {
          const news = isOutputOf(event, jobId) && outputNewsSchema.safeParse(event).data;
          if (news) outputs.notice(jobId, news.attempt, news.last_seq);
          return deliverJob(event, { ...reader, jobId, productId: job.product_id });
        },
      };
    },
  };
}

function toSend(jobId: string, missed: MissedOutput | undefined): PositionedMessage[] {
  if (!missed || missed.entries.length === 0) return [];
  return [outputMessage(jobId, missed.to, missed.entries)];
}

function isOutputOf(event: ChangeEvent, jobId: string): boolean {
  return event.entity === "job_output" && event.id === jobId;
}

/** A reader who missed more than this reads it again page by page. */
const mostEntries = 500;

/** Output between a reconnecting reader's position and now. */
type MissedOutput = { from: OutputPosition; to: OutputPosition; entries: readonly OutputEntry[] };

/** Reads the output a reader missed, or returns undefined if it is incomplete: too long, or partly dropped. */
async function readMissedOutput(actor: Actor, jobId: string, from: OutputPosition): Promise<MissedOutput | undefined> {
  const { attempt, seq } = from;
  if (attempt === 0) return { from, to: from, entries: [] };
  const { entries, dropped, last_seq } = await getJobOutput(actor, {
    job_id: jobId,
    attempt,
    after: seq,
    limit: mostEntries,
  });
  const end = entries.at(-1)?.seq ?? seq;
  if (end !== last_seq || (dropped !== null && dropped.to > seq)) return undefined;
  return { from, to: { attempt, seq: end }, entries };
}
