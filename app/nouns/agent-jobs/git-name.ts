const escapes: Record<string, string> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\u000b": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};
const escaped = new Map(Object.entries(escapes).map(([character, written]) => [written, character]));

/** Quotes a name as git does if it contains quotes, backslashes or control characters (`core.quotePath=false`). */
export function quotedName(name: string): string {
  const written = name.replace(/[\p{Cc}"\\]/gu, (character) => {
    const code = character.charCodeAt(0);
    if (code > 0x7f) return character;
    return escapes[character] ?? `\\${code.toString(8).padStart(3, "0")}`;
  });
  return written === name ? name : `"${written}"`;
}

/** Git quotes non-ASCII names byte by byte (`core.quotePath=true`), so the bytes are collected before decoding. */
export function readName(written: string): string {
  if (!/^".*"$/s.test(written) || written.length < 2) return written;
  const bytes: number[] = [];
  for (const [token] of written.slice(1, -1).matchAll(/\\[0-7]{3}|\\.|[^\\]/gsu)) {
    const isByte = /^\\[0-7]{3}$/.test(token);
    if (isByte) bytes.push(Number.parseInt(token.slice(1), 8) & 0xff);
    else bytes.push(...new TextEncoder().encode(escaped.get(token) ?? token));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** The two names of a `diff --git` line, or null if they cannot be told apart. */
export function readHeadNames(head: string): [string, string] | null {
  const names = head.slice("diff --git ".length);
  const middle = names.startsWith('"') ? endOfQuote(names) : startOfLast(names);
  if (middle === null) return null;
  return [readName(names.slice(0, middle)), readName(names.slice(middle + 1))];
}

/** Index after the closing quote of a text that begins with one. */
function endOfQuote(text: string): number | null {
  for (let index = 1; index < text.length; index += 1) {
    if (text[index] === "\\") index += 1;
    else if (text[index] === '"') return index + 1;
  }
  return null;
}

/** Index of the space before the second name. It is quoted, or both are plain and equal except for `a/` and `b/`. */
function startOfLast(names: string): number | null {
  if (names.endsWith('"')) {
    const start = names.indexOf(' "');
    return start < 0 ? null : start;
  }
  const middle = (names.length - 1) / 2;
  const isTwice = names[middle] === " " && names.slice(2, middle) === names.slice(middle + 1).slice(2);
  return isTwice ? middle : null;
}
