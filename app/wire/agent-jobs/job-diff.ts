import { z } from "zod";
import { isPictureName } from "../files/file-type";
import { reviewMarksSchema } from "../reviews/marks";
import { attemptInQuery, attemptSchema, idSchema, text } from "../text";

/** Kinds of changes to a file. Submodules are listed without their content. */
export const diffStatuses = ["added", "modified", "deleted", "renamed", "copied", "type_changed", "submodule"] as const;

/** Most bytes of all patches (`bytes`), of the request body and of one patch, and most files. */
export const diffLimits = { bytes: 2_097_152, fileBytes: 262_144, picture: 786_432, files: 5_000, body: 6_291_456 };

/** Most bytes of a file's patch. */
export const mostPatchBytes = ({ path, binary }: { path: string; binary?: boolean }): number =>
  binary && isPictureName(path) ? diffLimits.picture : diffLimits.fileBytes;

export const filePathSchema = text(4_096).refine((value) => value !== "", { message: "Must not be empty." });
const sha = z.string().regex(/^[0-9a-f]{7,64}$/, "Must be a commit's hash.");
const lines = z.int().min(0).max(100_000_000);

export const diffFileInput = z
  .object({
    path: filePathSchema,
    old_path: filePathSchema.optional(),
    status: z.enum(diffStatuses),
    additions: lines,
    deletions: lines,
    binary: z.boolean().default(false),
    /** Generated file or lock file: pages show it folded. */
    folded: z.boolean().optional(),
    /** Output of `git diff`, with its header. */
    patch: text(diffLimits.picture).optional(),
    /** The patch was cut or left out because of its size. */
    truncated: z.boolean().optional(),
  })
  .refine((file) => bytesOf(file.patch ?? "") <= mostPatchBytes(file), {
    path: ["patch"],
    message: `A patch holds at most ${diffLimits.fileBytes} bytes, of a picture ${diffLimits.picture}. Cut it, and say truncated.`,
  });

export const saveJobDiffBody = z
  .object({
    attempt: attemptSchema,
    base_sha: sha,
    head_sha: sha,
    files: z.array(diffFileInput).max(diffLimits.files),
    /** Paths that the repository's main branch wants marked, besides the product's. */
    review_marks: reviewMarksSchema.optional(),
  })
  .refine(({ files }) => files.reduce((sum, file) => sum + bytesOf(file.patch ?? ""), 0) <= diffLimits.bytes, {
    path: ["files"],
    message: `All patches together hold at most ${diffLimits.bytes} bytes. Leave some out, and say truncated.`,
  });

export const saveJobDiffInput = saveJobDiffBody.safeExtend({ job_id: idSchema });
export type SaveJobDiffInput = z.infer<typeof saveJobDiffInput>;

/** Characters of patches that one answer has at most; other files are read by their paths. */
export const mostShown = 1_000_000;

const pathsSchema = z.array(filePathSchema).max(200);

export const pathQuery = z.object({ path: pathsSchema.optional().describe("Repeatable: only these files") });

/** What bounds the patches that are read: their characters, the smallest files first, and their files. */
export const boundedInput = z.object({ paths: pathsSchema.optional(), most: z.int().min(0).optional() });

export const jobDiffQuery = z.object({ attempt: attemptInQuery.optional() });

/** `index` leaves only one file. */
export const jobDiffInput = jobDiffQuery.extend({
  ...boundedInput.shape,
  job_id: idSchema,
  index: z.int().min(0).optional(),
});

export const diffFileSchema = z.object({
  path: z.string(),
  old_path: z.string().optional(),
  status: z.enum(diffStatuses),
  additions: z.int(),
  deletions: z.int(),
  binary: z.boolean(),
  folded: z.boolean().optional(),
  patch: z.string().optional(),
  truncated: z.boolean().optional(),
});
export type DiffFile = z.infer<typeof diffFileSchema>;

/** A file as read within a bound. */
export const readFileSchema = diffFileSchema.extend({
  /** Its patch is beyond the bound. */
  left_out: z.literal(true).optional(),
});
export type ReadFile = z.infer<typeof readFileSchema>;

/** Files beyond the bound, by the job that changed them; `path` is null for all of a job's. */
export const restSchema = z
  .array(z.object({ path: z.string().nullable(), job_id: z.string() }))
  .describe("What is not in files: read it with ?path=, or all of a job where path is null");

export const jobDiffSchema = z.object({
  job_id: z.string(),
  attempt: z.int(),
  base_sha: z.string(),
  head_sha: z.string(),
  additions: z.int(),
  deletions: z.int(),
  created_at: z.string(),
  /** Attempts that have sent a diff. */
  attempts: z.array(z.int()),
  files: z.array(readFileSchema),
});
export type JobDiff = z.infer<typeof jobDiffSchema>;

/** Answer of `GET /api/jobs/:id/diff`. */
export const shownDiffSchema = jobDiffSchema.extend({ files: z.array(diffFileSchema), rest: restSchema });

/** A diff's files as far as they are there, and the rest; `paths` leaves only these. */
export function shownDiff({ files, ...diff }: JobDiff, paths?: readonly string[]): z.infer<typeof shownDiffSchema> {
  const wanted = paths && new Set(paths);
  const asked = files.filter(({ path }) => wanted?.has(path) ?? true);
  return {
    ...diff,
    files: asked.filter(({ left_out }) => !left_out),
    rest: asked.filter(({ left_out }) => left_out).map(({ path }) => ({ path, job_id: diff.job_id })),
  };
}

const bytesOf = (value: string): number => new TextEncoder().encode(value).length;
