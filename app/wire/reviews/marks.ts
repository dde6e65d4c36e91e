import { z } from "zod";

/** How dangerous what a mark is about can be. */
export const markWeights = ["red", "amber", "gray"] as const;
export type MarkWeight = (typeof markWeights)[number];

/** Facts about a change that say where a careful look pays, the dangerous ones first (docs/review.md). */
export const reviewMarks = [
  "secret",
  "deleted_tests",
  "weakened_tests",
  "ci",
  "migration",
  "auth",
  "dependencies",
  "unproven",
  "unsure",
  "no_test_changed",
  "large",
  "outside_plan",
  "first_time",
] as const;
export type ReviewMark = (typeof reviewMarks)[number];

export const markWords: Readonly<Record<ReviewMark, { label: string; advice: string; weight: MarkWeight }>> = {
  secret: { label: "Secret", advice: "A line looks like a key: replace it where it is valid.", weight: "red" },
  deleted_tests: { label: "Tests deleted", advice: "Check what covers this now.", weight: "red" },
  weakened_tests: { label: "Tests weakened", advice: "A test asserts less, is skipped, or may fail.", weight: "red" },
  ci: { label: "CI", advice: "What runs on your CI changed.", weight: "red" },
  migration: { label: "Migration", advice: "Data changes: check indexes, locks and rollback.", weight: "amber" },
  auth: { label: "Sign-in or TLS", advice: "Check who gets access.", weight: "amber" },
  dependencies: { label: "Dependencies", advice: "Check the names and versions of packages.", weight: "amber" },
  unproven: { label: "Not proven", advice: "A criterion has no proof.", weight: "amber" },
  unsure: {
    label: "Agent is not sure",
    advice: "It reports that it did only part of the task, or something else.",
    weight: "amber",
  },
  no_test_changed: { label: "No test changed", advice: "Code changed, but no test did.", weight: "gray" },
  large: { label: "Large", advice: "More than 400 lines.", weight: "gray" },
  outside_plan: { label: "Outside the plan", advice: "The plan does not name these files.", weight: "gray" },
  first_time: { label: "First time here", advice: "No agent has worked in these folders before.", weight: "gray" },
};

const mark = z.enum(reviewMarks);

/** The first paths that a mark is about, at most four. */
export const markPathsSchema = z.partialRecord(mark, z.array(z.string()));

/** A mark with a file that it is about and the first hunk there, counted from 0; null for the whole of it. */
export const markedSchema = z.object({ mark, path: z.string().nullable(), hunk: z.int().nullable() });
export type Marked = z.infer<typeof markedSchema>;

/** Answer of `GET /api/jobs/:id/marks`. */
export const jobMarksSchema = z.object({ marks: z.array(markedSchema.extend({ weight: z.enum(markWeights) })) });

/** Marks that paths decide; a product can name its own patterns for them. */
export const pathMarks = ["migration", "dependencies", "ci", "secrets_or_auth"] as const;

/** The patterns as lines of a form, such as `migration: db/**`. */
export function marksText(marks: z.infer<typeof reviewMarksSchema>): string {
  return Object.entries(marks)
    .flatMap(([mark, patterns]) => patterns.map((pattern) => `${mark}: ${pattern}`))
    .join("\n");
}

/** Reads such lines; one that names no mark goes to the schema as it is, which refuses it. */
export function readMarks(text: string): Record<string, string[]> {
  const marks = new Map<string, string[]>();
  for (const line of text.split("\n").filter((each) => /\S/.test(each))) {
    const at = line.indexOf(":");
    const mark = line.slice(0, Math.max(at, 0)).trim();
    const patterns = marks.get(mark) ?? [];
    patterns.push(line.slice(at + 1).trim());
    marks.set(mark, patterns);
  }
  return Object.fromEntries(marks);
}

/** Patterns of paths that replace the default ones of a mark: `*` within a folder, `**` across folders. */
export const reviewMarksSchema = z.partialRecord(z.enum(pathMarks), z.array(z.string().min(1).max(200)).max(50));
