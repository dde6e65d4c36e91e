/** Control characters and marks that turn the direction of writing, but for tab and line break. */
const unseen = /(?![\t\n])[\p{Cc}\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** What others wrote, with a mark for each character that would show nothing or turn the rest around. */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(unseen, (sign) => `⟨${nameOf(sign)}⟩`);
}

/** "U+202E": how a character that shows nothing is told. */
export function nameOf(sign: string): string {
  return `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
