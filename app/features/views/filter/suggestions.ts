import { labelWord } from "~/contract/item-filter";
import { pbiStatuses, storyStatuses, taskStatuses } from "~/contract/status";
import { priorityOptions } from "~/features/items/lists/priority";
import type { ProductChoices } from "~/features/items/menu-choices";
import { statusLook } from "~/ui/status";

export type FilterPage = "board" | "backlog";

/** A completion of a word in a filter. */
export interface Suggestion {
  /** Replaces the word. */
  word: string;
  label: string;
  /** Whether the word is complete, so that the next one can start. */
  isWhole: boolean;
}

const fields: Record<FilterPage, readonly string[]> = {
  board: ["status", "priority", "assignee", "label", "story", "worker", "is"],
  backlog: ["status", "priority", "assignee", "label", "sprint", "story"],
};

/** A value as typed in a filter, and its label. */
type Value = readonly [typed: string, label: string];

const none: Value = ["none", "None"];

const statuses: Record<FilterPage, readonly string[]> = {
  board: taskStatuses,
  backlog: [...new Set([...taskStatuses, ...storyStatuses, ...pbiStatuses])],
};

function valuesOf(field: string, page: FilterPage, known: ProductChoices | undefined): Value[] {
  if (field === "status")
    return statuses[page].map((one) => [one.replaceAll("_", "-"), statusLook(one).label]);
  if (field === "priority") return priorityOptions().map(({ value, label }) => [value, label]);
  if (field === "is") {
    return [
      ["waiting", "Waiting for an answer"],
      ["running", "Running"],
      ["planned", "Has a plan"],
      ["unplanned", "Has no plan"],
    ];
  }
  if (!known) return [];
  if (field === "assignee") {
    const members = known.members.map(({ username }): Value => [username.toLowerCase(), username]);
    return [["me", "Me"], ...members, ["none", "No one"]];
  }
  if (field === "label")
    return [...known.labels.map(({ name }): Value => [labelWord(name), name]), none];
  if (field === "sprint")
    return [...known.sprints.map(({ code, goal }): Value => [code, `${code} ${goal}`]), none];
  if (field === "story")
    return known.stories.map(({ code, title }): Value => [code, `${code} ${title}`]);
  return [];
}

const most = 12;

/** Fields whose values a word without a field may mean. */
const guessed = ["label", "assignee", "status", "sprint"] as const;

/** Returns the values that begin with the word, or have a word that does, with their field. */
function guess(word: string, page: FilterPage, known: ProductChoices | undefined): Suggestion[] {
  if (word.length < 2) return [];
  const begins = (text: string) => ` ${text.toLowerCase()}`.includes(` ${word}`);
  return guessed
    .filter((field) => fields[page].includes(field))
    .flatMap((field) =>
      valuesOf(field, page, known)
        .filter(([typed, label]) => begins(typed) || begins(label))
        .map(([typed, label]) => ({
          word: `${field}:${typed}`,
          label: `${field}: ${label}`,
          isWhole: true,
        })),
    )
    .slice(0, most);
}

/**
 * Returns completions of the current word: values of the field before the colon, or fields by prefix and values that the
 * word may mean.
 */
export function suggest(
  word: string,
  page: FilterPage,
  known: ProductChoices | undefined,
): readonly Suggestion[] {
  const [, minus = "", name = "", colon = "", rest = ""] =
    /^(-?)([a-z]*)(:?)(.*)$/i.exec(word) ?? [];
  const field = fields[page].find((one) => one === name.toLowerCase());
  if (colon === "") {
    const begun = fields[page]
      .filter((one) => one.startsWith(name.toLowerCase()) && rest === "")
      .map((one) => ({ word: `${minus}${one}:`, label: `${one}:`, isWhole: false }));
    return [...begun, ...guess(word.toLowerCase(), page, known)];
  }
  if (!field) return [];
  const earlier = rest.slice(0, rest.lastIndexOf(",") + 1);
  const [, sign = "", begun = ""] =
    /^(<=|>=|<|>|=)?(.*)$/.exec(rest.slice(earlier.length).toLowerCase()) ?? [];
  const taken = earlier.toLowerCase().split(",");
  const found = valuesOf(field, page, known).filter(
    ([typed, label]) =>
      !taken.includes(typed.toLowerCase()) &&
      (typed.toLowerCase().includes(begun) || label.toLowerCase().includes(begun)),
  );
  // A complete value needs no suggestions.
  if (found.some(([typed]) => typed.toLowerCase() === begun)) return [];
  return found.slice(0, most).map(([typed, label]) => ({
    word: `${minus}${field}:${earlier}${field === "priority" ? sign : ""}${typed}`,
    label,
    isWhole: true,
  }));
}
