/** Converts common Jira wiki markup to Markdown, line by line. Rare markup stays as it is. */
export function jiraMarkdown(text: string): string {
  let isCode = false;
  return text
    .split("\n")
    .map((line) => {
      const fence = /^\{(?:code|noformat)(?::(\w+)\b)?[^}]*\}$/.exec(line.trim());
      if (fence) {
        isCode = !isCode;
        return isCode ? `\`\`\`${fence[1] ?? ""}` : "```";
      }
      return isCode ? line : lineOf(line);
    })
    .join("\n");
}

function lineOf(line: string): string {
  const heading = /^h([1-6])\.\s+(.*)$/s.exec(line);
  if (heading) return `${"#".repeat(Number(heading[1]))} ${inline(heading[2] ?? "")}`;
  const item = /^([*#-]{1,6})\s+(.*)$/s.exec(line);
  if (!item) return inline(line);
  const [, marks = "", said = ""] = item;
  return `${"  ".repeat(marks.length - 1)}${marks.endsWith("#") ? "1." : "-"} ${inline(said)}`;
}

function inline(text: string): string {
  return text
    .replace(/\{\{([^{}]{1,500})\}\}/g, "`$1`")
    .replace(/\[([^[\]|]{1,500})\|(https?:[^[\]|\s]{1,2000})\]/g, "[$1]($2)")
    .replace(/(^|\s)\*([^*\s][^*]{0,500})\*(?=\s|[.,:;!?]|$)/g, "$1**$2**");
}
