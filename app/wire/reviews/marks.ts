import { z } from "zod";

/** Facts about a change that say where a careful look pays, in the order in which they are listed (docs/review.md). */
export const reviewMarks = [
  "no_test_changed",
  "migration",
  "dependencies",
  "ci",
  "secrets_or_auth",
  "deleted_tests",
  "large",
  "outside_plan",
  "first_time",
] as const;
export type ReviewMark = (typeof reviewMarks)[number];

/** What to look for, for each mark. */
export const markWords: Readonly<Record<ReviewMark, { label: string; advice: string }>> = {
  no_test_changed: { label: "No test changed", advice: "Code changed and no test did." },
  migration: { label: "Migration", advice: "Data moves: look for indexes, locks and a way back." },
  dependencies: { label: "Dependencies", advice: "Check the names and versions of packages." },
  ci: { label: "CI", advice: "What runs on your CI changed." },
  secrets_or_auth: { label: "Secrets or sign-in", advice: "Look for keys in the text, and for who may do what." },
  deleted_tests: { label: "Tests deleted", advice: "See what checks this now." },
  large: { label: "Large", advice: "More than 400 lines." },
  outside_plan: { label: "Outside the plan", advice: "The plan does not name these files." },
  first_time: { label: "First time here", advice: "No agent has worked in these folders before." },
};

/** The first paths that a mark is about, at most four. */
export const markPathsSchema = z.partialRecord(z.enum(reviewMarks), z.array(z.string()));

/** What a change is marked with, and where. */
export interface Marked {
  marks: readonly ReviewMark[];
  mark_paths: z.infer<typeof markPathsSchema>;
}

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
