/** Letters read from right to left, and marks that turn the reading direction. */
const turning =
  /[\u0590-\u08ff\u200f\u202a-\u202e\u2066-\u2069\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Text of a person for the middle of a string, so that it turns nothing next to it. In elements, `<bdi>` does this. */
export function isolated(text: string): string {
  if (!turning.test(text)) return text;
  return `\u2068${text.replace(/[\u202a-\u202e\u2066-\u2069]/g, "")}\u2069`;
}

export const codeAndTitle = ({ code, title }: { code: string; title: string }): string => `${code} ${isolated(title)}`;
