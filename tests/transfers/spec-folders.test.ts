import { strToU8, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import type { ImportFormat, ImportReport } from "~/wire/transfers/contract";
import { openApp } from "../setup/app";
import { mover, newProduct, type Part, stock, waitsIn } from "./mover";
import { beads, openspec, specKit, zipOf } from "./spec-shapes";

const { t, app } = await openApp();
/** No one may make more than five products a minute. */
const someone = async () => mover(t, app, await t.createUser());

async function imported(format: ImportFormat, file: Part) {
  const { move } = await someone();
  const report = await move({ format, ...newProduct() }, ["file", file]);
  const again = () => move({ format, product_id: String(report.product.id) }, ["file", file]);
  return { report, again, stories: await stock(t, report.product.id) };
}

const counts = ({ stories, tasks, already_there, dependencies }: ImportReport) => {
  return { stories, tasks, already_there, dependencies };
};

it("Spec Kit features become stories, numbered boxes tasks, and tasks without [P] follow each other", async () => {
  const { report, stories } = await imported("spec-kit", zipOf(specKit));
  expect(stories).toMatchObject([
    { title: "Frost", status: "OPEN", tasks: ["Frost TO_DO"] },
    {
      title: "Plan the beds",
      pbi: "Imported from Spec Kit",
      status: "OPEN",
      description: expect.stringMatching(/Feature Branch[\s\S]*Source: specs\/001-beds$/),
      tasks: [
        "T001 Create the table in db/beds.sql DONE",
        "T002 Lint the folder TO_DO",
        "T003 Draw a row TO_DO",
        "T004 Describe the drawing TO_DO",
        "T005 Refuse rows that cross TO_DO",
      ],
    },
    { title: "Water the beds", status: "DONE", tasks: ["T001 Buy a pump DONE", "T002 Lay the pipe DONE"] },
  ]);
  expect(await waitsIn(t, report.product.id)).toEqual([
    "task T003 Draw a row > T001 Create the table in db/beds.sql",
    "task T005 Refuse rows that cross > T003 Draw a row",
  ]);
  const rows = await t.query`select k.description, k.implementation_plan, s.acceptance_criteria
      from tasks k join stories s on s.id = k.story_id where k.product_id = ${report.product.id} and k.title like 'T003%'`;
  expect(rows).toEqual([
    {
      description: "Phase 3.3: Core\n\n- with its name\n- and its length",
      implementation_plan: "## Technical Context\n\nOne table for the rows.",
      acceptance_criteria:
        "- Given an empty bed, When a row is drawn, Then it is kept\n- Given two rows, When they cross, Then the second is refused",
    },
  ]);
  expect(report.left_out).toEqual(
    expect.arrayContaining([
      { count: 1, reason: "Boxes without a number such as T001: All rows have a test" },
      { count: 1, reason: "Plans of what is done: 002-water" },
      { count: 4, reason: expect.stringMatching(/^Files of another kind: .*README\.md/) },
    ]),
  );
});

it("A repeated Spec Kit import makes nothing twice, however it is packed, and adds what is new", async () => {
  const { move, preview } = await someone();
  const fields = { format: "spec-kit", ...newProduct() };
  const seen = await preview(fields, ["specs.zip", zipOf(specKit)]);
  const first = await move(fields, ["specs.zip", zipOf(specKit)]);
  expect({ ...seen, preview: false, product: first.product }).toEqual(first);
  const into = { format: "spec-kit", product_id: String(first.product.id) };
  const inner = Object.entries(specKit).flatMap(([path, text]): [string, string][] =>
    path.startsWith("specs/") ? [[path.slice("specs/".length), text]] : [],
  );
  const around = Object.entries(specKit).map(([path, text]) => [`repository/${path}`, text]);
  for (const files of [specKit, Object.fromEntries(inner), Object.fromEntries(around)])
    expect(counts(await move(into, ["a.zip", zipOf(files)]))).toEqual({
      stories: 0,
      tasks: 0,
      already_there: 3,
      dependencies: 0,
    });
  const tasks = `${specKit["specs/001-beds/tasks.md"]}\n- [ ] T006 Print the plan\n`;
  const longer = zipOf({ ...specKit, "specs/001-beds/tasks.md": tasks });
  expect(counts(await move(into, ["a.zip", longer]))).toMatchObject({ stories: 0, tasks: 1, dependencies: 1 });
});

it("Live OpenSpec changes become stories with criteria, design and tasks; archived ones are left out", async () => {
  const { report, again, stories } = await imported("openspec", zipOf(openspec));
  expect(stories).toMatchObject([
    {
      title: "Add a compost heap",
      pbi: "Imported from OpenSpec",
      description: expect.stringMatching(/Leaves lie around[\s\S]*SHALL be warm/),
      tasks: ["1.1 Choose a place DONE", "1.2 Build the frame TO_DO", "2.1 Turn it each month TO_DO"],
    },
    { title: "move-shed", tasks: ["Empty it TO_DO", "Roll it TO_DO"] },
  ]);
  expect(report.left_out).toContainEqual({ count: 1, reason: "Archived changes: 2026-01-02-add-fence" });
  const rows = await t.query`select acceptance_criteria from stories
      where product_id = ${report.product.id} and acceptance_criteria <> ''`;
  expect(rows).toEqual([{ acceptance_criteria: "- In winter: WHEN it freezes THEN the heap is warm" }]);
  const planned = await t.query`select title from tasks where product_id = ${report.product.id}
      and implementation_plan like '%On rollers.'`;
  expect(planned).toHaveLength(2);
  expect(counts(await again())).toMatchObject({ stories: 0, tasks: 0, already_there: 2 });
});

it("Numbered headings of Spec Kit become tasks with their status and dependencies", async () => {
  const text = [
    "# Tasks",
    "### T-001 — Form",
    "**Status**: done",
    "### T002: Session",
    "Depends on: T-001",
    "1. T003 Tests",
    "- Not one",
    "- [ ] No number",
  ].join("\n\n");
  const { report, stories } = await imported("spec-kit", zipOf({ "specs/a/tasks.md": text }));
  expect(stories).toMatchObject([{ tasks: ["T-001 Form DONE", "T002 Session TO_DO", "T003 Tests TO_DO"] }]);
  expect(await waitsIn(t, report.product.id)).toEqual([
    "task T002 Session > T-001 Form",
    "task T003 Tests > T002 Session",
  ]);
  expect(report.left_out).toEqual([
    { count: 1, reason: "List items without a box: Not one" },
    { count: 1, reason: "Boxes without a number such as T001: No number" },
  ]);
});

it("OpenSpec items without boxes become tasks to do; a text without items becomes the description", async () => {
  const { report, stories } = await imported(
    "openspec",
    zipOf({
      "openspec/changes/a/tasks.md": "## 1. Work\n1. Choose a library\n- Render it\n  - as PDF\n",
      "openspec/changes/b/tasks.md": "Ask Ada.",
      "openspec/changes/c/tasks.md": "- [x] 1.1 Load\n- [~] 1.2 Put off\n- Write it down",
    }),
  );
  expect(stories).toMatchObject([
    { title: "a", tasks: ["Choose a library TO_DO", "Render it TO_DO"] },
    { title: "b", description: "Ask Ada.\n\nSource: changes/b" },
    { title: "c", status: "OPEN", tasks: ["1.1 Load DONE", "1.2 Put off TO_DO"] },
  ]);
  expect(report.left_out).toEqual([
    { count: 1, reason: "A tasks.md without a list: it is in the description: b" },
    { count: 1, reason: "List items without a box: Write it down" },
  ]);
  expect(report.statuses).toEqual([
    { word: "without a box", became: "TO_DO", known: false, count: 2 },
    { word: "[~]", became: "TO_DO", known: false, count: 1 },
  ]);
});

it("Epics of beads become PBIs, blocks dependencies, children tasks; tombstones and messages stay out", async () => {
  const { report, again, stories } = await imported("beads", beads);
  expect(stories).toMatchObject([
    { pbi: "Imported from beads", code: "g-4", title: "Buy baskets", status: "DONE" },
    {
      pbi: "Harvest",
      code: "g-2",
      title: "Pick",
      priority: 1,
      labels: ["fruit"],
      description: expect.stringMatching(/The apples\n\n## Notes\n\nRipe[\s\S]*\*\*bob\*\*[\s\S]*Soon/),
      tasks: ["Find a ladder TO_DO 20", "Climb TO_DO"],
    },
    { pbi: "Harvest", code: "g-3", title: "Sell", priority: 4, tasks: ["Sell TO_DO"] },
  ]);
  expect(await waitsIn(t, report.product.id)).toEqual([
    "Pick > Buy baskets",
    "Sell > Pick",
    "task Climb > Find a ladder",
  ]);
  expect(report.left_out).toEqual(
    expect.arrayContaining([
      { count: 1, reason: "Deleted in beads: g-9" },
      { count: 1, reason: "Issues that are not work: message" },
      { count: 1, reason: "Links that block nothing: discovered-from" },
      { count: 1, reason: "Dependencies on what is not imported: g-3 on g-9" },
    ]),
  );
  expect(report.unknown_people).toEqual(["ada"]);
  expect(counts(await again())).toMatchObject({ stories: 0, tasks: 0, already_there: 3 });
});

it("The newest line of a beads issue counts; deferred becomes a label, and the close reason is in the text", async () => {
  const line = (id: string, day: number, more: object) =>
    JSON.stringify({ id, title: id, updated_at: `2026-08-0${day}T10:00:00Z`, ...more });
  const closed = line("b-1", 5, { status: "closed", close_reason: "Superseded by b-3" });
  const lines = [line("b-1", 1, {}), line("b-2", 1, { status: "deferred" }), closed, line("b-1", 2, {})];
  const { report, stories } = await imported("beads", lines.join("\n"));
  expect(stories).toMatchObject([
    { title: "b-1", status: "DONE", description: "Close reason: Superseded by b-3" },
    { title: "b-2", labels: ["deferred"] },
  ]);
  expect(report.left_out).toContainEqual({ count: 2, reason: "Older lines of the same issue: b-1" });
});

it("A started beads issue with a design stays started when its parts are to do", async () => {
  const issues = [
    { id: "b-1", title: "A", status: "in_progress", design: "D" },
    { id: "b-1.1", title: "B" },
  ];
  const { report, stories } = await imported("beads", issues.map((issue) => JSON.stringify(issue)).join("\n"));
  expect(stories).toMatchObject([{ title: "A", tasks: ["B TO_DO", "A IN_PROGRESS"] }]);
  expect(report.left_out).toEqual([]);
});

it("A beads issue whose date no one can keep is imported all the same", async () => {
  const dates = ["+012026-01-01T00:00:00Z", "-000001-01-01", "0000-01-01", "99999-01-01"];
  const lines = dates.map((created_at) => JSON.stringify({ id: created_at, title: "A", created_at }));
  const { report } = await imported("beads", lines.join("\n"));
  expect(report.stories).toBe(dates.length);
});

it("A beads file with a broken line is refused with the number of that line", async () => {
  const { send } = await someone();
  const broken = `${beads}\n<<<<<<< HEAD`;
  const refused = await send({ format: "beads", ...newProduct() }, ["issues.jsonl", broken]);
  expect([refused.status, await refused.json()]).toMatchObject([
    422,
    { error: "This is not an issue of beads (line 9): it is not valid JSON." },
  ]);
});

describe("folders that someone made on purpose", () => {
  const feature = (name: string) => ({
    [`specs/${name}/spec.md`]: `# ${name}`,
    [`specs/${name}/tasks.md`]: "- [ ] T001 Do it",
  });
  const utf16 = (text: string) => new Uint8Array(Buffer.from(`\uFEFF${text}`, "utf16le"));

  it("Paths that lead out of an imported folder are left out and named", async () => {
    const { report, stories } = await imported(
      "spec-kit",
      zipOf({
        ...feature("001-a"),
        "../specs/002-b/spec.md": "# Up",
        "specs/../../003-c/spec.md": "# Up again",
        "/specs/004-d/spec.md": "# Root",
        "C:\\specs\\005-e\\spec.md": "# Drive",
        "..\\specs\\006-f\\spec.md": "# Up, from Windows",
      }),
    );
    expect(stories.map(({ title }) => title)).toEqual(["001-a"]);
    expect(report.left_out).toContainEqual({
      count: 5,
      reason: expect.stringContaining("Files: the path leads out of the folder: "),
    });
  });

  it("A link in an imported archive is a text like others: what it points to is not read", async () => {
    const link = { os: 3, attrs: (0o120777 << 16) >>> 0 };
    const zip = zipSync({
      "specs/001-a/spec.md": [strToU8("/etc/passwd"), link],
      "specs/001-a/tasks.md": strToU8("- [ ] T001 Do it"),
    });
    const { stories } = await imported("spec-kit", new Uint8Array(zip));
    expect(stories).toMatchObject([{ title: "001-a", description: "/etc/passwd\n\nSource: specs/001-a" }]);
  });

  it("An imported archive may have Windows line ends, UTF-16 and backslashes; what is not text is named", async () => {
    const { report, stories } = await imported(
      "spec-kit",
      zipOf({
        "specs\\001-a\\spec.md": "# First\r\n\r\nText\r\n",
        "specs\\001-a\\tasks.md": utf16("## Phase\r\n- [x] T001 One\r\n- [ ] T002 Two\r\n"),
        "specs\\001-a\\plan.md": new Uint8Array([0x23, 0xc3, 0x28]),
      }),
    );
    expect(stories).toMatchObject([{ title: "First", tasks: ["T001 One DONE", "T002 Two TO_DO"] }]);
    expect(report.dependencies).toBe(1);
    expect(report.left_out).toContainEqual({
      count: 1,
      reason: "Files: neither UTF-8 nor UTF-16 text: specs/001-a/plan.md",
    });
  });

  it("An archive of ten thousand entries and large files is held to the limits of other imports", {
    tags: "thorough",
  }, async () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`src/${index}/plan.txt`, ""]));
    const large = "x".repeat(1024 * 1024 + 1);
    const { report, stories } = await imported(
      "spec-kit",
      zipOf({ ...many, ...feature("001-a"), "specs/001-a/plan.md": large }),
    );
    expect(stories).toHaveLength(1);
    expect(report.left_out).toEqual(
      expect.arrayContaining([
        { count: 10_000, reason: expect.stringMatching(/^Files of another kind: .*…$/) },
        { count: 1, reason: "Files: larger than 1024 KiB: specs/001-a/plan.md" },
      ]),
    );
    const bomb = zipOf(
      Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`specs/${index}/spec.md`, large.slice(1)])),
    );
    for (const format of ["spec-kit", "openspec"]) {
      const { send } = await someone();
      const refused = await send({ format, ...newProduct() }, ["bomb.zip", bomb]);
      expect([refused.status, await refused.json()]).toMatchObject([
        422,
        { error: expect.stringContaining("unpacks to more") },
      ]);
    }
  });

  it("An archive without features or changes is refused with what to send", async () => {
    const { send } = await someone();
    for (const [format, words] of [
      ["spec-kit", "no Spec Kit features"],
      ["openspec", "no open OpenSpec changes"],
    ] as const) {
      const refused = await send({ format, ...newProduct() }, ["a.zip", zipOf({ "a.md": "# A" })]);
      expect([refused.status, await refused.json()]).toMatchObject([422, { error: expect.stringContaining(words) }]);
    }
  });
});
