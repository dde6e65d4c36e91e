import type { ProvenCriterion } from "~/contract/proof";

/** What a pull request says of one story. */
export interface StoryPart {
  code: string;
  title: string;
  description: string;
  link: string;
  criteria: readonly ProvenCriterion[];
}

const longestDescription = 4_000;

const seenBy: Record<NonNullable<ProvenCriterion["grade"]>, string> = {
  said: "the agent says so",
  worker: "the worker ran it",
  other_worker: "another worker checked it",
  ci: "CI ran it",
  person: "a person checked it",
};

/**
 * The text with the parts of these stories as they are now. What people write around them, and the parts of other stories of the
 * branch, stay.
 */
export function withStories(body: string, parts: readonly StoryPart[]): string {
  return parts.reduce(withStory, body).trim();
}

function withStory(body: string, part: StoryPart): string {
  const begin = `<!-- backloom ${part.code} -->`;
  const end = `<!-- /backloom ${part.code} -->`;
  const text = `${begin}\n${textOf(part)}\n${end}`;
  const [from, to] = [body.indexOf(begin), body.indexOf(end)];
  if (from < 0 || to < from) return `${body.trim()}\n\n${text}`;
  return `${body.slice(0, from)}${text}${body.slice(to + end.length)}`;
}

function textOf({ code, title, description, link, criteria }: StoryPart): string {
  const about = withoutMarks(description).slice(0, longestDescription).trim();
  const lines = criteria.map(lineOf);
  return [
    `## [${code}](${link}): ${withoutMarks(title)}`,
    ...(about === "" ? [] : [about]),
    ...(lines.length === 0 ? [] : [`### Acceptance criteria\n\n${lines.join("\n")}`]),
  ].join("\n\n");
}

function lineOf({ text, state, grade, evidence, waiver }: ProvenCriterion): string {
  const isMet = state === "proven" || state === "waived";
  const words = withoutMarks(text).replaceAll("\n", " ");
  return `- [${isMet ? "x" : " "}] ${words} (${waiver === null ? proofOf(state, grade, evidence) : "waived"})`;
}

function proofOf(
  state: ProvenCriterion["state"],
  grade: ProvenCriterion["grade"],
  evidence: ProvenCriterion["evidence"],
): string {
  if (state !== "proven" || grade === null) return state === "failed" ? "failed" : "not proven yet";
  const command = evidence.find((one) => one.grade === grade && one.verdict === "pass")?.command;
  const shown = command?.replace(/[`\n]/g, " ").slice(0, 200);
  return shown ? `${seenBy[grade]}: \`${shown}\`` : seenBy[grade];
}

/** A story may hold any text; none of it may look like the marks that the next update looks for. */
function withoutMarks(text: string): string {
  return text.replace(/<!--[\s\S]*?(-->|$)/g, "");
}

/** Whether nothing is left to be seen of these stories. */
export function areProven(parts: readonly StoryPart[]): boolean {
  const criteria = parts.flatMap((part) => part.criteria);
  return (
    criteria.length > 0 && criteria.every(({ state }) => state === "proven" || state === "waived")
  );
}
