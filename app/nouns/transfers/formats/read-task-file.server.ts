import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { timeOf } from "~/wire/transfers/clean-text";
import { toPriority } from "~/wire/transfers/state";
import { append } from "../append";
import { decodeText } from "./folder.server";

/** A file of a Backlog.md folder: a task, a draft or a milestone. */
export type TaskFile = Exclude<ReturnType<typeof readTaskFile>, string>;

/** Reads a file by its path in the folder, or returns why it is none of these. */
export function readTaskFile(path: string, bytes: Uint8Array) {
  const unfit = unfitPaths.find(([pattern]) => pattern.test(path))?.[1];
  if (unfit !== undefined) return unfit;
  // Text columns cannot store NUL, which means nothing in Markdown.
  const text = decodeText(bytes)?.replaceAll("\0", "");
  if (text === undefined) return "neither UTF-8 nor UTF-16 text";
  const parts = /^---\n([\s\S]*?)\n---[ \t]*(?:\n|$)([\s\S]*)$/.exec(text);
  if (!parts) return "has no front matter between two lines of ---";
  const [, frontMatter = "", body = ""] = parts;
  const head = excessOf(frontMatter, body) ?? readFrontMatter(frontMatter);
  if (typeof head === "string") return head;
  const textOf = splitSections(body);
  const done = textOf("Definition of Done");
  const acceptance_criteria = `${textOf("Acceptance Criteria")}${done && `\n\nDefinition of Done:\n${done}`}`.trim();
  const implementation_plan = textOf("Implementation Plan");
  const sections = [
    { section: "Acceptance Criteria", content: acceptance_criteria, isNote: false },
    { section: "Implementation Plan", content: implementation_plan, isNote: false },
    ...noteSections.map((section) => ({ section, content: textOf(section), isNote: true })),
  ].filter(({ content }) => content !== "");
  return {
    ...head,
    title: head.title || head.id,
    path,
    folder: path.slice(0, path.lastIndexOf("/")),
    key: keyOf(head.id),
    frontMatter,
    description: textOf("Description"),
    acceptance_criteria,
    implementation_plan,
    sections,
  };
}

const noteSections = ["Implementation Notes", "Final Summary", "Comments"];

