import { z } from "zod";
import { agentJobSchema, agentJobStatusSchema, reasonSchema } from "../agent-jobs/contract";
import { idSchema, requiredText, text } from "../text";
import { confinementSchema } from "./confinement";

/** Presence of a worker (specification: Agent worker). */
export const agentWorkerSchema = z.object({
  id: z.string(),
  user_id: z.string(),
  username: z.string().nullable(),
  name: z.string(),
  hostname: z.string().nullable(),
  version: z.string().nullable(),
  last_seen_at: z.string(),
  last_quota_pct: z.int().nullable(),
  last_quota_check_at: z.string().nullable(),
  current_job_id: z.string().nullable(),
  stopped_at: z.string().nullable(),
  created_at: z.string(),
  /** Coding agents on its machine: each a name, then a space and further details. */
  agents: z.array(z.string()).nullable(),
  confinement: confinementSchema,
  /** Agents that do its jobs, as its last claim announced them. */
  offers: z.array(
    z.object({
      id: z.string(),
      models: z.array(z.string()).optional(),
      quota_pct: z.int().optional(),
      limited_until: z.string().optional(),
    }),
  ),
  online: z.boolean(),
  min_quota_pct: z.int(),
  quota_ok: z.boolean(),
});

export const agentWorkerListSchema = z.object({
  workers: z.array(
    agentWorkerSchema.extend({
      current_job: agentJobSchema.nullable(),
      /** False where it takes jobs of another product than the list's only. */
      takes_product: z.boolean(),
    }),
  ),
});
export type AgentWorkerList = z.infer<typeof agentWorkerListSchema>;

export const listAgentWorkersInput = z.object({ product_id: idSchema.optional() });

/** A worker's name stays the same across restarts and is unique per user. */
export const workerName = requiredText(100);

export const workerHeartbeatInput = z.object({
  worker: workerName,
  hostname: text(255).optional(),
  version: text(50).optional(),
  quota_pct: z.int().min(0).max(100).optional(),
  agents: z.array(text(150)).max(20).optional(),
  confinement: confinementSchema.optional(),
  /** The product whose jobs it takes; absent: as before. */
  product_id: idSchema.optional(),
  stopped: z.boolean().optional(),
});

export const workerHeartbeatAnswerSchema = z.object({
  worker: agentWorkerSchema,
  may_claim: z.boolean(),
  reason: reasonSchema.nullable(),
});

/** `stopped`: the worker shuts down cleanly, so the jobs it returns count no retry. */
export const restartWorkerInput = z.object({ worker: workerName, stopped: z.boolean().optional() });

export const restartedWorkerSchema = z.object({
  worker_id: z.string(),
  closed: z.array(z.object({ id: z.string(), attempt: z.int(), status: agentJobStatusSchema })),
});
