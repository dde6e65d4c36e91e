import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { drawLines } from "~/features/diff/draw-lines";
import { parseJsonBody, readForm } from "~/http/request-body.server";
import { readPatch } from "~/nouns/agent-jobs/report-with-diff.server";
import { joinPatches } from "~/nouns/reviews/join-patches";
import { reviewOfAttempt } from "~/nouns/reviews/story-changes";
import { positionComments } from "~/nouns/reviews/story-lines";
import { readPastedList } from "~/nouns/stories/pasted-list";
import { jiraMarkdown } from "~/nouns/transfers/formats/jira.server";
import { readCsv } from "~/nouns/transfers/formats/read-csv.server";
import { readFiles } from "~/nouns/transfers/formats/read-files.server";
import { splitSections } from "~/nouns/transfers/formats/read-task-file.server";
import { Parameters } from "~/oauth/form-parameters.server";
import { parsePatch } from "~/wire/agent-jobs/patch";
import { readFilter } from "~/wire/item-filter";
import { measureJson } from "~/wire/measured-json";
import { readMarks } from "~/wire/reviews/marks";
import { type ImportFormat, importFormats } from "~/wire/transfers/contract";
import { addedFile } from "../setup/diff-files";
import { busyMilliseconds } from "../setup/thread-work";

type Work = () => unknown;
/** The worst input of one kind with about so many parts, ready to be read. */
type Worst = (parts: number) => Work;

const bytes = (text: string) => new TextEncoder().encode(text);
const file = (format: ImportFormat, text: string, name = "file"): Work => {
  const files = [{ name, bytes: bytes(text) }];
  return () => readFiles(format, files);
};
const list = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => item(index));
const lines = (count: number, line: (index: number) => string) => list(count, line).join("\n");
const json = (value: unknown) => JSON.stringify(value);

const linearHead = "ID,Title,Status,Parent issue";
const jiraHead = "Summary,Issue key,Issue Type,Parent,Description,Comment,Comment";
const board = { name: "B", lists: [{ id: "l", name: "To do" }] };
const card = (id: string) => ({ id, name: "c", idList: "l" });
const zipped = (format: ImportFormat, entries: readonly (readonly [string, string])[]): Work => {
  const files = Object.fromEntries(entries.map(([path, text]) => [path, bytes(text)]));
  const zip = zipSync(files, { level: 0 });
  return () => readFiles(format, [{ name: "a.zip", bytes: zip }]);
};
const folder = (count: number, front: (index: number) => string, body = ""): Work =>
  zipped(
    "backlog-md",
    list(count, (index) => [`tasks/${index}.md`, `---\n${front(index)}\n---\n${body}`]),
  );
const issue = (id: string, parent?: string) => {
  const links = parent ? [{ depends_on_id: parent, type: "parent-child" }] : [];
  return json({ id, title: "t", dependencies: links });
};
const form = (type: string, text: string): Work => {
  const body = bytes(text);
  return () => readForm(body, new Headers({ "content-type": type }));
};

/**
 * Every parser of what people, programs and agents send, and the worst that each can be given. A new parser is entered
 * here with every way in which a part of its input can look back at the others: names that come again, ancestors,
 * references, runs of what two parts of an expression both match.
 */
