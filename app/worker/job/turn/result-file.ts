import { z } from "zod";
import { httpUrlSchema } from "~/contract/text";
import { failureClasses, verifyResults } from "~/nouns/agent-jobs/contract";
import { lessonLimits } from "~/nouns/lessons/contract";
import { evidenceKinds, evidenceVerdicts } from "~/nouns/proof/contract";
import { type QuestionKind, questionLimits } from "~/nouns/questions/contract";
import { type Guide, guideLimits } from "~/nouns/reviews/guide";
import { readPlain } from "../../base/files";
import { cleanedValue } from "../../base/redact";
import { sendable } from "../../base/sendable";

const tokens = z.int().min(0).optional();

const lineNumber = z.int().min(1).optional();

interface RawChapter {
  title: string;
  why?: string | null | undefined;
  criterion?: string | null | undefined;
  parts?: Guide[number]["parts"] | undefined;
}

/** Cuts a guide to the service's limits rather than losing it. */
function cutGuide(chapters: readonly RawChapter[]): Guide {
  return chapters.slice(0, guideLimits.chapters).map(({ title, why, criterion, parts = [] }) => ({
    title: sendable(title, guideLimits.title).trim() || "(no title)",
    why: sendable(why ?? "", guideLimits.why),
    criterion: criterion ? sendable(criterion, 200) : null,
    parts: parts.slice(0, 1_000),
  }));
}

/** Keeps as many lessons as the service takes of a job. */
function cutLessons(lessons: readonly string[]): string[] {
  return lessons
    .map((lesson) => sendable(lesson.trim(), lessonLimits.text).trim())
    .filter((lesson) => lesson !== "")
    .slice(0, lessonLimits.perJob);
}

const resultSchema = z.object({
  summary: z.string().optional(),
  /** Result of a planning turn. */
  implementation_plan: z.string().optional(),
  verify_result: z.enum(verifyResults).optional(),
  failure_class: z.enum(failureClasses).optional(),
  failure_reason: z.string().optional(),
  resets_at: z
    .union([
      z.iso.datetime({ offset: true }),
      z.int().min(1e9).max(9_999_999_999_999).transform(timeOf),
    ])
    .optional(),
  model_id: z.string().optional(),
  input_tokens: tokens,
  output_tokens: tokens,
  cache_read_tokens: tokens,
  cache_write_tokens: tokens,
  /** Proof of a criterion, by its id; ideally a command that exits with 0. */
  evidence: z
    .array(
      z.object({
        criterion: z.string(),
        verdict: z.enum(evidenceVerdicts).optional(),
        kind: z.enum(evidenceKinds).exclude(["person"]).optional(),
        command: z.string().regex(/\S/).optional(),
        guards: z.boolean().optional(),
        excerpt: z.string().optional(),
        url: httpUrlSchema.optional(),
        /** Path of a picture or recording that the command makes. */
        file: z.string().optional(),
      }),
    )
    .max(200)
    .optional(),
  /** How to read the change; one that is not as documented is left out, and the result stays. */
  guide: z
    .array(
      z.object({
        title: z.string(),
        why: z.string().nullish(),
        criterion: z.string().nullish(),
        parts: z.array(z.object({ path: z.string(), from: lineNumber, to: lineNumber })).optional(),
      }),
    )
    .transform(cutGuide)
    .optional()
    .catch(undefined),
  /** What rework taught; a person decides before any agent reads it. */
  lessons: z.array(z.string()).transform(cutLessons).optional().catch(undefined),
  question: z
    .object({
      question: z.string().regex(/\S/),
      options: z
        .array(
          z.union([
            z.string(),
            z.object({ label: z.string(), description: z.string().optional() }),
          ]),
        )
        .optional(),
      recommended_option: z.int().min(0).optional(),
    })
    .transform(askable)
    .optional(),
});

/** Many services state seconds or milliseconds since 1970. */
function timeOf(number: number): string {
  return new Date(number < 1e11 ? number * 1000 : number).toISOString();
}

/** What a command can report besides its exit code. */
export type CommandResult = z.output<typeof resultSchema>;

interface RawQuestion {
  kind?: QuestionKind | undefined;
  question: string;
  options?: (string | { label: string; description?: string | undefined })[] | undefined;
  recommended_option?: number | undefined;
}

/** Cuts a question to the service's limits rather than losing it. */
export function askable({ kind, question, options = [], recommended_option }: RawQuestion) {
  const kept = options.slice(0, questionLimits.options).map((option) => {
    const { label, description } = typeof option === "string" ? { label: option } : option;
    return {
      label: sendable(label, questionLimits.optionLabel).trim() || "(no words)",
      description: description && sendable(description, questionLimits.optionDescription),
    };
  });
  const isThere = recommended_option !== undefined && recommended_option < kept.length;
  return {
    kind,
    question: sendable(question, questionLimits.text),
    options: kept,
    recommended_option: isThere ? recommended_option : undefined,
  };
}

/** Reads the result file. Missing: no result. Invalid: the command has failed. */
export async function readResult(
  file: string,
  clean: (text: string) => string,
): Promise<CommandResult> {
  const text = await readPlain(file, mostBytes);
  if (text === null) return {};
  try {
    return resultSchema.parse(cleanedValue(JSON.parse(text), clean));
  } catch {
    return { failure_class: "agent_error", failure_reason: "The result file is not as documented" };
  }
}

const mostBytes = 4 * 1024 ** 2;
