/** Words match code, title, labels or assignee; commas are alternatives, a minus negates, priority takes `<`, `>=`. */
type ItemFilter = { text: string; terms: readonly FilterTerm[] };

type FilterTerm = { field: FilterField; values: readonly string[]; not: boolean };

const filterFields = ["status", "priority", "assignee", "label", "sprint", "story", "worker", "is"] as const;
type FilterField = (typeof filterFields)[number];

/** Fields that a filter can match. A missing field matches only `none`. */
export interface FilterItem {
  code: string;
  title: string;
  status: string;
  priority?: number;
  assignee?: readonly string[];
  /** Label names. In a filter, hyphens replace spaces. */
  labels?: readonly string[];
  sprint?: string | undefined;
  story?: string | undefined;
  worker?: string | undefined;
  /** Words such as `waiting` or `running`. */
  is?: readonly string[];
}

export function readFilter(query: string): ItemFilter {
  const words: string[] = [];
  const terms: FilterTerm[] = [];
  for (const word of query.split(/\s+/)) {
    const at = word.indexOf(":");
    const not = word.startsWith("-");
    const name = word.slice(not ? 1 : 0, at).toLowerCase();
    const field = filterFields.find((known) => known === name);
    const values = word
      .slice(at + 1)
      .toLowerCase()
      .split(",")
      .filter(Boolean);
    if (at > 0 && field) {
      // `label:` without a value yet filters nothing.
      if (values.length > 0) terms.push({ field, values, not });
    } else if (word !== "") words.push(word);
  }
  return { text: words.join(" ").toLowerCase(), terms };
}

/** `me` is the caller's id. */
export function matchesFilter({ text, terms }: ItemFilter, item: FilterItem, me: string): boolean {
  const said = text === "" || text.split(" ").every(isIn(item));
  return said && terms.every((term) => term.values.some(holds(term, item, me)) !== term.not);
}

function isIn({ code, title, labels = [], assignee = [] }: FilterItem): (word: string) => boolean {
  const [, ...people] = assignee;
  const texts = [code, title, ...labels, ...labels.map(labelWord), ...people];
  return (word) => texts.some((one) => one.toLowerCase().includes(word));
}

function holds({ field }: FilterTerm, item: FilterItem, me: string): (value: string) => boolean {
  if (field === "priority") return (value) => compares(item.priority, value);
  if (field === "status") return (value) => item.status === statusWord(value);
  if (field === "is") return (value) => item.is?.includes(value) ?? false;
  if (field === "label") return hasLabel(item.labels ?? []);
  const has = field === "assignee" ? (item.assignee ?? []) : [item[field] ?? ""];
  const own = has.filter(Boolean).map((value) => value.toLowerCase());
  return (value) => {
    if (value === "none") return own.length === 0;
    return own.includes(value === "me" ? me : value);
  };
}

function hasLabel(labels: readonly string[]): (value: string) => boolean {
  const own = labels.map(labelWord);
  return (value) => (value === "none" ? own.length === 0 : own.includes(labelWord(value)));
}

/** Returns a label as typed in a filter: "Needs design" becomes `needs-design`. */
export const labelWord = (name: string): string => name.toLowerCase().replace(/\s+/g, "-");

/** Returns the status for a typed word such as "to-do" or "in-progress". */
function statusWord(value: string): string {
  const word = value.replaceAll("-", "_");
  return word === "to_do" ? "todo" : word;
}

function compares(priority: number | undefined, value: string): boolean {
  const [, sign = "=", digits = ""] = /^(<=|>=|<|>|=)?(\d{1,7})$/.exec(value) ?? [];
  if (priority === undefined || digits === "") return false;
  const asked = Number(digits);
  if (sign === "<") return priority < asked;
  if (sign === "<=") return priority <= asked;
  if (sign === ">") return priority > asked;
  if (sign === ">=") return priority >= asked;
  return priority === asked;
}
