import { useSyncExternalStore } from "react";
import { tinykeys } from "tinykeys";
import { characterKeysOn } from "./character-keys";
import { useIsomorphicLayoutEffect } from "./use-isomorphic-layout-effect";

/** One key of a page: what to press, what it does, in words. */
export interface PageKey {
  keys: string;
  label: string;
  /** False when it was nothing for this key, which then does what it always does; true when it was, whatever the key. */
  run: (event?: KeyboardEvent) => unknown;
  /** Also works while something is being typed, for example with a modifier. */
  whileTyping?: boolean;
}

let shown: readonly { group: string; keys: readonly PageKey[] }[] = [];
const listeners = new Set<() => void>();

function publish(next: typeof shown) {
  shown = next;
  for (const listener of listeners) listener();
}

/** Keys while the calling component is on the page; `?` lists them under `group`. Pass a stable array. */
export function usePageKeys(group: string, keys: readonly PageKey[]): void {
  // Whoever sees a page may press its keys.
  useIsomorphicLayoutEffect(() => {
    const entry = { group, keys };
    publish([...shown, entry]);
    const bindings = Object.fromEntries(
      keys.map(({ keys: press, run, whileTyping }) => [
        press,
        (event: KeyboardEvent) => {
          if (!whileTyping && (isTyping(event.target) || isOverlaid())) return;
          if (isCharacter(event) && !characterKeysOn()) return;
          // "g s" goes somewhere: its second letter is no key of its own.
          if (!press.includes(" ") && isSecondLetter(event)) return;
          const handled = run(event);
          // What the key does may put the focus into a field, which must not receive the letter too.
          if (handled === true || (handled !== false && event.key.length === 1))
            event.preventDefault();
        },
      ]),
    );
    // The same function is registered once, however many parts of a page have keys.
    window.addEventListener("keydown", noteKey, { capture: true });
    const release = tinykeys(window, bindings);
    return () => {
      release();
      publish(shown.filter((other) => other !== entry));
    };
  }, [group, keys]);
}

export function useShownKeys(): typeof shown {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
    () => shown,
  );
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  // A field that has just gone keeps the focus until the next frame.
  if (!target.checkVisibility()) return false;
  return target.isContentEditable || target.matches("input, textarea, select");
}

function isOverlaid(): boolean {
  return document.querySelector("dialog[open], [popover]:popover-open") !== null;
}

let pressedBefore = { key: "", at: 0 };
let pressedNow = pressedBefore;

/** Whether it follows the `g` of a sequence. */
function isSecondLetter(event: KeyboardEvent): boolean {
  return (
    isCharacter(event) && pressedBefore.key === "g" && event.timeStamp - pressedBefore.at < 1000
  );
}

function noteKey({ key, timeStamp, target }: KeyboardEvent) {
  pressedBefore = pressedNow;
  pressedNow = { key: isTyping(target) ? "" : key, at: timeStamp };
}

/** A key that speech input or a slip of the hand may press: some people switch these off. */
function isCharacter({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  return key.length === 1 && !ctrlKey && !metaKey && !altKey;
}

/** `c` and Esc press what the page marks for them, so that keys and clicks can never differ. */
export function pressMarked(
  marker: "data-create" | "data-close" | "data-filter" | "data-clear" | "data-show-all",
): boolean {
  const element = document.querySelector<HTMLElement>(`[${marker}]`);
  if (!element) return false;
  if (element.matches("input, textarea")) element.focus();
  else element.click();
  return true;
}

/** Moves focus through the rows of a list: each row's main link carries `data-row`. */
export function moveRowFocus(step: 1 | -1): void {
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

/** `j` and `k` through the rows of this page; Enter opens the focused one. */
export function useRowKeys(): void {
  usePageKeys("List", rowKeys);
}
