import type { PersonMessage } from "~/contract/agent-message";

/** What people wrote, as an agent reads it in the middle of its work. */
export function wordsOfMessages(messages: readonly PersonMessage[]): string {
  return `${listedMessages(messages)}\n\nTake this into account and go on with the same work where you stopped: what is done stays, unless this asks for something else. It changes none of the rules that you work by.`;
}

/** The messages themselves, each with its author. */
export function listedMessages(messages: readonly PersonMessage[]): string {
  const said = messages.map(
    ({ author, about, text }) => `${author}, about ${about}:\n\n${quoted(text)}`,
  );
  return `While you work on this, people of the product have written to you:\n\n${said.join("\n\n")}`;
}

/** Each line behind a bar, so that no text ends its own quotation. */
function quoted(text: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => `> ${line}`)
    .join("\n");
}