/** Paths without work, and why. */
const unfitPaths: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)readme\.md$/i, "explains the folder, holds no work"],
  [/^docs\//, "a document, not work: keep it in the repository"],
  [/^decisions\//, "a decision, not work: keep it in the repository"],
  [/(?<!\.md)$/, "not a Markdown file"],
  [
    /^(?!(?:completed|(?:archive\/)?(?:tasks|drafts|milestones))\/[^/]+$)/,
    "outside of the folders of tasks, drafts and milestones",
  ],
];

/** What the parsers cannot take: YAML compares each key of a map with all others, and nests by calling itself. */
function excessOf(frontMatter: string, body: string): string | undefined {
  if (frontMatter.length > 64 * 1024) return "front matter is longer than 64 KiB";
  if (frontMatter.split(/[\n,]/).length > 2_001) return "front matter has more than 2000 entries";
  if (nestingOf(frontMatter) > 32) return "front matter is nested deeper than 32 levels";
  return body.split("\n", 50_001).length > 50_000 ? "has more than 50000 lines" : undefined;
}

/** Upper bound of the nesting depth, from brackets and from leading dashes. */
function nestingOf(yaml: string): number {
  let open = 0;
  let deepest = 0;
  for (const sign of yaml.match(/[[\]{}]/g) ?? []) {
    open = Math.max(0, open + (/[[{]/.test(sign) ? 1 : -1));
    deepest = Math.max(deepest, open);
  }
  const dashes = yaml.match(/^(?:[ \t]*[-?][ \t])+/gm) ?? [];
  return Math.max(deepest, ...dashes.map((start) => start.replace(/[ \t]/g, "").length));
}

const line = z.string().trim();
const optional = line.nullish().transform((text) => text || null);
const names = z
  .union([z.array(z.string()), z.string().transform((name) => [name])])
  .nullish()
  .transform((given) => given ?? []);
/** `2026-07-11 09:21` and `2025-06-22` as UTC; anything else is undefined. */
const time = optional.transform((text) => {
  const [, day, minute = "00:00"] = /^(\d{4}-\d\d-\d\d)(?:[ T](\d\d:\d\d)(?::\d\d)?.*)?$/.exec(text ?? "") ?? [];
  return day && timeOf(`${day}T${minute}:00Z`);
});

const headSchema = z.object({
  id: line,
  title: line,
  status: optional.transform((word) => word ?? ""),
  assignee: names.transform((given) => given.map((name) => name.replace(/^@/, "")).find(Boolean)),
  parent_task_id: optional.transform((id) => id && keyOf(id)),
  dependencies: names.transform((given) => [...new Set(given.map((id) => id.trim()).filter(Boolean))]),
  labels: names,
  milestone: optional,
  priority: optional.transform((name) => toPriority(name?.toLowerCase() ?? null)),
  created_date: time,
  updated_date: time,
});

function readFrontMatter(text: string): z.output<typeof headSchema> | string {
  try {
    const read = headSchema.safeParse(parseYaml(quoteTexts(text), { schema: "failsafe", customTags: ["null"] }));
    if (read.success) return read.data;
    const [issue] = read.error.issues;
    return `front matter: ${issue?.path.join(".") || "it"} ${issue?.message ?? "is wrong"}`;
  } catch (error) {
    const [firstLine = ""] = (error instanceof Error ? error.message : String(error)).split("\n");
    return `front matter is not valid YAML: ${firstLine.replace(/:$/, "")}`;
  }
}

/** People leave out the quotes that YAML asks for: `assignee: @name`, `title: Fix: the loop #3`. Not in blocks. */
function quoteTexts(frontMatter: string): string {
  return frontMatter.replace(
    /^((?:[ \t]*(?:-|\w+:)[ \t]+(?=@)|(?:title|status|milestone):[ \t]+(?=[^\s"'|>])))(.*)$(?!\r?\n[ \t])/gm,
    (_line, key: string, said: string) => `${key}${JSON.stringify(said.trimEnd())}`,
  );
}

/** An id without prefix and padding: `task-24.02`, `BACK-24.2` and `24.2` are the same task in a Backlog.md folder. */
export function keyOf(id: string): string {
  const bare = id.trim().replace(/^[A-Za-z]+-(?=\d)/, "");
  const parts = bare.split(".").map((part) => (/^\d+$/.test(part) ? `${Number(part)}` : part.toLowerCase()));
  return parts.join(".");
}

const heading =
  /^##?\s+(description|acceptance criteria|definition of done|implementation (?:plan|notes)|final summary|comments):?$/i;
const marker = /^<!--\s*(?:SECTION:\w+|AC|DOD|COMMENTS):(BEGIN|END)\s*-->$/;
const fence = /^\s*(```|~~~)/;

/** Only at headings that Backlog.md writes, and not inside marker comments or code fences, so that no line is lost. */
export function splitSections(body: string): (section: string) => string {
  const texts = new Map<string, string[]>();
  let current = "description";
  let isMarked = false;
  let isFenced = false;
  for (const text of body.split(/\r?\n/)) {
    if (fence.test(text)) isFenced = !isFenced;
    const [, mark] = marker.exec(text.trim()) ?? [];
    const [, title] = isMarked || isFenced ? [] : (heading.exec(text.trim()) ?? []);
    if (mark !== undefined) [isMarked, isFenced] = [mark === "BEGIN", false];
    else if (title !== undefined) current = title.toLowerCase();
    else append(texts, current, text);
  }
  return (section) => (texts.get(section.toLowerCase()) ?? []).join("\n").trim();
}
