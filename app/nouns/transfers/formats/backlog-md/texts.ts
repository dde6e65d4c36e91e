import type { ImportedStory } from "../../contract";
import type { SourceItem } from "./parse-file.server";

/** Longest text of a log entry; longer notes become several entries. */
const maximumLogText = 90_000;

/** Joins texts under their headings, without empty ones. */
export function joinSections(
  sections: readonly (readonly [heading: string, text: string])[],
): string {
  return sections
    .filter(([, text]) => text !== "")
    .map(([heading, text]) => (heading === "" ? text : `## ${heading}\n\n${text}`))
    .join("\n\n");
}

/** All of a file as one text, for items with a single text field. */
export function wholeText(item: SourceItem): string {
  return joinSections([
    ["", item.description],
    ["Acceptance Criteria", item.acceptanceCriteria],
    ["Implementation Plan", item.plan],
    ...item.notes.map((note) => [note.section, note.content] as const),
    ["Source", `${item.path}\n\n\`\`\`yaml\n${item.frontMatter}\n\`\`\``],
  ]);
}

type LogEntry = ImportedStory["log"][number];

/** Log entries of a file: its origin with all fields, then its notes. */
export function logEntries(item: SourceItem): LogEntry[] {
  const origin: LogEntry = {
    content: `Imported from ${item.path}\n\n\`\`\`yaml\n${item.frontMatter}\n\`\`\``,
    metadata: { source: "backlog-md", id: item.id, section: "Front matter" },
    created_at: item.createdAt,
  };
  const notes = item.notes.flatMap(({ section, content }) =>
    cut(content).map(
      (part): LogEntry => ({
        content: part,
        metadata: { source: "backlog-md", id: item.id, section },
        created_at: item.updatedAt ?? item.createdAt,
      }),
    ),
  );
  return [origin, ...notes];
}

function cut(text: string): string[] {
  const parts: string[] = [];
  for (let at = 0; at < text.length; ) {
    let next = Math.min(at + maximumLogText, text.length);
    // Do not split a surrogate pair.
    if (next < text.length && /[\uD800-\uDBFF]/.test(text.charAt(next - 1))) next -= 1;
    parts.push(text.slice(at, next));
    at = next;
  }
  return parts;
}
