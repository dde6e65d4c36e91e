import { z } from "zod";
import { idSchema } from "./text";

/** The longest file in bytes; all files of a product together take at most 1 GB. */
export const fileLimit = 10 * 1024 * 1024;

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

/** The fields beside `file` in the multipart body of `POST /api/files`. */
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

export const readFileInput = z.object({ file_id: idSchema });

export const fileContentSchema = z.object({
  name: z.string(),
  type: z.enum(fileTypes),
  content: z.string(),
});
