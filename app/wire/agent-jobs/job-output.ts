import { z } from "zod";
import { attemptInQuery, attemptSchema, idSchema, text } from "../text";
import { confinementSchema } from "../workers/confinement";

/** Kinds of entries in an agent's output (docs/runs.md). */
export const outputKinds = ["text", "thought", "plan", "command", "tool", "edit", "test", "note", "error"] as const;
export type OutputKind = (typeof outputKinds)[number];

/** Most bytes of text and most entries in one batch. */
const outputBatch = { bytes: 65_536, entries: 500 } as const;

export const attemptOutcomes = [
  "done",
  "skipped",
  "failed",
  "cancelled",
  "rate_limited",
  "question",
  "lost",
  "returned",
  "budget",
  "conflict",
  "failed_look",
] as const;

export const readReferences = z.array(z.object({ name: text(40), sha: text(64) })).max(8);

/** One claim of a job. */
export const jobAttemptSchema = z.object({
  attempt: z.int(),
  worker_id: z.string().nullable(),
  worker_name: z.string(),
  /** Null for a command, and for workers that announce no agents. */
  agent: z.string().nullable().default(null),
  confinement: confinementSchema.default("none"),
  started_at: z.string(),
  ended_at: z.string().nullable(),
  outcome: z.enum(attemptOutcomes).nullable(),
  head_sha: z.string().nullable(),
  session_id: z.string().nullable(),
  kept_ref: z.string().nullable(),
  /** The commits of other repositories that the agent could read. */
  references: readReferences.default([]),
  last_seq: z.int(),
  output_bytes: z.int(),
});

export const outputEntryInput = z.object({
  seq: z.int().min(1),
  at: z.iso.datetime({ offset: true }),
  kind: z.enum(outputKinds),
  text: text(65_536),
  title: text(1_000).nullish(),
  path: text(2_000).nullish(),
  status: text(100).nullish(),
});

/** Body of `POST /api/jobs/:id/output`. */
export const appendJobOutputBody = z
  .object({ attempt: attemptSchema, entries: z.array(outputEntryInput).min(1).max(outputBatch.entries) })
  .refine(
    ({ entries }) =>
      entries.reduce((sum, entry) => sum + new TextEncoder().encode(entry.text).length, 0) <= outputBatch.bytes,
    { path: ["entries"], message: `A batch holds at most ${outputBatch.bytes} bytes of text. Send it in parts.` },
  );

export const appendJobOutputInput = appendJobOutputBody.safeExtend({ job_id: idSchema });

export const appendedOutputSchema = z.object({ last_seq: z.int() });

/** Query of `GET /api/jobs/:id/output`. */
export const jobOutputQuery = z.object({
  attempt: attemptInQuery.optional(),
  after: z.coerce.number().int().min(0).optional(),
  limit: z.coerce.number().int().min(1).max(5_000).optional(),
});

export const jobOutputInput = jobOutputQuery.extend({ job_id: idSchema });

export const outputEntrySchema = z.object({
  seq: z.int(),
  at: z.string(),
  kind: z.enum(outputKinds),
  text: z.string(),
  title: z.string().nullable(),
  path: z.string().nullable(),
  status: z.string().nullable(),
});

export type OutputEntry = z.infer<typeof outputEntrySchema>;

export const jobOutputSchema = z.object({
  job_id: z.string(),
  /** Null until the job is first claimed. */
  attempt: z.int().nullable(),
  entries: z.array(outputEntrySchema),
  last_seq: z.int(),
  /** No more entries will be added. */
  complete: z.boolean(),
  /** Entries removed from the middle of a long output. */
  dropped: z.object({ from: z.int(), to: z.int() }).nullable(),
});
export type JobOutput = z.infer<typeof jobOutputSchema>;
