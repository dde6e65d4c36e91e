import { z } from "zod";
import { idSchema, requiredText, text } from "~/contract/text";

/** Body of `POST /api/products/:id/issue-notes`: a worker asks for the next note on an issue of its repository. */
export const nextIssueNoteBody = z.object({
  worker: requiredText(200),
  /** Path of the repository on its host, for example `acme/shop`. */
  project: requiredText(500),
});

export const nextIssueNoteInput = nextIssueNoteBody.extend({ product_id: idSchema });

export const nextIssueNoteSchema = z.object({
  note: z
    .object({
      id: z.string(),
      /** Sent with each report. If another worker takes over, it gets a new lease. */
      lease: z.string(),
      deed: z.enum(["comment", "close"]),
      /** Address of the issue. */
      url: z.string(),
      number: z.int(),
      text: z.string(),
      /** Hidden mark in the comment, by which a worker sees that it was already written. */
      mark: z.string(),
    })
    .nullable(),
});
export type IssueNote = NonNullable<z.output<typeof nextIssueNoteSchema>["note"]>;

/** Body of `PUT /api/issue-notes/:id`: state of the note. */
export const reportIssueNoteBody = z.object({
  lease: idSchema,
  state: z.enum(["working", "put_off", "written", "refused"]),
  words: text(1_000).optional(),
});
export type IssueNoteReport = Omit<z.input<typeof reportIssueNoteBody>, "lease">;

export const reportIssueNoteInput = reportIssueNoteBody.extend({ issue_note_id: idSchema });

export const reportedIssueNoteSchema = z.object({
  id: z.string(),
  state: z.enum(["working", "written", "refused"]),
});
