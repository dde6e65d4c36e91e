import { z } from "zod";
import { failureClasses, verifyResults } from "~/wire/agent-jobs/contract";
import { lessonLimits } from "~/wire/limits";
import { evidenceKinds, evidenceVerdicts } from "~/wire/proof/contract";
import { type QuestionKind, questionLimits } from "~/wire/questions/contract";
import { type Guide, guideLimits } from "~/wire/reviews/guide";
import { httpUrlSchema } from "~/wire/text";
import { readPlain } from "../../base/files";
import type { Journal } from "../../base/journal";
import { messageOf } from "../../base/problems";
import { cleanedValue } from "../../base/redact";
import { sendable } from "../../base/sendable";
import type { AttemptOutput } from "../../service/output-sender";

/** Models write a count as a text, a word in their own spelling, lines as a list: none of it is ambiguous. */
const ifText = (read: (text: string) => unknown) => (value: unknown) =>
  typeof value === "string" ? read(value.trim()) : value;
const toNumber = ifText((text) => (/^\d{1,15}$/.test(text) ? Number(text) : text));
const flag = z.preprocess(
  ifText((text) => ({ true: true, false: false })[text.toLowerCase()] ?? text),
  z.boolean(),
);
const words = z.preprocess((value) => (Array.isArray(value) ? value.join("\n") : value), z.string());
const count = (least: number) => z.preprocess(toNumber, z.int().min(least)).optional();

/** One of the words, in any case, also where more follows: `passed` is `pass`. */
const oneOf = <const T extends readonly string[]>(all: T, otherwise?: T[number]) => {
  const plain = (text: string) => text.toLowerCase().replace(/[\s-]+/g, "_");
  const known = (text: string) => all.find((word) => plain(text).startsWith(word.toLowerCase()));
  return z.preprocess(
    ifText((text) => known(text) ?? otherwise ?? text),
    z.enum(all),
  );
};

interface RawChapter {
  title: string;
  why?: string | undefined;
  criterion?: string | undefined;
  parts?: Guide[number]["parts"] | undefined;
}

