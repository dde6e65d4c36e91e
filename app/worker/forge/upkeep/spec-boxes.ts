import { boxesOf, numberOfBox } from "~/nouns/transfers/formats/boxes";

/** The text of a tasks.md with the boxes of these numbers ticked, the first of each number as the import reads it. */
export function withTicks(text: string, numbers: ReadonlySet<string>): string {
  const lines = text.split("\n");
  const seen = new Set<string>();
  for (const { title, isTicked, line } of boxesOf(text)) {
    const number = numberOfBox(title)?.number;
    if (number === undefined || seen.has(number)) continue;
    seen.add(number);
    if (isTicked || !numbers.has(number)) continue;
    lines[line] = (lines[line] ?? "").replace("[ ]", "[x]");
  }
  return lines.join("\n");
}
