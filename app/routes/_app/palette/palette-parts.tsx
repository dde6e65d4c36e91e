import clsx from "clsx";
import { memo, type ReactNode } from "react";
import { Kbd } from "~/ui/badge";
import { shownKeys } from "~/ui/page-keys";

export interface Entry {
  /** Unique in the palette. */
  key: string;
  group: string;
  /** What it is called: a text that begins with it ranks first. */
  name: string;
  words: string;
  /** What it shows if not its name. */
  shown?: string;
  run: () => void;
  before?: ReactNode;
  after?: ReactNode;
  /** The keys to press instead. */
  press?: string;
  /** Only where nothing fits. */
  isLast?: boolean;
}

export const optionId = ({ key }: Entry) => `palette ${key}`.replace(/\s/g, "_");

/** One row of the palette. The list handles the click, so that a letter draws only the rows that it changes. */
export const Option = memo(function Option({ entry, isChosen }: { entry: Entry; isChosen: boolean }) {
  const { name, shown = name, before, after, press } = entry;
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the text field keeps the focus and names the option
    <div
      role="option"
      id={optionId(entry)}
      data-entry={entry.key}
      aria-selected={isChosen}
      className={clsx("flex cursor-pointer items-center gap-2 rounded px-2.5 py-1.5 text-sm", isChosen && "bg-sunken")}
    >
      {before}
      <span className="min-w-0 flex-1 truncate">{shown}</span>
      {after}
      {press ? shownKeys(press).map((cap) => <Kbd key={cap}>{cap}</Kbd>) : null}
    </div>
  );
});

interface Shown {
  heading: string;
  entries: Entry[];
}

/** Returns the groups with what fits the typed text, best first. Without a text they stay as they are. */
export function shownEntries(entries: readonly Entry[], typed: string): Shown[] {
  const groups = new Map<string, { entry: Entry; rank: number }[]>();
  for (const entry of entries) {
    const rank = entry.isLast ? 0 : typed ? rankEntry(entry, typed) : 1;
    if (rank === 0) continue;
    const group = groups.get(entry.group);
    if (group) group.push({ entry, rank });
    else groups.set(entry.group, [{ entry, rank }]);
  }
  const best = (group: { rank: number }[]) => group[0]?.rank ?? 0;
  return [...groups]
    .map(([heading, group]) => ({ heading, group: group.sort((one, other) => other.rank - one.rank) }))
    .sort((one, other) => best(other.group) - best(one.group))
    .map(({ heading, group }) => ({ heading, entries: group.map(({ entry }) => entry) }));
}

/** Where nothing fits: names with a word that has one letter more, less or another, and what can be made of the text. */
export function nearEntries(entries: readonly Entry[], typed: string): Shown[] {
  const wanted = new Set(lettersOut(typed.toLowerCase()));
  const isNear = ({ name }: Entry) =>
    typed.length > 2 &&
    [name, ...name.split(" ")].some((word) => lettersOut(word.toLowerCase()).some((each) => wanted.has(each)));
  return [
    { heading: "Did you mean", entries: entries.filter(isNear).slice(0, 5) },
    { heading: "Create", entries: entries.filter(({ isLast }) => isLast) },
  ].filter(({ entries: each }) => each.length > 0);
}

const lettersOut = (word: string) => [word, ...Array.from(word, (_, at) => word.slice(0, at) + word.slice(at + 1))];

/** Ranks an entry for the typed text; 0 means no match. Every word must occur: there is no fuzzy matching. */
function rankEntry(entry: Entry, typed: string): number {
  const name = entry.name.toLowerCase();
  const text = `${name} ${entry.words.toLowerCase()}`;
  const wanted = typed.toLowerCase();
  const words = wanted.split(/\s+/);
  if (!words.every((word) => text.includes(word))) return 0;
  if (name === wanted) return 1;
  if (name.startsWith(wanted)) return 0.9;
  const begins = (word: string) => name.startsWith(word) || name.includes(` ${word}`);
  return words.every(begins) ? 0.8 : 0.5;
}