/** Cuts a guide to the service's limits rather than losing it. */
function cutGuide(chapters: readonly RawChapter[]): Guide {
  return chapters
    .slice(0, guideLimits.chapters)
    .map(({ title, why, criterion, parts = [] }) => ({
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

/** As many as the service takes of a report. */
function cutFollowUps(all: readonly { repository: string; title: string; why?: string | undefined }[]) {
  return all
    .slice(0, 5)
    .map(({ repository, title, why = "" }) => ({
      repository: sendable(repository, 2_000),
      title: sendable(title, 200).trim() || "(no title)",
      why: sendable(why, 4_000),
    }));
}

/** The result file, as docs/worker.md has it. */
export const resultSchema = z.object({
  summary: words.optional(),
  /** Result of a planning turn. */
  implementation_plan: words.optional(),
  verify_result: oneOf(verifyResults).optional(),
  failure_class: oneOf(failureClasses, "agent_error").optional(),
  failure_reason: words.optional(),
  resets_at: z
    .preprocess(
      toNumber,
      z.union([z.iso.datetime({ offset: true }), z.int().min(1e9).max(9_999_999_999_999).transform(timeOf)]),
    )
    .optional(),
  model_id: z.string().optional(),
  input_tokens: count(0),
  output_tokens: count(0),
  cache_read_tokens: count(0),
  cache_write_tokens: count(0),
  /** Proof of a criterion, by its id; ideally a command that exits with 0. */
  evidence: z
    .array(
      z.object({
        criterion: z.string(),
        verdict: oneOf(evidenceVerdicts).optional(),
        kind: z.enum(evidenceKinds).exclude(["person"]).optional(),
        command: z.string().optional(),
        guards: flag.optional(),
        excerpt: words.optional(),
        url: httpUrlSchema.optional(),
        /** Path of a picture or recording that the command makes. */
        file: z.string().optional(),
      }),
    )
    .transform((all) => all.slice(0, 200))
    .optional(),
  /** How to read the change. */
  guide: z
    .array(
      z.object({
        title: z.string(),
        why: words.optional(),
        criterion: z.string().optional(),
        parts: z.array(z.object({ path: z.string(), from: count(1), to: count(1) })).optional(),
      }),
    )
    .transform(cutGuide)
    .optional(),
  /** What rework taught; a person decides before any agent reads it. */
  lessons: z.array(z.string()).transform(cutLessons).optional(),
  /** What other repositories need. */
  follow_ups: z
    .array(z.object({ repository: z.string(), title: z.string(), why: words.optional() }))
    .transform(cutFollowUps)
    .optional(),
  question: z
    .object({
      question: z.string(),
      options: z
        .array(z.union([z.string(), z.object({ label: z.string(), description: z.string().optional() })]))
        .optional(),
      recommended_option: count(0),
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

export interface ReadResult {
  result: CommandResult;
  /** Names what could not be read, by key and place. The rest counts. */
  leftOut?: string | undefined;
  /** Set if the turn cannot end with this: the file is no JSON, or asks or plans what cannot be read. */
  fault?: string | undefined;
}

/** Who says what was left out. */
type Teller = { clean: (text: string) => string; output: AttemptOutput; journal: Journal };

/** Reads the result file. Missing or blank: no result. */
export async function readResult(file: string, { clean, output, journal }: Teller): Promise<ReadResult> {
  const text = (await readPlain(file, mostBytes))?.trim();
  if (!text) return { result: {} };
  let written: unknown;
  try {
    written = cleanedValue(parsed(text), clean);
  } catch (error) {
    return { result: {}, fault: `The result file is not JSON ${describeFault(text, messageOf(error))}` };
  }
  if (!isRecord(written)) return { result: {}, fault: "The result file has no JSON object" };
  const { result, slips } = readEach(written);
  if (slips.length === 0) return { result };
  const leftOut = `Left out of the result file: ${slips.slice(0, 20).join("; ")}`;
  output.add({ kind: "note", text: leftOut });
  journal.say(leftOut);
  const decisive = (["question", "implementation_plan"] as const).find(
    (key) => result[key] === undefined && slips.some((slip) => slip.startsWith(key)),
  );
  // Without these, the turn would have another end than its agent meant.
  return { result, leftOut, fault: decisive && `The result file cannot be read: ${slips.join("; ")}` };
}

/** A longer result file is none. */
export const mostBytes = 4 * 1024 ** 2;

/** JSON, also in a code fence or between words, with a comma too many or with line breaks in its texts. */
function parsed(text: string): unknown {
  const bare = text.slice(Math.max(0, text.indexOf("{")), text.lastIndexOf("}") + 1) || text;
  try {
    return JSON.parse(bare);
  } catch (error) {
    try {
      return JSON.parse(bare.replace(/"(?:[^"\\]|\\[\s\S]?)*(?:"|$)|,(?=\s*[}\]])/g, mended));
    } catch {
      throw error;
    }
  }
}

function mended(piece: string): string {
  if (piece === ",") return "";
  return piece.replace(/\p{Cc}/gu, (one) => JSON.stringify(one).slice(1, -1));
}

/** Where and why a text is no JSON, by the words of JSON.parse, which states a position or quotes what is around it. */
function describeFault(text: string, message: string): string {
  const [, position] = /position (\d{1,9})/.exec(message) ?? [];
  const [, cut, near] = /, (\.\.\.)?"([\s\S]*?)"(?:\.\.\.)? is not valid JSON$/.exec(message) ?? [];
  const begin = Math.max(0, text.indexOf("{"));
  const [, token = ""] = /^Unexpected token '(.)'/su.exec(message) ?? [];
  const within = cut ? 10 : Math.max(0, near?.indexOf(token) ?? 0);
  const quoted = near === undefined ? text.length : text.indexOf(near) + within;
  const offset = position === undefined ? quoted : begin + Number(position);
  const reason = message.replace(/(?:, (?:\.\.\.)?"| in JSON at)[\s\S]*$/, "");
  return `at line ${text.slice(0, offset).split("\n").length}: ${reason}`;
}

/** Reads each key by itself: what does not fit is left out, as deep inside as it can be, and named. */
function readEach(written: Fields) {
  const slips: string[] = [];
  for (let rest = shaped(written); ; rest = withoutEmpty(rest)) {
    const read = resultSchema.safeParse(rest ?? {});
    if (read.success) return { result: read.data, slips };
    const gone = new Set<string>();
    for (const { path, message } of read.error.issues) {
      const steps = path.map((one) => (typeof one === "number" ? `[${one}]` : `.${String(one)}`));
      const name = steps.join("").slice(1);
      if (gone.has(name)) continue;
      gone.add(name);
      slips.push(`${name} ${message}`);
      leaveOut(rest, path);
    }
  }
}

type Fields = Record<PropertyKey, unknown>;

function isRecord(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Takes away what is at the place. A required part that is not there takes what lacks it along. */
function leaveOut(value: unknown, path: readonly PropertyKey[]): void {
  const [last, ...rest] = [...path].reverse();
  const within = (one: unknown, step: PropertyKey): unknown =>
    typeof one === "object" && one !== null ? Reflect.get(one, step) : undefined;
  const inner = rest.reverse().reduce(within, value);
  if (Array.isArray(inner)) inner[Number(last)] = null;
  else if (isRecord(inner) && last !== undefined) {
    if (inner[last] === undefined) leaveOut(value, rest);
    else Reflect.deleteProperty(inner, last);
  }
}

/** The forms that models take for the documented ones: one for a list of one, a text for a question or a path. */
function shaped(written: Fields): unknown {
  const all = withoutEmpty(written);
  if (!isRecord(all)) return {};
  for (const key of ["evidence", "guide", "lessons", "follow_ups"]) all[key] = listOf(all[key]);
  for (const chapter of listOf(all.guide).filter(isRecord)) {
    const parts = listOf(chapter.parts);
    chapter.parts = parts.map((part) => (typeof part === "string" ? { path: part } : part));
  }
  const [first] = listOf(all.question);
  const question = typeof first === "string" ? { ...all, question: first } : first;
  all.question = isRecord(question) ? { ...question, options: listOf(question.options) } : first;
  return withoutEmpty(all);
}

function listOf(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

/** Null, a blank text and what holds nothing count as not there. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) {
    const kept = value.map((one) => (one === "" ? one : withoutEmpty(one))).filter(isThere);
    return kept.length > 0 ? kept : undefined;
  }
  if (typeof value === "string") return value.trim() === "" ? undefined : value;
  if (!isRecord(value)) return value ?? undefined;
  const kept = Object.entries(value).flatMap(([key, one]) => {
    const rest = withoutEmpty(one);
    return isThere(rest) ? [[key, rest]] : [];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

function isThere(value: unknown): boolean {
  return value !== undefined;
}
