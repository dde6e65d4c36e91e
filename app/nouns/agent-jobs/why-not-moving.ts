import { z } from "zod";
import { idSchema } from "~/contract/text";

export const whyNotMovingInput = z.object({ kind: z.enum(["job", "task", "run"]), id: idSchema });

/** Why a job, task or run does not move. Pages, tools and worker logs show the same words. */
export const whyNotMovingSchema = z.object({
  kind: z.enum(["job", "task", "run"]),
  id: z.string(),
  status: z.string(),
  moving: z.boolean(),
  reasons: z.array(
    z.looseObject({
      code: z.string(),
      message: z.string(),
      /** With code no_worker: the command that starts a worker. */
      command: z.string().optional(),
    }),
  ),
  text: z.string().nullable(),
});
export type WhyNotMoving = z.infer<typeof whyNotMovingSchema>;
