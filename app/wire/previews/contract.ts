import { z } from "zod";
import { branchPrefixSchema } from "../products/contract";
import { idSchema, text } from "../text";
import { workerName } from "../workers/worker-presence";

export const previewStates = ["starting", "ready", "failed", "stopped"] as const;
const stoppers = ["person", "idle", "worker", "review"] as const;

/** Also the first label of its origin. */
export const previewIdSchema = z.string().regex(/^[\da-f]{32}$/);

export const previewSchema = z.object({
  id: previewIdSchema,
  state: z.enum(previewStates),
  head_sha: z.string(),
  /** The branch has moved since. */
  is_old: z.boolean(),
  /** Null until it is ready. */
  url: z.string().nullable(),
  log: z.array(z.string()),
  stopped_by: z.enum(stoppers).nullable(),
});
export type Preview = z.output<typeof previewSchema>;

export const previewAnswerSchema = z.object({ preview: previewSchema });

/** The newest preview of a job, and whether the viewer may start one now. */
export const previewOfferSchema = z.object({ preview: previewSchema.nullable(), may_start: z.boolean() });
export type PreviewOffer = z.output<typeof previewOfferSchema>;

/** Body of `PUT /api/workers/previews`: a worker reports its previews and waits for what it should run. */
export const syncPreviewsBody = z.object({
  worker: workerName,
  product_id: idSchema.optional(),
  /** How many it runs at once. */
  room: z.int().min(0).max(100),
  /** What it ran before has ended. */
  restarted: z.boolean().default(false),
  previews: z
    .array(
      z.object({
        id: previewIdSchema,
        state: z.enum(previewStates),
        stopped_by: z.enum(stoppers).optional(),
        log: z.array(text(500)).max(20).optional(),
        /** Commit of the branch now. */
        branch_sha: text(64).optional(),
      }),
    )
    .max(200),
  wait_seconds: z.number().min(0).max(50).default(0),
});
export type SyncPreviews = z.output<typeof syncPreviewsBody>;

const wantedSchema = z.object({
  id: previewIdSchema,
  job_id: idSchema,
  head_sha: z.string(),
  branch: z.string().nullable(),
  branch_prefix: branchPrefixSchema,
  product: z.object({ id: idSchema, repo_url: z.string() }),
  repo_url: z.string(),
  may_reach: z.array(z.string()),
});

export const wantedPreviewsSchema = z.object({ previews: z.array(wantedSchema) });

/** The same for the worker, each with the origin under which people see it. */
export const heardPreviewsSchema = z.object({ previews: z.array(wantedSchema.extend({ origin: z.string() })) });
export type WantedPreview = z.output<typeof heardPreviewsSchema>["previews"][number];
