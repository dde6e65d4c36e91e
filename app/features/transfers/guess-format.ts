import type { ImportFormat } from "~/wire/transfers/contract";

/** What tells a format: a file's name, or its first letters. The first that fits. */
const signs: readonly { format: ImportFormat; name?: RegExp; text?: RegExp }[] = [
  { format: "beads", name: /\.jsonl$/i },
  { format: "openspec", name: /openspec.*\.zip$/i },
  { format: "spec-kit", name: /spec.*\.zip$/i },
  { format: "backlog-md", name: /\.(zip|md)$/i, text: /^---\s/ },
  { format: "backloom", text: /^\s*\{.*"format":\s*"backloom/s },
  { format: "trello", text: /^\s*\{.*"(cards|lists|shortUrl)"/s },
  { format: "beads", text: /^\s*\{[^\n]*"(issue_type|status)"/ },
  { format: "github", text: /^\s*\[/ },
  { format: "jira", text: /^[^\n]*Issue (key|type|id)/i },
  { format: "linear", text: /^\W*ID\W+Team\b/ },
];

/** Returns the format that a file or a pasted text seems to have; undefined where it has none. */
export const guessFormat = (fileName: string, text: string): ImportFormat | undefined =>
  signs.find((sign) => sign.name?.test(fileName) || sign.text?.test(text))?.format;
