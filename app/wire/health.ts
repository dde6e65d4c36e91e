import { z } from "zod";

/** Query of GET /api/health. Only `db=1` checks the database. */
export const healthQuery = z.object({ db: z.string().optional() });

/** Answer of GET /api/health, always with status 200 (specification: GET /api/health). */
export const healthSchema = z.object({
  status: z.literal("ok"),
  version: z.string(),
  time: z.string(),
  database: z.enum(["ok", "down"]).optional(),
});

/** Answer of GET /api/ready while the process can serve; otherwise it answers 503. */
export const readySchema = z.object({ status: z.literal("ready"), version: z.string() });
