import { z } from "zod";

/** Query of GET /api/health: only the value `1` of `db` asks for the database. */
export const healthQuery = z.object({ db: z.string().optional() });

/** What GET /api/health answers, always with 200 (specification: GET /api/health). */
export const healthSchema = z.object({
  status: z.literal("ok"),
  version: z.string(),
  time: z.string(),
  database: z.enum(["ok", "down"]).optional(),
});

/** What GET /api/ready answers while the process can serve; else it is 503. */
export const readySchema = z.object({ status: z.literal("ready"), version: z.string() });
