import { type PageKey, usePageKeys } from "~/ui/page-keys";

function cards(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-waiting]")];
}

/** Returns the focused card, otherwise the first: what the keys do can be undone for a moment. */
function current(): HTMLElement | undefined {
  const all = cards();
  return all.find((card) => card.matches(":focus, :focus-within")) ?? all[0];
}

function walk(step: 1 | -1) {
  const all = cards();
  const at = all.findIndex((card) => card.matches(":focus, :focus-within"));
  const next = all[at === -1 ? 0 : at + step];
  (next?.querySelector<HTMLElement>("button[name=option], [data-row]") ?? next)?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** Clicks a button of the current card. The next card takes its place and the focus. */
function press(selector: string, index = 0) {
  const card = current();
  const button = card?.querySelectorAll<HTMLButtonElement>(selector)[index];
  if (!button) return;
  const isLast = card === cards().at(-1);
  button.click();
  walk(isLast ? -1 : 1);
}

const choices: PageKey[] = Array.from({ length: 8 }, (_, index) => ({
  keys: String(index + 1),
  label: `Choose answer ${index + 1}`,
  run: () => current()?.querySelectorAll<HTMLButtonElement>("button[name=option]")[index]?.click(),
}));

const moves: readonly PageKey[] = [
  { keys: "j", label: "Next", run: () => walk(1) },
  { keys: "k", label: "Previous", run: () => walk(-1) },
];
const keys: readonly PageKey[] = [
  ...moves,
  ...choices,
  { keys: "r", label: "Write an answer", run: () => current()?.querySelector<HTMLElement>("textarea")?.focus() },
];
const putAsideKeys: readonly PageKey[] = [
  ...keys,
  { keys: "e", label: "Archive", run: () => press("button[name=mark][value=done]") },
  { keys: "h", label: "Snooze", run: () => press("button[name=mark][value=later]") },
];

const triageKeys: readonly PageKey[] = [
  ...moves,
  { keys: "1", label: "Accept", run: () => press("[data-accept]") },
  { keys: "2", label: "Merge…", run: chooseMerge },
  { keys: "3", label: "Decline", run: () => press("[data-decline]") },
];

/** Unfolds the row's other places and focuses the story to merge into. */
function chooseMerge() {
  const card = current();
  card?.querySelector("details")?.setAttribute("open", "");
  card?.querySelector<HTMLElement>("select[name=into]")?.focus();
}

/** Keys of a product's triage. */
export function useTriageKeys(): void {
  usePageKeys("Triage", triageKeys);
}

/** Some lists only answer; the others also archive and snooze. */
export function useInboxKeys(canPutAside: boolean): void {
  usePageKeys("Inbox", canPutAside ? putAsideKeys : keys);
}
