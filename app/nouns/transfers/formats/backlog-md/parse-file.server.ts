import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { timeOf } from "~/wire/transfers/clean-text";

/** Kind of a Backlog.md file, by its folder. */
type Place = "task" | "completed" | "archived task" | "draft" | "archived draft" | "milestone" | "archived milestone";

const places: Readonly<Record<string, Place>> = {
  tasks: "task",
  completed: "completed",
  drafts: "draft",
  milestones: "milestone",
  "archive/tasks": "archived task",
  "archive/drafts": "archived draft",
  "archive/milestones": "archived milestone",
};

/** Decides about a file by its path in the folder. */
export function judgeFile(path: string): { place: Place } | { reason: string } {
  const directory = path.split("/").slice(0, -1).join("/");
  const place = places[directory];
  if (/(^|\/)readme\.md$/i.test(path)) return { reason: "explains the folder, holds no work" };
  if (/^docs(\/|$)/.test(directory)) return { reason: "a document, not work: keep it in the repository" };
  if (/^decisions(\/|$)/.test(directory)) return { reason: "a decision, not work: keep it in the repository" };
  if (!path.endsWith(".md")) return { reason: "not a Markdown file" };
  return place ? { place } : { reason: "outside of the folders of tasks, drafts and milestones" };
}

/** A parsed file of a Backlog.md folder. */
export interface SourceItem {
  path: string;
  place: Place;
  /** The id as written, for example `BACK-24.02`. */
  id: string;
  /** The id without prefix and padding, by which files refer to each other: `24.2`. */
  key: string;
  title: string;
  status: string;
  assignees: string[];
  parentKey: string | null;
  /** Ids of the blockers, as written. */
  dependencies: string[];
  labels: string[];
  milestone: string | null;
  priority: string | null;
  createdAt: string | undefined;
  updatedAt: string | undefined;
  description: string;
  acceptanceCriteria: string;
  plan: string;
  notes: { section: string; content: string }[];
  frontMatter: string;
}

const scalar = z.union([z.string(), z.number(), z.boolean(), z.date()]).transform(String);
const names = z.union([z.array(scalar), scalar.transform((value) => [value])]);
const optional = scalar.nullish().transform((value) => value?.trim() || null);

const frontMatterSchema = z.object({
  id: scalar,
  title: scalar,
  status: optional,
  assignee: names.nullish().transform((value) => value ?? []),
  parent_task_id: optional,
  dependencies: names.nullish().transform((value) => value ?? []),
  labels: names.nullish().transform((value) => value ?? []),
  milestone: optional,
  priority: optional,
  created_date: optional,
  updated_date: optional,
});

/** Parses a file, or returns why it is not an item. */
export function parseFile(path: string, place: Place, text: string): SourceItem | { reason: string } {
  const parts = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)([\s\S]*)$/.exec(
    // Text columns cannot store NUL, which means nothing in Markdown.
    text.replaceAll("\0", ""),
  );
  if (!parts) return { reason: "has no front matter between two lines of ---" };
  const [, frontMatter = "", body = ""] = parts;
  const excess = findExcess(frontMatter, body);
  if (excess) return { reason: excess };
  const fields = parseFrontMatter(frontMatter);
  if ("reason" in fields) return fields;
  return {
    path,
    place,
    id: fields.id.trim(),
    key: toKey(fields.id),
    title: fields.title.trim() || fields.id.trim(),
    status: fields.status ?? "",
    assignees: fields.assignee.map((name) => name.replace(/^@/, "")).filter((name) => name !== ""),
    parentKey: fields.parent_task_id === null ? null : toKey(fields.parent_task_id),
    dependencies: [...new Set(fields.dependencies.map((id) => id.trim()).filter((id) => id !== ""))],
    labels: fields.labels,
    milestone: fields.milestone,
    priority: fields.priority?.toLowerCase() ?? null,
    createdAt: toTimestamp(fields.created_date),
    updatedAt: toTimestamp(fields.updated_date),
    ...splitSections(body),
    frontMatter,
  };
}

const limits = { frontMatter: 64 * 1024, entries: 2_000, lines: 50_000, depth: 32 } as const;

/** Returns which limit is exceeded, if any. Deeply nested YAML is not parsed at all. */
function findExcess(frontMatter: string, body: string): string | undefined {
  if (frontMatter.length > limits.frontMatter) {
    return `front matter is longer than ${limits.frontMatter / 1024} KiB`;
  }
  // The parser compares each key of a map with all others.
  if ((frontMatter.match(/[\n,]/g)?.length ?? 0) > limits.entries) {
    return `front matter has more than ${limits.entries} entries`;
  }
  if (nestingOf(frontMatter) > limits.depth) {
    return `front matter is nested deeper than ${limits.depth} levels`;
  }
  const lines = body.split("\n", limits.lines + 1).length;
  return lines > limits.lines ? `has more than ${limits.lines} lines` : undefined;
}

