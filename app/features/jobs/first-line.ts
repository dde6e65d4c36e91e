const longest = 160;

/** Returns the first line of an error, shortened. The job's page has the full output. */
export function firstLine(text: string): string {
  const [line = ""] = text.trimStart().split("\n", 1);
  return line.length > longest ? `${line.slice(0, longest)}…` : line.trimEnd();
}
