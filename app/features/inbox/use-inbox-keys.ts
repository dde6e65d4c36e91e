import { type PageKey, usePageKeys } from "~/ui/page-keys";

function cards(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-waiting]")];
}

/** Returns the focused card, or the only one. */
function current(): HTMLElement | undefined {
  const all = cards();
  return (
    all.find((card) => card.matches(":focus, :focus-within")) ??
    (all.length === 1 ? all[0] : undefined)
  );
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

const keys: readonly PageKey[] = [
  { keys: "j", label: "Next", run: () => walk(1) },
  { keys: "k", label: "Previous", run: () => walk(-1) },
  ...choices,
  {
    keys: "r",
    label: "Write an answer",
    run: () => current()?.querySelector<HTMLElement>("textarea")?.focus(),
  },
];
const putAsideKeys: readonly PageKey[] = [
  ...keys,
  { keys: "e", label: "Archive", run: () => press("button[name=mark][value=done]") },
  { keys: "h", label: "Snooze", run: () => press("button[name=mark][value=later]") },
];

/** Some lists only answer; the others also archive and snooze. */
export function useInboxKeys(canPutAside: boolean): void {
  usePageKeys("Inbox", canPutAside ? putAsideKeys : keys);
}