/** Upper bound of the nesting depth, from brackets and from leading dashes. */
function nestingOf(yaml: string): number {
  let deepest = 0;
  let open = 0;
  for (const sign of yaml.match(/[[\]{}]/g) ?? []) {
    open = Math.max(0, open + (sign === "[" || sign === "{" ? 1 : -1));
    deepest = Math.max(deepest, open);
  }
  for (const line of yaml.split("\n")) {
    const dashes = /^(?:[ \t]*[-?][ \t])*/.exec(line)?.[0].match(/[-?]/g)?.length ?? 0;
    deepest = Math.max(deepest, dashes);
  }
  return deepest;
}

/** `task-24.02`, `BACK-24.2` and `24.2` are the same task in a Backlog.md folder. */
export function toKey(id: string): string {
  const bare = id.trim().replace(/^[A-Za-z]+-(?=\d)/, "");
  return bare
    .split(".")
    .map((part) => (/^\d+$/.test(part) ? String(Number(part)) : part.toLowerCase()))
    .join(".");
}

function parseFrontMatter(text: string): z.output<typeof frontMatterSchema> | { reason: string } {
  try {
    const parsed = frontMatterSchema.safeParse(
      parseYaml(quoteTexts(text), { schema: "failsafe", customTags: ["null"] }),
    );
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    return { reason: `front matter: ${issue?.path.join(".") || "it"} ${issue?.message ?? "is wrong"}` };
  } catch (error) {
    const [firstLine = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    return { reason: `front matter is not valid YAML: ${firstLine.replace(/:$/, "")}` };
  }
}

/**
 * People write texts without the quotes that YAML asks for: `assignee: @name`, `title: Fix: the loop #3`. What spans
 * lines stays as it is.
 */
function quoteTexts(frontMatter: string): string {
  return frontMatter.replace(
    /^((?:[ \t]*(?:-|\w+:)[ \t]+(?=@)|(?:title|status|milestone):[ \t]+(?=[^\s"'|>])))(.*)$(?!\r?\n[ \t])/gm,
    (_line, key: string, said: string) => `${key}${JSON.stringify(said.trimEnd())}`,
  );
}

/** Parses `2026-07-11 09:21` and `2025-06-22` as UTC; anything else is undefined. */
function toTimestamp(value: string | null): string | undefined {
  const parts = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?::\d{2})?.*)?$/.exec(value ?? "");
  if (!parts) return undefined;
  return timeOf(`${parts[1]}T${parts[2] ?? "00:00"}:00Z`);
}

/** Texts of a Backlog.md file by section. */
interface Sections {
  description: string;
  acceptanceCriteria: string;
  plan: string;
  notes: { section: string; content: string }[];
}

const headings: Readonly<Record<string, string>> = {
  description: "Description",
  "acceptance criteria": "Acceptance Criteria",
  "definition of done": "Definition of Done",
  "implementation plan": "Implementation Plan",
  "implementation notes": "Implementation Notes",
  "final summary": "Final Summary",
  comments: "Comments",
};

const begin = /^<!--\s*(?:SECTION:\w+|AC|DOD|COMMENTS):BEGIN\s*-->$/;
const end = /^<!--\s*(?:SECTION:\w+|AC|DOD|COMMENTS):END\s*-->$/;
const fence = /^\s*(```|~~~)/;

/**
 * Splits the body at the headings Backlog.md writes. Other headings stay in their section, and headings inside marker
 * comments or code fences are ignored, so that no line is lost.
 */
export function splitSections(body: string): Sections {
  const texts = new Map<string, string[]>();
  let current = "Description";
  let isMarked = false;
  let isFenced = false;
  for (const line of body.split(/\r?\n/)) {
    if (fence.test(line)) isFenced = !isFenced;
    const trimmed = line.trim();
    if (begin.test(trimmed) || end.test(trimmed)) {
      isMarked = begin.test(trimmed);
      isFenced = false;
      continue;
    }
    const heading = isMarked || isFenced ? undefined : knownHeading(trimmed);
    if (heading !== undefined) current = heading;
    else if (texts.has(current)) texts.get(current)?.push(line);
    else texts.set(current, [line]);
  }
  return toSections((section) => (texts.get(section) ?? []).join("\n").trim());
}

/** Longer lines are not headings; matching them could take quadratic time. */
const longestHeading = 80;

function knownHeading(line: string): string | undefined {
  if (line.length > longestHeading) return undefined;
  const title = /^##?\s+(.+?):?\s*$/.exec(line)?.[1];
  return title === undefined ? undefined : headings[title.toLowerCase()];
}

function toSections(textOf: (section: string) => string): Sections {
  const done = textOf("Definition of Done");
  const criteria = textOf("Acceptance Criteria");
  return {
    description: textOf("Description"),
    acceptanceCriteria: done === "" ? criteria : `${criteria}\n\nDefinition of Done:\n${done}`.trim(),
    plan: textOf("Implementation Plan"),
    notes: ["Implementation Notes", "Final Summary", "Comments"]
      .map((section) => ({ section, content: textOf(section) }))
      .filter((note) => note.content !== ""),
  };
}
