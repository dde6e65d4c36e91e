import { z } from "zod";

const seconds = z.number().nullable();
const counts = z.record(z.string(), z.number());

/** Database values for monitoring (docs/operate.md). */
export const databaseFactsSchema = z.object({
  jobs: z.object({ queued: counts, oldest_ready_seconds: seconds, held: z.number(), longest_wait_seconds: seconds }),
  runs: counts,
  leases_lost: z.number(),
  workers_online: z.number(),
  questions: z.object({ open: z.number(), oldest_seconds: seconds }),
  notices: z.object({ pending: z.number(), oldest_seconds: seconds }),
  chats: z.record(z.string(), z.object({ on: z.number(), waiting: z.number() })).default({}),
  budgets: z.array(
    z.object({
      id: z.string(),
      product: z.string(),
      scope: z.string(),
      period: z.string().nullable(),
      unit: z.string(),
      amount: z.number(),
      spent: z.number(),
    }),
  ),
  /** Last success of each schedule entry, in seconds since 1970. */
  schedules: counts,
  database: z.object({ connections: z.number(), max_connections: z.number(), bytes: z.number() }),
  rows: counts,
});
export type DatabaseFacts = z.infer<typeof databaseFactsSchema>;
