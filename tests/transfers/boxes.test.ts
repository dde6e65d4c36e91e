import fc from "fast-check";
import { strToU8, zipSync } from "fflate";
import { expect, it } from "vitest";
import { readFiles } from "~/nouns/transfers/formats/read-files.server";
import type { ImportFormat } from "~/wire/transfers/contract";
import { roundsOf } from "../setup/rounds";

/** What looks like a box, counted without reading Markdown: a line that begins with one, or a row of a table with one. */
function boxesIn(text: string): number {
  const begins = /^((?:[\s>|]|#+\s|<!--|(?:[-*+•]|\d+[.)])(?=[\s>|[\\]))*)\\?\[\s*([^\s\d\]]?)\s*\\?\](?!\()(.*)$/;
  return text.split(/\r?\n/).filter((line) => {
    const isRow = /^[\s>]*\|/.test(line);
    return line.split(isRow ? "|" : "\n").some((part) => {
      const [whole, start = "", mark = "", said = ""] = begins.exec(part.trim()) ?? [];
      const isListed = /[-*+•\d]/.test(start.replaceAll("<!--", ""));
      return whole !== undefined && (isRow || isListed || (/^x?$/i.test(mark) && said.trim() !== ""));
    });
  }).length;
}

const listFiles: Partial<Record<ImportFormat, (text: string) => [path: string, text: string]>> = {
  github: (body) => ["issues.json", JSON.stringify([{ number: 1, title: "A", body }])],
  "spec-kit": (text) => ["specs/001-a/tasks.md", text],
  openspec: (text) => ["openspec/changes/a/tasks.md", text],
  "backlog-md": (text) => ["tasks/b-1 - A.md", `---\nid: B-1\ntitle: A\n---\n## Acceptance Criteria\n${text}`],
};
const listFormats = ["github", "spec-kit", "openspec", "backlog-md"] as const;

/** How many boxes of a list a format reads, how many of these as done, and how many it names. */
function readList(format: (typeof listFormats)[number], text: string) {
  const [name, content] = listFiles[format]?.(text) ?? ["", ""];
  const bytes = strToU8(content);
  const zip = name.endsWith(".md") ? zipSync({ [name]: bytes }) : bytes;
  const { pbis, left_out, statuses } = readFiles(format, [{ name, bytes: zip }]);
  const [story] = pbis.flatMap(({ stories }) => stories);
  const tasks = story?.tasks.filter(({ external_id }) => !/\/own(-1)?$/.test(external_id)) ?? [];
  const named = left_out.filter(({ reason }) => /^(?:Boxes|The same id)/.test(reason));
  const count = named.reduce((sum, { count }) => sum + count, 0);
  // Criteria keep their text.
  const criteria = boxesIn(story?.acceptance_criteria ?? "") - count;
  const done = tasks.filter(({ status }) => status === "DONE").length;
  return {
    ...(format === "backlog-md" ? { read: criteria, done: story?.ticked.length } : { read: tasks.length, done }),
    named: count,
    unknown: statuses.filter(({ known, word }) => !known && word !== "").length,
  };
}

const marks = ["[x]", "[X]", "[ ]", "[]", "[~]", "[-]", "[/]", "[>]", "[!]", "[?]", "[✓]"];

/** A list, how many boxes are read, how many of these are ticked, and how many marks are unknown. */
const spellings: Record<string, [text: string, read: number, done: number, unknown?: number]> = {
  ...Object.fromEntries(
    marks.map((mark): [string, [string, number, number, number]] => {
      const isOpen = ["[ ]", "[]"].includes(mark);
      const isDone = /x/i.test(mark);
      return [mark, [`- ${mark} T001 Sow`, 1, isDone ? 1 : 0, isOpen || isDone ? 0 : 1]];
    }),
  ),
  "all markers": ["- [x] T001 A\n* [ ] T002 B\n+ [ ] T003 C\n1. [x] T004 D\n2) [ ] T005 E", 5, 2],
  "two blanks": ["-  [x] T001 A", 1, 1],
  "prettier's three blanks": ["-   [x] T001 A\n-   [ ] T002 B", 2, 1],
  "four blanks": ["-    [x] T001 A", 1, 1],
  "a tab behind the marker": ["-\t[x] T001 A", 1, 1],
  "no blank before the box": ["-[x] T001 A", 1, 1],
  "no blank behind the box": ["- [x]T001 A", 1, 1],
  "more blanks behind the box": ["- [x]   T001 A", 1, 1],
  "blanks in the box": ["- [ x ] T001 A\n- [  ] T002 B", 2, 1],
  "an escaped box": ["- \\[x\\] T001 A", 1, 1],
  "no marker": ["[x] T001 A\n[ ] T002 B", 2, 1],
  nested: ["- [x] T001 A\n  - [x] T002 B\n    - [ ] T003 C\n\n      - [ ] T004 D", 4, 2],
  "nested by four": ["- [x] T001 A\n    - [x] T002 B\n        - [ ] T003 C", 3, 2],
  "nested by tabs": ["1. [x] T001 A\n\t- [x] T002 B\n\t\t- [ ] T003 C", 3, 2],
  "line ends of Windows": ["- [x] T001 A\r\n- [ ] T002 B\r\n", 2, 1],
  "blanks that do not break": ["-\u00a0[x]\u00a0T001\u00a0A\n- [\u00a0] T002 B", 2, 1],
  "accents apart": ["- [x] T001 Gro\u0308\u00dfe", 1, 1],
  quotes: ["> - [x] T001 A\n\n- [ ] T002 B", 1, 0],
  "indented code": ["As code:\n\n      - [ ] T001 A\n      - [ ] T002 B\n\n- [x] T003 C", 1, 1],
  fences: ["```md\n- [ ] T001 A\n~~~\n- [ ] T002 B\n```\n- [x] T003 C", 1, 1],
  "a longer fence": ["````\n```\n- [ ] T001 A\n```\n````\n- [x] T002 C", 1, 1],
  comments: ["<!-- - [ ] T001 A -->\n<!--\n- [ ] T002 B\n-->\n- [x] T003 C", 1, 1],
  "a table": ["| Done | Task |\n|---|---|\n| [x] | T001 A |\n\n- [ ] T002 B", 1, 0],
  "without words": ["- [ ]\n- [x] T001 A", 1, 1],
  "links and notes": ["- [x](https://x.example) A\n- [1] B\n- [x] T001 C", 1, 1],
};

it.each(Object.entries(spellings))("Boxes in lists are read or named: %s", (_what, [text, read, done, unknown = 0]) => {
  for (const format of listFormats) {
    const found = readList(format, text);
    const named = boxesIn(text) - read;
    expect({ format, ...found }).toMatchObject({ format, read, done, named });
    if (unknown > 0) expect(found.unknown, format).toBe(unknown);
  }
});

it("Every checkbox of a generated text is imported or listed as left out", () => {
  const start = fc
    .array(
      fc.constantFrom(
        "- ",
        "* ",
        "+ ",
        "1. ",
        "12) ",
        "-   ",
        "-",
        "> ",
        "| ",
        "<!-- ",
        "## ",
        " ",
        "  ",
        "    ",
        "\t",
        "\u00a0",
        "-\t",
      ),
      { maxLength: 4 },
    )
    .map((parts) => parts.join(""));
  const words = fc.constantFrom(
    " T001 A",
    " 1.2 B",
    "C",
    "",
    " a | b",
    " `c`",
    " <!-- d -->",
    "\tT-2 E",
    " [P] F",
    "(g)",
  );
  const line = fc.oneof(
    fc.tuple(start, fc.constantFrom(...marks, "[1]", "\\[ ]"), words).map((part) => part.join("")),
    fc.tuple(start, fc.constantFrom("Words", "1.3 G", "`[x]`")).map((part) => part.join("")),
    fc.constantFrom("```", "~~~~", "-->", "<!--", "", "", "Words", "# Title", "---", "  words"),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), fc.constantFrom("\n", "\r\n"), (lines, end) => {
      const text = lines.join(end);
      for (const format of ["github", "spec-kit", "openspec"] as const) {
        const { read, named } = readList(format, `# Tasks${end}- [ ] T900 Z${end}${text}`);
        expect([format, read + named]).toEqual([format, boxesIn(text) + 1]);
      }
    }),
    { numRuns: roundsOf("BOX_ROUNDS", { whole: 2_000, short: 300 }) },
  );
});
