import { z } from "zod";
import { idSchema, requiredText, text } from "./text";

/** Body of `POST /api/products/:id/issue-notes`: a worker asks what to write under an issue of its repository. */
export const nextIssueNoteBody = z.object({
  worker: requiredText(200),
  /** Path of the repository on its host, such as `acme/shop`. */
  project: requiredText(500),
});

export const nextIssueNoteInput = nextIssueNoteBody.extend({ product_id: idSchema });

export const nextIssueNoteSchema = z.object({
  note: z
    .object({
      id: z.string(),
      /** Goes with each report; a worker that has taken over has another. */
      lease: z.string(),
      deed: z.enum(["comment", "close"]),
      /** The issue. */
      url: z.string(),
      number: z.int(),
      text: z.string(),
      /** Stands in the comment, unseen, and says that it is there already. */
      mark: z.string(),
    })
    .nullable(),
});
export type IssueNote = NonNullable<z.output<typeof nextIssueNoteSchema>["note"]>;

/** Body of `PUT /api/issue-notes/:id`: what became of it. */
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
