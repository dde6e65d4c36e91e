import { z } from "zod";
import { lengths } from "~/contract/limits";
import { httpUrlSchema, idSchema, integerSchema, requiredText, text } from "~/contract/text";
import { issueLabelSchema } from "~/nouns/products/contract";

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