const parsers: Record<string, Record<string, Worst>> = {
  readMarks: {
    "one mark": (n) => {
      const text = lines(n, () => "ci: a");
      return () => readMarks(text);
    },
    "each line its mark": (n) => {
      const text = lines(n, (i) => `m${i}: a`);
      return () => readMarks(text);
    },
  },
  readLinear: {
    "a chain of parents": (n) => file("linear", `${linearHead}\n${lines(n, (i) => `E-${i},t,Todo,E-${i + 1}`)}`),
    "children of one": (n) => file("linear", `${linearHead}\n${lines(n, (i) => `E-${i},t,Todo,E-0`)}`),
    "a ring of parents": (n) => file("linear", `${linearHead}\n${lines(n, (i) => `E-${i},t,Todo,E-${(i + 1) % n}`)}`),
    "one id": (n) => file("linear", `${linearHead}\n${lines(n, () => "E-1,t,Todo,")}`),
  },
  readJira: {
    "a chain of parents": (n) => file("jira", `${jiraHead}\n${lines(n, (i) => `s,E-${i},Story,E-${i + 1},d,,`)}`),
    "children of one": (n) => file("jira", `${jiraHead}\n${lines(n, (i) => `s,E-${i},Story,E-0,d,,`)}`),
    "a comment in parts": (n) => file("jira", `${jiraHead}\ns,E-1,Story,,d,${";".repeat(n * 50)},`),
  },
  readGithub: {
    boxes: (n) => file("github", json([{ number: 1, title: "t", body: "- [ ] a\n".repeat(n) }])),
    comments: (n) => file("github", json([{ number: 1, title: "t", comments: list(n, () => ({ body: "b" })) }])),
    issues: (n) => file("github", json(list(n, (number) => ({ number, title: "t" })))),
  },
  readTrello: {
    "comments of one card": (n) =>
      file(
        "trello",
        json({
          ...board,
          cards: [card("c")],
          actions: list(n, () => ({ type: "commentCard", data: { text: "a", card: { id: "c" } } })),
        }),
      ),
    "items of one card": (n) =>
      file(
        "trello",
        json({
          ...board,
          cards: [card("c")],
          checklists: list(n, (i) => ({ idCard: "c", checkItems: [{ id: `${i}`, name: "a", state: "" }] })),
        }),
      ),
    "one card again and again": (n) =>
      file(
        "trello",
        json({
          ...board,
          cards: list(n, () => card("c")),
          actions: list(n, () => ({ type: "commentCard", data: { text: "a", card: { id: "c" } } })),
        }),
      ),
  },
  readBackloom: {
    stories: (n) =>
      file(
        "backloom",
        json({
          format: "backloom",
          version: 1,
          product: { name: "a", code: "A" },
          pbis: [{ title: "p", stories: list(n, () => ({ title: "s" })) }],
        }),
      ),
    "what fits nowhere": (n) => file("backloom", json({ pbis: list(n, () => 0) })),
  },
  readSpecKit: {
    features: (n) =>
      zipped(
        "spec-kit",
        list(n, (i) => [`specs/${i}/spec.md`, "# A"]),
      ),
    "boxes of one list": (n) => zipped("spec-kit", [["specs/a/tasks.md", lines(n, (i) => `- [ ] T${i} [P] a\n  b`)]]),
    "marks of one box": (n) => zipped("spec-kit", [["specs/a/tasks.md", `- [ ] T1 ${"[P] ".repeat(n * 5)}`]]),
    scenarios: (n) => zipped("spec-kit", [["specs/a/spec.md", lines(n, () => "1. **Given** a\n   b")]]),
    "no end of the head": (n) => zipped("spec-kit", [["specs/a/spec.md", "---\n".repeat(n * 5)]]),
    "empty headings": (n) => zipped("spec-kit", [["specs/a/spec.md", `#${" ".repeat(n * 5)}\n`]]),
    "deep paths": (n) =>
      zipped(
        "spec-kit",
        list(n, (i) => [`${"specs/".repeat(50)}${i}.md`, ""]),
      ),
  },
  readOpenspec: {
    changes: (n) =>
      zipped(
        "openspec",
        list(n, (i) => [`changes/${i}/tasks.md`, "- [ ] a"]),
      ),
    "archived ones": (n) =>
      zipped(
        "openspec",
        list(n, (i) => [`changes/${i ? "archive/" : ""}${i}/tasks.md`, "- [ ] a"]),
      ),
    "specs of one": (n) =>
      zipped(
        "openspec",
        list(n, (i) => [`changes/a/specs/${i}/spec.md`, "#### Scenario: a\n- b"]),
      ),
    "steps of one scenario": (n) =>
      zipped("openspec", [["changes/a/specs/b/spec.md", `#### Scenario: a\n${"- b\n".repeat(n)}`]]),
    "deep paths": (n) =>
      zipped(
        "openspec",
        list(n, (i) => [`${"changes/archive/".repeat(20)}${i}.md`, ""]),
      ),
  },
  readBeads: {
    issues: (n) =>
      file(
        "beads",
        lines(n, (i) => issue(`a-${i}`)),
      ),
    "a chain of parents": (n) =>
      file(
        "beads",
        lines(n, (i) => issue(`a-${i}`, `a-${i + 1}`)),
      ),
    "a ring of parents": (n) =>
      file(
        "beads",
        lines(n, (i) => issue(`a-${i}`, `a-${(i + 1) % n}`)),
      ),
    "an id of parts": (n) =>
      file(
        "beads",
        lines(Math.min(n, 400), (i) => issue(`a${".1".repeat(i)}`)),
      ),
    "one id": (n) =>
      file(
        "beads",
        lines(n, () => issue("a")),
      ),
  },
  readBacklogMd: {
    "a chain of parents": (n) => folder(n, (i) => `id: task-${i}\ntitle: t\nparent_task_id: task-${i + 1}`),
    "a ring of parents": (n) => folder(n, (i) => `id: task-${i}\ntitle: t\nparent_task_id: task-${(i + 1) % n}`),
    "a milestone each": (n) => folder(n, (i) => `id: task-${i}\ntitle: t\nmilestone: m${i}`),
    "a missing parent each": (n) => folder(n, (i) => `id: task-${i}\ntitle: t\nparent_task_id: task-${i}.1`),
    "all wait for one": (n) => folder(n, (i) => `id: task-${i}\ntitle: t\ndependencies: [task-0, 0, "00", "000"]`),
    "one id": (n) => folder(n, () => "id: task-1\ntitle: t"),
    "fields of one file": (n) =>
      folder(1, () => `id: task-1\ntitle: t\n${lines(Math.min(n, 10_000), (i) => `f${i}:`)}`),
    "dependencies of one file": (n) =>
      folder(1, () => `id: task-1\ntitle: t\ndependencies:\n${lines(Math.min(n, 10_000), () => " - 1")}`),
    "criteria of one file": (n) =>
      folder(1, () => "id: task-1\ntitle: t", `## Acceptance Criteria\n- [x] ${" ".repeat(n * 20)}a\u2028b`),
    "lines of dashes": (n) => folder(1, () => "id: task-1\ntitle: t", "\n---  ".repeat(n)),
  },
  readCsv: {
    columns: (n) => {
      const text = ",".repeat(n * 10);
      return () => readCsv(text, ["ID"], "x");
    },
    "one column again and again": (n) => {
      const text = `ID${",ID".repeat(900)}\n${"\n,".repeat(n)}`;
      return () => readCsv(text, ["ID"], "x").rows.map((row) => row.all("ID"));
    },
    quotes: (n) => {
      const text = `ID\n"${'""'.repeat(n * 10)}"`;
      return () => readCsv(text, ["ID"], "x");
    },
  },
  jiraMarkdown: Object.fromEntries(
    ["{code:a", "{noformat", "{code:a ", "{{a", "[a|", "[a|http://a", " *a", "*a ", "h1. ", "{a}", "|"].flatMap(
      (pump) =>
        ["", "\u2028a", "}"].map((end): [string, Worst] => [
          json(pump + end),
          (n) => {
            const [head = "", tail = ""] = [pump.slice(0, -1), pump.slice(-1)];
            const texts = [pump.repeat(n) + end, head + tail.repeat(n * 5) + end];
            return () => texts.map(jiraMarkdown);
          },
        ]),
    ),
  ),
  splitSections: {
    headings: (n) => () => splitSections("## Description\n".repeat(n)),
    blanks: (n) => () => splitSections(`${" ".repeat(n * 50)}\u2028\n`),
    marks: (n) => () => splitSections(`<!--${" ".repeat(n * 50)}SECTION`),
  },
  readForm: {
    fields: (n) => form("application/x-www-form-urlencoded", list(n, (i) => `a${i}=b`).join("&")),
    "parts of a boundary that is named twice": (n) =>
      form(
        "multipart/form-data; x-boundary=c; boundary=b",
        `${'--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(n)}--b--\r\n`,
      ),
    "beginnings of a boundary": (n) => form("multipart/form-data; boundary=bbbb", `--bbbb\r\n${"\r\n--bbb".repeat(n)}`),
  },
  Parameters: {
    names: (n) => {
      const values = new URLSearchParams(list(n, (i): [string, string] => [`a${i}`, "b"]));
      return () => new Parameters(values);
    },
  },
  parseJsonBody: {
    keys: (n) => {
      const body = bytes(json(Object.fromEntries(list(n, (i) => [`a${i}`, i]))));
      return () => parseJsonBody(body, new Headers());
    },
  },
  measureJson: {
    digits: (n) => () => measureJson(`[${"1".repeat(n * 5)}]`),
    backslashes: (n) => () => measureJson(`["${"\\\\".repeat(n * 5)}"]`),
    quotes: (n) => () => measureJson(`["${'\\"'.repeat(n * 5)}"]`),
  },
  parsePatch: {
    hunks: (n) => () => parsePatch(`diff --git a/a b/a\n--- a/a\n+++ b/a\n${"@@ -1 +1 @@\n-a\n+b\n".repeat(n)}`),
    headers: (n) => () => parsePatch("diff --git a/a b/a\n".repeat(n)),
  },
  joinPatches: {
    "many hunks in one run of known lines": (n) => {
      const run = (old: string) =>
        `@@ -1,${n * 9} +1,${n * 9} @@\n${`${" a\n".repeat(8)}-${old}\n+${old}b\n`.repeat(n)}`;
      const patches = ["b", "bb"].map(run);
      return () => joinPatches(patches);
    },
  },
  positionComments: {
    "a comment on each of lines that are all alike": (n) => {
      const ids = { id: "c", job_id: "j", attempt: 1, author_id: null, author: "a", review_id: null, created_at: "" };
      const files = [addedFile("a", ...list(n, () => "x"))];
      const commits = { base_sha: "a", head_sha: "b", attempts: [1] };
      const review = reviewOfAttempt({ ...ids, ...commits, additions: n, deletions: 0, files });
      const on = { path: "a", side: "new", line_text: "x", body: "b", draft: false } as const;
      const comments = list(n, (i) => ({ ...ids, ...on, line: i + 1 }));
      return () => positionComments(review, comments);
    },
  },
  drawLines: {
    "lines that are like none before them": (n) => {
      const line = (kind: "deleted" | "added", i: number) => ({ kind, text: `a ${kind} ${i} b`, old: i, new: i });
      const hunk = (["deleted", "added"] as const).flatMap((kind) => list(n, (i) => line(kind, i)));
      return () => drawLines("a.txt", [hunk]);
    },
  },
  readPatch: {
    files: (n) => () =>
      readPatch(lines(n, (i) => `diff --git a/${i} b/${i}\n--- a/${i}\n+++ b/${i}\n@@ -1 +1 @@\n-a\n+b`)),
    "one long name": (n) => () => readPatch(`diff --git a/${"a b/".repeat(n * 5)}`),
  },
  readPastedList: {
    deeper: (n) => () =>
      readPastedList(
        lines(Math.min(n, 500), (i) => `${" ".repeat(i)}- a`),
        "pbi",
      ),
    lines: (n) => () => readPastedList("- a\n".repeat(n), "pbi"),
  },
  readFilter: {
    words: (n) => () => readFilter("a:b ".repeat(n)),
    quotes: (n) => () => readFilter('"a '.repeat(n)),
    colons: (n) => () => readFilter(":".repeat(n * 5)),
  },
};

