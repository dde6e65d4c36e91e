import { z } from "zod";
import type { DiffFile } from "../agent-jobs/job-diff";
import { type Hunk, parsePatch } from "../agent-jobs/patch";
import { requiredText, text } from "../text";
import { isFoldedFile } from "./folded-files";

export const guideLimits = { chapters: 20, title: 120, why: 600, parts: 10_000 } as const;

const line = z.int().min(1).max(100_000_000).optional();

/** How its agent explains a change: chapters in the order in which to read them (docs/review.md). */
export const guideSchema = z
  .array(
    z.object({
      title: requiredText(guideLimits.title),
      why: text(guideLimits.why).default(""),
      criterion: text(200).nullish(),
      /** Lines of the new side, both ends included; the whole file without them. */
      parts: z
        .array(z.object({ path: text(4_096), from: line, to: line }))
        .max(guideLimits.parts)
        .default([]),
    }),
  )
  .max(guideLimits.chapters);
export type Guide = z.output<typeof guideSchema>;

export const chapterSchema = z.object({
  title: z.string(),
  why: z.string(),
  criterion: z.string().nullable(),
  /** Hunks of each file, counted from 0. */
  parts: z.array(z.object({ path: z.string(), hunks: z.array(z.int()) })),
  /** Earlier chapters, counted from 0, that have lines which this one names too. */
  shown_in: z.array(z.int()).optional(),
  /** What no chapter of the agent names. */
  rest: z.literal(true).optional(),
});
export type Chapter = z.infer<typeof chapterSchema>;

export const jobGuideSchema = z.object({
  attempt: z.int(),
  head_sha: z.string(),
  /** Who ordered it: the agent, or a rule. */
  source: z.enum(["agent", "order"]),
  chapters: z.array(chapterSchema),
});

type File = Pick<DiffFile, "path" | "patch" | "folded">;

type Told = { hunk: Hunk | null; chapter?: number };

/** Which chapter has what of the files: the hunks of each by their place. */
class Telling {
  private readonly files = new Map<string, Map<number, Told>>();
  /** A guide that asks for more than this is not followed further: the rest is listed as everything else. */
  steps = 1_000_000;

  constructor(files: readonly File[]) {
    for (const { path, patch } of files) {
      const { hunks } = parsePatch(patch ?? "");
      const known = this.files.get(path) ?? new Map<number, Told>();
      for (const hunk of hunks) known.set(known.size, { hunk });
      if (known.size === 0) known.set(-1, { hunk: null });
      this.files.set(path, known);
    }
  }

  /** Takes the hunks of a file that touch the lines, each once, and notes which earlier chapters have some of them. */
  take({ path, from = 1, to = Number.POSITIVE_INFINITY }: Part, chapter: number, shownIn: Set<number>) {
    const taken: number[] = [];
    for (const [place, told] of this.files.get(path) ?? []) {
      this.steps -= 1;
      if (told.hunk !== null && !touches(told.hunk, from, to)) continue;
      if (told.chapter === undefined) {
        told.chapter = chapter;
        taken.push(place);
      } else if (told.chapter !== chapter) shownIn.add(told.chapter);
    }
    return taken;
  }

  /** Files of which no chapter has all. */
  untold(): Part[] {
    return [...this.files].flatMap(([path, hunks]) =>
      [...hunks.values()].some(({ chapter }) => chapter === undefined) ? [{ path }] : [],
    );
  }
}

type Part = Guide[number]["parts"][number];

/** A hunk that only deletes is at the line before it, and at the first where that is none: a deleted file has no lines. */
function touches({ newStart, lines }: Hunk, from: number, to: number): boolean {
  const start = Math.max(newStart, 1);
  const length = lines.filter(({ kind }) => kind !== "deleted").length;
  return start <= to && from <= start + Math.max(length, 1) - 1;
}

/** What the agent does not say: what the proof says, which paths are tests, and which criteria the story has. */
export type Clues = { proof: string; tests: readonly string[]; criteria: readonly string[] };

/** Every hunk exactly once: the agent's chapters, then the rest. One without hunks left stays for what it says. */
export function chaptersOf(
  files: readonly File[],
  guide: Guide | null,
  clues: Clues = { proof: "", tests: [], criteria: [] },
): Chapter[] {
  const telling = new Telling(files);
  if (guide === null) return byRule(files, telling, clues);
  const told = guide.map(({ title, why, criterion, parts }, place) => ({
    title,
    why,
    criterion: clues.criteria.find((known) => known === criterion) ?? null,
    ...gather(telling, parts, place),
  }));
  telling.steps = Number.POSITIVE_INFINITY;
  const rest = gather(telling, telling.untold(), told.length);
  if (rest.parts.length === 0) return told;
  return [...told, { title: "Everything else", why: "", criterion: null, ...rest, rest: true }];
}

function gather(telling: Telling, wanted: readonly Part[], chapter: number) {
  const parts = new Map<string, number[]>();
  const shownIn = new Set<number>();
  for (const part of wanted) {
    if (telling.steps < 0) break;
    const taken = telling.take(part, chapter, shownIn);
    if (taken.length > 0) parts.set(part.path, [...(parts.get(part.path) ?? []), ...taken]);
  }
  return {
    parts: [...parts].map(([path, hunks]) => ({
      path,
      hunks: hunks.filter((hunk) => hunk >= 0).sort((one, other) => one - other),
    })),
    ...(shownIn.size > 0 ? { shown_in: [...shownIn].sort((one, other) => one - other) } : {}),
  };
}

const isConfiguration = /(^|\/)\.[^/]+$|\.(json|ya?ml|toml|ini|cfg|conf)$/i;

/** Paths that a proof may name: its words, and what they end with, since tools also say where a file lies. */
function namedIn(proof: string): Set<string> {
  const named = new Set<string>();
  for (const word of proof.split(/[\s"'`()[\]{}<>,;:=]+/)) {
    const parts = word.split("/").slice(-20);
    for (const from of parts.keys()) named.add(parts.slice(from).join("/"));
  }
  return named;
}

/** Without a guide: code that a proof names, other code, tests, configuration, generated files. */
function byRule(files: readonly File[], telling: Telling, { proof, tests }: Clues): Chapter[] {
  const [known, named] = [new Set(tests), namedIn(proof)];
  const kindOf = ({ path, folded }: File): string => {
    if (folded || isFoldedFile(path)) return "Generated and lock files";
    if (known.has(path)) return "Tests";
    if (isConfiguration.test(path)) return "Configuration";
    return named.has(path) ? "Code that the proof names" : "Code";
  };
  const kinds = ["Code that the proof names", "Code", "Tests", "Configuration", "Generated and lock files"];
  return kinds.flatMap((title, place) => {
    const ofKind = files.filter((file) => kindOf(file) === title).map(({ path }) => ({ path }));
    const { parts } = gather(telling, ofKind, place);
    return parts.length === 0 ? [] : [{ title, why: "", criterion: null, parts }];
  });
}
