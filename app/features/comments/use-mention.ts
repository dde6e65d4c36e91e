import { useFetcher } from "@remix-run/react";
import { type KeyboardEvent, type RefObject, useState } from "react";

/** A mention being typed: an `@` at the start of a word, up to the cursor. */
const begun = /(?:^|[^\w.@/-])@([\w.-]{0,40})$/;
const mostNames = 6;

/** Completes `@na` to a member's name. Names are loaded when the first `@` is typed. */
export function useMention(area: RefObject<HTMLTextAreaElement>, productId: string) {
  const members = useFetcher<{ names: string[] }>({ key: `members ${productId}` });
  const [typed, setTyped] = useState<string | null>(null);
  const [active, setActive] = useState(0);
  const names = typed === null ? [] : fitting(members.data?.names ?? [], typed);

  function look() {
    const found = begun.exec(beforeCursor(area.current));
    setTyped(found?.[1] ?? null);
    setActive(0);
    if (found && members.state === "idle" && members.data === undefined) {
      members.load(`/products/${productId}/member-names`);
    }
  }
  const close = () => setTyped(null);
  function insert(name: string) {
    const element = area.current;
    if (!element || typed === null) return;
    const end = element.selectionStart;
    element.setRangeText(`${name} `, end - typed.length, end, "end");
    close();
  }
  /** Returns true if the key was used by the list. */
  function press(event: KeyboardEvent): boolean {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    const chosen = names[active];
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (chosen === undefined || !isPlain || event.nativeEvent.isComposing) return false;
    if (step !== 0) setActive((active + step + names.length) % names.length);
    else if (event.key === "Enter" || event.key === "Tab") insert(chosen);
    else if (event.key === "Escape") close();
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  }
  return { names, active, look, close, insert, press };
}

function beforeCursor(element: HTMLTextAreaElement | null): string {
  return element === null ? "" : element.value.slice(0, element.selectionStart);
}

/** Names that start with the typed text come before names that contain it. */
function fitting(names: readonly string[], typed: string): string[] {
  const part = typed.toLowerCase();
  const place = (name: string) => name.toLowerCase().indexOf(part);
  return names
    .filter((name) => place(name) >= 0 && name.toLowerCase() !== part)
    .toSorted((one, other) => place(one) - place(other))
    .slice(0, mostNames);
}
