const longest = 160;

/** The beginning of what went wrong; the rest is output, which is read on the job's page. */
export function firstLine(text: string): string {
  const [line = ""] = text.trimStart().split("\n", 1);
  return line.length > longest ? `${line.slice(0, longest)}…` : line.trimEnd();
}