/** Functions of these names that read no text of others, or pass it on to one of the list. */
const others: Readonly<Record<string, string>> = {
  parseMeasured: "measureJson, then JSON.parse",
  parseMultipart: "readForm",
  readFiles: "the formats",
  readFolder: "the formats of folders",
  readSpec: "the formats of folders",
  readJson: "JSON.parse, then zod",
  readLine: "one line: its expressions are in regular-expressions, its callers above",
};

const sources = import.meta.glob<string>("../../app/{wire,nouns,features,http,mcp,oauth}/**/*.ts", {
  query: "?raw",
  import: "default",
  eager: true,
});
const named = Object.values(sources).flatMap((source) =>
  [
    ...source.matchAll(
      /^export (?:async )?function\*? ((?:parse|read|split|measure)\w*)(?:<[^(]*>)?\(\s*(?:text|body|bytes|patch|line|source|query|files)\b/gm,
    ),
  ].map(([, name = ""]) => name),
);

/** The least work of three times: what else the machine does only adds to it. */
async function leastWork(work: Work): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < 3; time += 1) {
    const before = busyMilliseconds();
    try {
      await work();
    } catch {
      // A refusal is an answer too.
    }
    least = Math.min(least, busyMilliseconds() - before);
  }
  return least;
}

/**
 * Whether twice the parts take more than three times the work, from a size on at which work can be told from noise. What
 * takes the square does so at the next size too; what the collector of memory adds comes once.
 */
