/** Texts of a Backlog.md file by section. */
export interface Sections {
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
    acceptanceCriteria:
      done === "" ? criteria : `${criteria}\n\nDefinition of Done:\n${done}`.trim(),
    plan: textOf("Implementation Plan"),
    notes: ["Implementation Notes", "Final Summary", "Comments"]
      .map((section) => ({ section, content: textOf(section) }))
      .filter((note) => note.content !== ""),
  };
}
