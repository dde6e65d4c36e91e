import type { ProvenCriterion } from "~/nouns/proof/contract";

/** Part of a pull request's text about one story. */
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
 * Inserts or updates the parts of these stories. Keeps people's text around them, and parts of other stories on the
 * branch.
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

/** Removes HTML comments, so that no story text looks like the markers of a part. */
function withoutMarks(text: string): string {
  return text.replace(/<!--[\s\S]*?(-->|$)/g, "");
}

/** True if every criterion of these stories is proven or waived. */
export function areProven(parts: readonly StoryPart[]): boolean {
  const criteria = parts.flatMap((part) => part.criteria);
  return (
    criteria.length > 0 && criteria.every(({ state }) => state === "proven" || state === "waived")
  );
}