async function growsTooFast(worst: Worst): Promise<string | null> {
  for (let parts = 500; parts <= 16_000; parts *= 2) {
    const single = await leastWork(worst(parts));
    if (single < 15) continue;
    const double = await leastWork(worst(parts * 2));
    if (double <= single * 3) return null;
    const fourfold = await leastWork(worst(parts * 4));
    if (fourfold <= double * 3) return null;
    return [parts, single, double, fourfold].map(Math.round).join(", ");
  }
  return null;
}

describe("what is sent is read in time that grows with its length", () => {
  it("Every parser of what is sent has a check of its growth", () => {
    expect(named.filter((name) => !(name in parsers) && !(name in others))).toEqual([]);
    expect(importFormats.length).toBe(
      Object.keys(parsers).filter((name) => /^read(Linear|Github|Jira|Trello|Backl|Spec|Opens|Beads)/.test(name))
        .length,
    );
  });

  it("A parser whose work grows with the square of its input is found", { tags: "thorough" }, async () => {
    const values = (n: number) => list(n, (i): [string, string] => [`a${i}`, "b"]);
    // A little more than the square, so that a busy machine does not hide it.
    const square: Worst = (n) => () => {
      const form = new URLSearchParams(values(Math.round(n ** 1.25)));
      for (const name of form.keys()) form.getAll(name);
    };
    expect(await growsTooFast(square)).not.toBeNull();
  });

  for (const [name, kinds] of Object.entries(parsers))
    it.each(Object.keys(kinds))(`${name} reads its input in time that grows with its length: %s`, async (kind) => {
      const worst = kinds[kind];
      expect(worst && (await growsTooFast(worst))).toBeNull();
    });
});
