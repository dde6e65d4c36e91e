import { z } from "zod";
import { cursorSchema, idSchema, limitInQuery } from "../text";

export const fileLimit = 10 * 1024 * 1024;

/** The longest body that carries one, with the fields next to it. */
export const fileBodyLimit = fileLimit + 65_536;

/** What all files of a product take together, in bytes. */
export const productFilesLimit = 1024 * 1024 * 1024;

/** What is found out from the content of a file. Pictures and recordings are shown, the others are offered as downloads. */
export const fileTypes = [
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "video/mp4",
  "video/webm",
  "application/pdf",
  "text/plain",
] as const;
export type FileType = (typeof fileTypes)[number];

/** The fields next to `file` in the multipart body of `POST /api/files`. */
export const fileForm = z.object({
  product_id: idSchema,
  story_id: idSchema.optional(),
  task_id: idSchema.optional(),
  comment_id: idSchema.optional(),
  job_id: idSchema.optional(),
});

export const addFileInput = fileForm.extend({
  name: z.string(),
  type: z.enum(fileTypes),
  /** In base64. */
  content: z.string(),
});

export const fileSchema = z.object({
  id: z.string(),
  /** Path on this service; it goes into a text as `![name](url)`. */
  url: z.string(),
  name: z.string(),
  type: z.enum(fileTypes),
  size: z.int(),
});

export type StoredFile = z.infer<typeof fileSchema>;

export const fileIdInput = z.object({ file_id: idSchema });

/** Bytes of one reading; a longer file is read in several. */
export const filePartLimit = 1_048_576;

export const readFileInput = fileIdInput.extend({ from: z.int().optional(), length: z.int().optional() });

export const filePartSchema = z.object({
  name: z.string(),
  type: z.enum(fileTypes),
  size: z.int(),
  /** In base64. */
  /** Null where it was not asked for. */
  content: z.string().nullable(),
});

const nullableId = z.string().nullable();

export const listedFileSchema = fileSchema.extend({
  created_at: z.string(),
  /** Null for files of an import, and of accounts that are gone. */
  created_by: nullableId,
  author: z.string().nullable(),
  story_id: nullableId,
  task_id: nullableId,
  comment_id: nullableId,
  job_id: nullableId,
  /** It is shown as evidence of a criterion. */
  evidence: z.boolean(),
});
export type ListedFile = z.infer<typeof listedFileSchema>;

export const fileListLimit = { default: 100, max: 200 } as const;

export const fileListQuery = z.object({ limit: limitInQuery(fileListLimit), cursor: cursorSchema.optional() });

export const listFilesInput = z.object({
  product_id: idSchema,
  limit: z.int().min(1).max(fileListLimit.max).optional(),
  cursor: cursorSchema.optional(),
});

/** The newest files of a product, and the bytes that all of them take. */
export const fileListSchema = z.object({
  files: z.array(listedFileSchema),
  used: z.int(),
  /** For the files before these; null where there are none. */
  next_cursor: z.string().nullable(),
});
