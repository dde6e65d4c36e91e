/** Control and bidirectional characters, except tab and line break. */
const unseen = /(?![\t\n])[\p{Cc}\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu;

/** Replaces invisible and direction-changing characters of untrusted text with a visible mark. */
export function visible(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(unseen, (sign) => `⟨${nameOf(sign)}⟩`);
}

/** Names an invisible character: "U+202E". */
export function nameOf(sign: string): string {
  return `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
}
