import { type PageKey, usePageKeys } from "~/ui/page-keys";

/** The inbox shows the card of its selected row; triage has its rows in place. */
function current(): HTMLElement | undefined {
  const all = waiting();
  return (
    document.querySelector<HTMLElement>("[data-card]") ??
    all.find((row) => row.matches(":focus, :focus-within")) ??
    all[0]
  );
}

const waiting = () => [...document.querySelectorAll<HTMLElement>("[data-waiting]")];

function walk(step: 1 | -1) {
  const all = waiting();
  const at = all.findIndex((row) => row.matches(":focus, :focus-within"));
  const next = all[at === -1 ? 0 : at + step];
  next?.querySelector<HTMLElement>("[data-row]")?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** Moves through the rows of the inbox, from the selected one. Where a card covers the list, its neighbor opens. */
export function walkRows(step: 1 | -1) {
  const rows = [...document.querySelectorAll<HTMLElement>(".inbox-row [data-row]")];
  const next = rows[rows.findIndex((row) => row.closest("[aria-current]")) + step];
  if (!next) return;
  if (!next.checkVisibility()) return next.click();
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

function press(selector: string, index = 0): HTMLElement | undefined {
  const button = current()?.querySelectorAll<HTMLButtonElement>(selector)[index];
  button?.click();
  return button;
}

/** Opens the selected row where nothing or a tab has the focus. The element that gets it must not receive this Enter. */
function openSelected(): boolean {
  if (!document.activeElement?.matches("body, [aria-current=page]")) return false;
  document.querySelector<HTMLElement>(".inbox-row[aria-current] [data-row]")?.click();
  return true;
}

/** Presses a button of the current row. The next row takes its place and the focus. */
function pressAndWalk(selector: string) {
  const isLast = current() === waiting().at(-1);
  if (press(selector)) walk(isLast ? -1 : 1);
}

const choices: PageKey[] = Array.from({ length: 8 }, (_, index) => ({
  keys: String(index + 1),
  label: `Choose answer ${index + 1}`,
  run: () => press("button[name=option]", index),
}));

const keys: readonly PageKey[] = [
  { keys: "j", label: "Next", run: () => walkRows(1) },
  { keys: "k", label: "Previous", run: () => walkRows(-1) },
  { keys: "Enter", label: "Open", run: openSelected },
  ...choices,
  { keys: "r", label: "Write an answer", run: () => current()?.querySelector<HTMLElement>("textarea")?.focus() },
];
const putAsideKeys: readonly PageKey[] = [
  ...keys,
  { keys: "e", label: "Archive", run: () => press("button[name=mark][value=done]") },
  { keys: "h", label: "Snooze", run: () => press("button[name=mark][value=later]") },
];

const triageKeys: readonly PageKey[] = [
  { keys: "j", label: "Next", run: () => walk(1) },
  { keys: "k", label: "Previous", run: () => walk(-1) },
  { keys: "1", label: "Accept", run: () => pressAndWalk("[data-accept]") },
  { keys: "2", label: "Merge…", run: chooseMerge },
  { keys: "3", label: "Decline", run: () => pressAndWalk("[data-decline]") },
];

/** Unfolds the row's other places and focuses the story to merge into. */
function chooseMerge() {
  const row = current();
  row?.querySelector("details")?.setAttribute("open", "");
  row?.querySelector<HTMLElement>("select[name=into]")?.focus();
}

/** Keys of a product's triage. */
export function useTriageKeys(): void {
  usePageKeys("Triage", triageKeys);
}

/** Some lists only answer; the others also archive and snooze. */
export function useInboxKeys(canPutAside: boolean): void {
  usePageKeys("Inbox", canPutAside ? putAsideKeys : keys);
}
