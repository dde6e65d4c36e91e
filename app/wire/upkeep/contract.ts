import { z } from "zod";
import { httpUrlSchema, idSchema, requiredText, text } from "../text";

/** Files that follow the backlog: lessons in `AGENTS.md`, and boxes of Spec Kit. */
const upkeepKinds = ["agents_md", "spec_boxes"] as const;

const upkeepStates = ["waiting", "open", "merged", "closed", "branch", "conflict"] as const;

export const keptFileSchema = z.object({
  kind: z.enum(upkeepKinds),
  state: z.enum(upkeepStates),
  url: z.string().nullable(),
  branch: z.string(),
  words: z.string().nullable(),
});
export type KeptFile = z.infer<typeof keptFileSchema>;

/** Body of `POST /api/products/:id/upkeeps`: a worker asks which file is due. */
export const nextUpkeepBody = z.object({ worker: requiredText(200) });

export const nextUpkeepInput = nextUpkeepBody.extend({ product_id: idSchema });

export const nextUpkeepSchema = z.object({
  upkeep: z
    .object({
      id: z.string(),
      /** Sent with the report. If another worker takes over, it gets a new lease. */
      lease: z.string(),
      kind: z.enum(upkeepKinds),
      /** Changes with the content, and is sent back. */
      digest: z.string(),
      /** Part of the branch and the marks: products may share a repository. */
      product: z.string().regex(/^[\w-]+$/),
      branch: z.string().regex(/^(?![-/])[\w./-]{1,200}\/(?:agents-md|spec-boxes)$/),
      /** Lessons, or done tasks by feature and number (`001-login/T003`). */
      content: z.array(z.string()),
      /** Whether the main branch had it before. */
      has_landed: z.boolean(),
      /** The pull request with this content that was open when last seen. */
      open_url: z.string().nullable(),
    })
    .nullable(),
});
export type Upkeep = NonNullable<z.output<typeof nextUpkeepSchema>["upkeep"]>;

export const reportUpkeepBody = z.object({
  lease: idSchema,
  state: z.enum(["put_off", "open", "merged", "closed", "branch", "conflict"]),
  digest: text(100).optional(),
  url: httpUrlSchema.optional(),
  words: text(1_000).optional(),
});
export type UpkeepReport = Omit<z.input<typeof reportUpkeepBody>, "lease" | "digest">;

export const reportUpkeepInput = reportUpkeepBody.extend({ upkeep_id: idSchema });

export const reportedUpkeepSchema = z.object({ id: z.string(), state: z.enum(upkeepStates) });
