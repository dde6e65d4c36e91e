import { Command } from "cmdk";
import type { ReactNode } from "react";

export function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return (
    <Command.Group
      heading={heading}
      className="[&_[cmdk-group-heading]]:px-2.5 [&_[cmdk-group-heading]]:pt-2 [&_[cmdk-group-heading]]:pb-1 [&_[cmdk-group-heading]]:text-2xs [&_[cmdk-group-heading]]:font-semibold [&_[cmdk-group-heading]]:text-faint"
    >
      {children}
    </Command.Group>
  );
}

/** One row of the palette. */
export function Item({ value, onSelect, children }: { value: string; onSelect: () => void; children: ReactNode }) {
  return (
    <Command.Item
      value={value}
      onSelect={onSelect}
      className="flex cursor-pointer items-center gap-2 rounded px-2.5 py-1.5 text-sm data-[selected=true]:bg-sunken"
    >
      {children}
    </Command.Item>
  );
}

/** Separates a row's name from its other search words. */
const also = " \u2003";

/** Returns a row's search text, name first, so that an exact name ranks above texts that mention it. */
export const lineText = (name: string, others = ""): string => `${name}${also}${others}`;

/** Ranks a row for the typed text; 0 means no match. Every word must occur: there is no fuzzy matching. */
export function rankLine(line: string, typed: string): number {
  const text = line.toLowerCase();
  const wanted = typed.trim().toLowerCase();
  const words = wanted.split(/\s+/);
  if (!words.every((word) => text.includes(word))) return 0;
  const name = (text.split(also)[0] ?? "").trim();
  if (name === wanted) return 1;
  if (name.startsWith(wanted)) return 0.9;
  const begins = (word: string) => name.startsWith(word) || name.includes(` ${word}`);
  return words.every(begins) ? 0.8 : 0.5;
}
