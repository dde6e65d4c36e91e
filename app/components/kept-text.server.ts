import type { ReactElement } from "react";
import { renderToString } from "react-dom/server";

/** So many characters of keys and texts stay in use, and up to as many that were in use before them. */
const mostCharacters = 2_000_000;

let inUse = new Map<string, string>();
let before = new Map<string, string>();
let characters = 0;

/** The text of what is drawn, from the last time where it is still known; what nobody asks for any more is let go. */
export function keepText(key: string, draw: () => ReactElement): string {
  const known = inUse.get(key);
  if (known !== undefined) return known;
  const text = before.get(key) ?? renderToString(draw());
  characters += key.length + text.length;
  if (characters > mostCharacters) {
    before = inUse;
    inUse = new Map();
    characters = key.length + text.length;
  }
  inUse.set(key, text);
  return text;
}
