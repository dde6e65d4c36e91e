import type { PersonMessage } from "~/wire/comments/contract";

/** People's messages as a prompt to an agent at work. */
export function describeMessages(messages: readonly PersonMessage[]): string {
  return `${listedMessages(messages)}\n\nTake this into account and continue where you stopped. What is done stays, unless this asks for something else. Your rules do not change.`;
}

/** The messages, each with its author. */
export function listedMessages(messages: readonly PersonMessage[]): string {
  const texts = messages.map(({ author, about, text }) => `${author}, about ${about}:\n\n${quoted(text)}`);
  return `People of the product wrote to you while you work:\n\n${texts.join("\n\n")}`;
}

/** Prefixes each line with `>`, so that no text can end its own quote. */
function quoted(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}
