import { labelWord } from "~/contract/item-filter";
import { pbiStatuses, storyStatuses, taskStatuses } from "~/contract/status";
import type { ProductChoices } from "~/features/items/keys/menu-choices";
import { priorityOptions } from "~/features/items/lists/priority";
import { statusLook } from "~/ui/status";

export type FilterPage = "board" | "backlog";

/** One thing that a word of a filter could become. */
export interface Suggestion {
  /** What takes the place of the word. */
  word: string;
  label: string;
  /** The word is whole with it, and the next one may begin. */
  isWhole: boolean;
}

const fields: Record<FilterPage, readonly string[]> = {
  board: ["status", "priority", "assignee", "label", "story", "worker", "is"],
  backlog: ["status", "priority", "assignee", "label", "sprint", "story"],
};

/** What a label or a name is called, and how it is typed. */
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
    return [["me", "Me"], ...members, ["none", "Nobody"]];
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

/** What the word could become that is being typed: a field by its first letters, or a value of the field that stands there. */
export function suggest(
  word: string,
  page: FilterPage,
  known: ProductChoices | undefined,
): readonly Suggestion[] {
  const [, minus = "", name = "", colon = "", rest = ""] =
    /^(-?)([a-z]*)(:?)(.*)$/i.exec(word) ?? [];
  const field = fields[page].find((one) => one === name.toLowerCase());
  if (colon === "") {
    return fields[page]
      .filter((one) => one.startsWith(name.toLowerCase()))
      .map((one) => ({ word: `${minus}${one}:`, label: `${one}:`, isWhole: false }));
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
  // What is typed whole has nothing left to offer.
  if (found.some(([typed]) => typed.toLowerCase() === begun)) return [];
  return found.slice(0, most).map(([typed, label]) => ({
    word: `${minus}${field}:${earlier}${field === "priority" ? sign : ""}${typed}`,
    label,
    isWhole: true,
  }));
}
