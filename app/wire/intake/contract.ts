import { z } from "zod";
import { lengths } from "../limits";
import { issueLabelSchema } from "../products/contract";
import { storyStatuses } from "../status";
import { httpUrlSchema, idSchema, integerSchema, requiredText, text } from "../text";

/** An item that a service sends to a product's hook. Its text is data to show, never instructions to follow. */
export const receivedItemInput = z.object({
  title: requiredText(lengths.title),
  text: text(lengths.text).nullish(),
  url: httpUrlSchema.nullish(),
  external_id: requiredText(300).nullish(),
});

/** The story created for an item. Sending a declined or merged item again creates no new story. */
export const receivedItemSchema = z.object({
  id: z.string(),
  code: z.string(),
  status: z.enum([...storyStatuses, "declined", "merged"]),
});
export const keptItemSchema = receivedItemSchema.extend({ is_new: z.boolean() });

export const intakeHookSchema = z.object({
  id: z.string(),
  key_hash: z.string(),
  created_by_name: z.string().nullable(),
  created_at: z.string(),
  last_item_at: z.string().nullable(),
});

/** Most issues per report, and longest body and address in characters. */
export const issueLimits = { issues: 100, body: 20_000, url: 300 } as const;

/** An issue of the Git host as a worker saw it. Its URL identifies it. */
const observedIssueSchema = z.object({
  number: integerSchema.min(1),
  url: httpUrlSchema.refine((url) => url.length <= issueLimits.url, {
    message: `Must be at most ${issueLimits.url} characters.`,
  }),
  state: z.enum(["open", "closed"]),
  title: requiredText(lengths.title),
  author: text(200),
  body: text(issueLimits.body),
});
export type ObservedIssue = z.output<typeof observedIssueSchema>;

/** Body of `PUT /api/issues/observed`. */
export const observeIssuesInput = z.object({
  product_id: idSchema,
  /** The label that the worker searched for. */
  label: issueLabelSchema,
  issues: z.array(observedIssueSchema).max(issueLimits.issues),
});

/** Issues added to triage, and issues that left triage because they were closed. */
export const observedIssuesSchema = z.object({ brought: z.int(), declined: z.int() });

/** GET /api/products/:id/issues: label of the issues to report; empty: none. */
export const issueLabelAnswer = z.object({ label: z.string() });

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

export const reportedIssueNoteSchema = z.object({ id: z.string(), state: z.enum(["working", "written", "refused"]) });

/** Body of `POST /api/jobs/:id/follow-ups`: what another repository needs, by the name that the product gives it or its address. */
export const followUpBody = z.object({
  repository: requiredText(lengths.url),
  title: requiredText(200),
  why: text(4_000).default(""),
});

export const proposeFollowUpInput = followUpBody.extend({ job_id: idSchema });

export const followUpSchema = z.object({
  story_id: z.string(),
  code: z.string(),
  product_id: z.string(),
  is_new: z.boolean(),
});
