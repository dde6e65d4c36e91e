import { z } from "zod";
import { lengths } from "./limits";
import { issueLabelSchema } from "./product";
import { httpUrlSchema, idSchema, requiredText, text } from "./text";

/** How many issues come in one answer, and how much of each. */
export const issueLimits = { issues: 100, body: 20_000, url: 300 } as const;

/** An issue of the code host as a worker saw it. Its address is what it is known by. */
const observedIssueSchema = z.object({
  number: z.int().min(1).max(2_147_483_647),
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
  /** The label that was asked for. */
  label: issueLabelSchema,
  issues: z.array(observedIssueSchema).max(issueLimits.issues),
});

/** How many came into triage, and how many left it because they were closed. */
export const observedIssuesSchema = z.object({ brought: z.int(), declined: z.int() });

/** GET /api/products/:id/issues: the label of the issues to look for; empty: none. */
export const issueLabelAnswer = z.object({ label: z.string() });
