import { tinykeys } from "tinykeys";
import { storeOf } from "./store";
import { useIsomorphicLayoutEffect } from "./use-isomorphic-layout-effect";

const characterKeysItem = "character-keys";

/** Whether single-letter shortcuts are on in this browser. On if storage is unavailable. */
export function characterKeysOn(): boolean {
  try {
    return localStorage.getItem(characterKeysItem) !== "off";
  } catch {
    return true;
  }
}

export function switchCharacterKeys(on: boolean): void {
  if (on) localStorage.removeItem(characterKeysItem);
  else localStorage.setItem(characterKeysItem, "off");
}

export interface PageKey {
  keys: string;
  label: string;
  /** False keeps the key's default, true prevents it. Otherwise only single characters are prevented. */
  run: (event?: KeyboardEvent) => unknown;
  /** Also works while the person types, for example with a modifier. */
  whileTyping?: boolean;
}

const shown = storeOf<readonly { group: string; keys: readonly PageKey[] }[]>([]);
export const useShownKeys = shown.use;

/** Registers keys while the calling component is mounted. `?` lists them under `group`. Pass a stable array. */
export function usePageKeys(group: string, keys: readonly PageKey[]): void {
  // A layout effect, so that keys work as soon as the page is visible.
  useIsomorphicLayoutEffect(() => {
    const entry = { group, keys };
    shown.set([...shown.get(), entry]);
    const bindings = Object.fromEntries(
      keys.map(({ keys: press, run, whileTyping }) => [
        press,
        (event: KeyboardEvent) => {
          if (!whileTyping && (isTyping(event.target) || isOverlaid())) return;
          if (isCharacter(event) && !characterKeysOn()) return;
          // "g s" is a sequence: its second letter must not act as a separate key.
          if (!press.includes(" ") && isSecondLetter(event)) return;
          const handled = run(event);
          // The action may focus a field, which must not receive the letter too.
          if (handled === true || (handled !== false && event.key.length === 1)) event.preventDefault();
        },
      ]),
    );
    // The browser adds the same listener only once, no matter how many components register keys.
    window.addEventListener("keydown", noteKey, { capture: true });
    const release = tinykeys(window, bindings);
    return () => {
      release();
      shown.set(shown.get().filter((other) => other !== entry));
    };
  }, [group, keys]);
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // A field that was just hidden keeps the focus until the next frame.
  if (!target.checkVisibility()) return false;
  return target.isContentEditable || target.matches("input, textarea, select");
}

const isOverlaid = (): boolean => document.querySelector("dialog[open], [popover]:popover-open") !== null;

let pressedBefore = { key: "", at: 0 };
let pressedNow = pressedBefore;

function isSecondLetter(event: KeyboardEvent): boolean {
  return isCharacter(event) && pressedBefore.key === "g" && event.timeStamp - pressedBefore.at < 1000;
}

function noteKey({ key, timeStamp, target }: KeyboardEvent) {
  pressedBefore = pressedNow;
  pressedNow = { key: isTyping(target) ? "" : key, at: timeStamp };
}

/** Whether it is a character key. Speech input or a slip can press these, so people can switch them off. */
function isCharacter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

/** Clicks the element that the page marks for a key (`c`, Esc, …), so that keys and clicks do the same. */
export function pressMarked(
  marker: "data-create" | "data-close" | "data-filter" | "data-clear" | "data-show-all",
): boolean {
  const element = document.querySelector<HTMLElement>(`[${marker}]`);
  if (!element) return false;
  if (element.matches("input, textarea")) element.focus();
  else element.click();
  return true;
}

/** Moves focus through the rows of a list. Each row's main link has `data-row`. */
function moveRowFocus(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.findIndex((row) => row.matches(":focus, :focus-within"));
  const next = rows[at === -1 ? (step === 1 ? 0 : rows.length - 1) : at + step];
  if (!next) return;
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

const rowKeys: readonly PageKey[] = [
  { keys: "j", label: "Next row", run: () => moveRowFocus(1) },
  { keys: "k", label: "Previous row", run: () => moveRowFocus(-1) },
];

/** `j` and `k` move through the rows of the page. Enter opens the focused row. */
export function useRowKeys(): void {
  usePageKeys("List", rowKeys);
}

/** Key caps that differ from the key's name. */
const caps: Readonly<Record<string, string>> = {
  ArrowDown: "↓",
  ArrowUp: "↑",
  ArrowLeft: "←",
  ArrowRight: "→",
  Escape: "Esc",
  Comma: ",",
  Period: ".",
};

/** Returns the keys to press, as labeled on this machine's keyboard. */
export function shownKeys(press: string): string[] {
  return press
    .replace("$mod", /Mac|iP/.test(navigator.platform) ? "⌘" : "Ctrl")
    .replace("Shift+?", "?")
    .split(/[ +]/)
    .filter(Boolean)
    .map((key) => caps[key] ?? key.replace(/^Key([A-Z])$/, (_, letter: string) => letter.toLowerCase()));
}

/** Opens the text to edit: the focused one, otherwise the one under the pointer, otherwise the first, which is the title. */
export function pressEdit(): boolean {
  const at =
    document.activeElement?.closest("[data-editable]") ??
    document.querySelector("[data-editable]:hover") ??
    document.querySelector("[data-editable]");
  const link = at?.querySelector<HTMLElement>("[data-edit]");
  link?.click();
  return link !== null && link !== undefined;
}

const editKeys: readonly PageKey[] = [{ keys: "e", label: "Edit the focused text", run: pressEdit }];

/** Registers `e` on pages with texts that are edited in place. */
export function useEditKey(): void {
  usePageKeys("Page", editKeys);
}
