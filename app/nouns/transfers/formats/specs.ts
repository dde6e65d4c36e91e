import { type Item, readLine } from "~/wire/transfers/boxes";
import type { TaskFields } from "~/wire/transfers/draft";

/** A Markdown document of a spec folder: its first heading and the rest. */
export type Spec = { title: string; body: string };

export const finishedPlan = "Plans of what is done";
export const itemsWithoutBox = "List items without a box";

/** Words that templates write before the name of the thing. */
const labels =
  /^(?:(?:feature )?spec(?:ification)?|(?:implementation )?plan|tasks?|feature|(?:change )?proposal|change)(?: list)?\s?:\s?/i;

/** Splits a document at its first heading of these levels; without one it has no title. */
export function readSpec(text: string, deepest: 1 | 3): Spec {
  const body = text.replace(/^---\n[\s\S]*?\n---\n/, "");
  const found = (deepest === 1 ? /^# +(\S.*)$/m : /^#{1,3} +(\S.*)$/m).exec(body);
  if (!found) return { title: "", body };
  const title = (found[1] ?? "").replace(labels, "").trim();
  return { title, body: body.slice(0, found.index) + body.slice(found.index + found[0].length) };
}

/** The task of an item, with the lines around it as description. */
export function taskOf(
  { id, title, state }: Pick<TaskFields, "id" | "title" | "state">,
  { heading, details }: Item,
  plan: string,
): TaskFields {
  const said = title.length > 250 ? [title] : [];
  return {
    id,
    title,
    state,
    description: [...said, heading, details.join("\n")].filter(Boolean).join("\n\n"),
    // A finished task needs none, and every task would keep a copy.
    implementation_plan: state === "DONE" ? null : plan || null,
  };
}

export function stateOf(tasks: readonly TaskFields[]): "DONE" | "TO_DO" {
  return tasks.length > 0 && tasks.every(({ state }) => state === "DONE") ? "DONE" : "TO_DO";
}

const scenario = /^#{2,6} +Scenario: *(\S.*)$/i;

/** The scenarios of a document as acceptance criteria, a line each: list items that begin with *Given*, or what is under a heading *Scenario*. */
export function criteriaOf(text: string): string {
  const criteria: string[][] = [];
  let open: "given" | "scenario" | undefined;
  for (const line of text.split("\n")) {
    const { isListed, rest, box } = readLine(line);
    const step = isListed ? box?.title || rest || undefined : undefined;
    const item = step !== undefined && /^\*{0,2}Given\b/i.test(step) ? step : undefined;
    const [, named] = scenario.exec(line) ?? [];
    if (named !== undefined) {
      open = "scenario";
      criteria.push([`${named}:`]);
    } else if (open === "scenario" && !line.startsWith("#")) {
      if (step !== undefined) criteria.at(-1)?.push(step);
    } else if (item !== undefined) {
      open = "given";
      criteria.push([item]);
    } else if (open === "given" && /^\s+\S/.test(line) && step === undefined) {
      criteria.at(-1)?.push(line.trim());
    } else open = undefined;
  }
  return criteria.map((lines) => `- ${lines.join(" ").replaceAll("**", "").trim()}`).join("\n");
}
