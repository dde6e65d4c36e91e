import type { ExportedStory } from "~/contract/export-document";

type Evidence = NonNullable<ExportedStory["evidence"]>[number];

const item = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(?:\[([ xX])\]\s+)?(?:#\d+\s+)?(.*)$/;

/** What is ticked off in a file was said to hold; nobody here has seen it. */
export function checkedCriteria(acceptanceCriteria: string): Evidence[] {
  const criteria: { text: string; isChecked: boolean }[] = [];
  let isOpen = false;
  for (const line of acceptanceCriteria.split("\n")) {
    const [whole, mark, text = ""] = item.exec(line) ?? [];
    if (whole !== undefined) criteria.push({ text, isChecked: mark?.toLowerCase() === "x" });
    const last = criteria.at(-1);
    const goesOn: boolean = whole === undefined && isOpen && /^\s+\S/.test(line);
    if (goesOn && last) last.text = `${last.text} ${line}`;
    isOpen = whole !== undefined || goesOn;
  }
  return criteria
    .filter(({ text, isChecked }) => isChecked && text.trim() !== "")
    .map(({ text }) => ({
      criterion: text.replace(/\s+/g, " ").trim(),
      verdict: "pass",
      grade: "said",
      kind: "file",
      excerpt: "Ticked off in Backlog.md",
      observed_by: "Backlog.md",
    }));
}
