import { type PageKey, usePageKeys } from "~/components/page-keys";

function cards(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("article[id^=question-]")];
}

function walk(step: 1 | -1) {
  const all = cards();
  const at = all.findIndex((card) => card.matches(":focus-within"));
  const next = all[at === -1 ? 0 : at + step];
  next?.querySelector<HTMLElement>("button[name=option], textarea")?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** Chooses an option of the question in focus, or of the only one there is. */
function choose(index: number) {
  const all = cards();
  const card =
    all.find((candidate) => candidate.matches(":focus-within")) ??
    (all.length === 1 ? all[0] : undefined);
  card?.querySelectorAll<HTMLButtonElement>("button[name=option]")[index]?.click();
}

const keys: readonly PageKey[] = [
  { keys: "j", label: "Next question", run: () => walk(1) },
  { keys: "k", label: "Question before", run: () => walk(-1) },
  ...Array.from({ length: 8 }, (_, index) => ({
    keys: String(index + 1),
    label: `Choose answer ${index + 1}`,
    run: () => choose(index),
  })),
];

export function useQuestionKeys(): void {
  usePageKeys("Questions", keys);
}
