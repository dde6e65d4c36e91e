import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { ExportDocumentInput } from "~/nouns/transfers/export-document";
import { createTestDatabase } from "../setup/database";
import { file as backlogFile, writeBacklogFolder } from "./backlog-folder";
import { commandLine } from "./command-line";

const t = await createTestDatabase();
const admin = commandLine(t);
await t.createUser({ username: "ada" });
const home = mkdtempSync(join(tmpdir(), "backloom-dependencies-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** What waits for what in a product, as `blocked > blocker`. */
async function waitsIn(productId: unknown): Promise<string[]> {
  const { rows } = await t.sql.query(
    `select a.code || ' > ' || b.code as edge from public.story_dependencies d
     join public.stories a on a.id = d.blocked_id join public.stories b on b.id = d.blocker_id where d.product_id = $1
     union all
     select 'task ' || a.code || ' > task ' || b.code from public.task_dependencies d
     join public.tasks a on a.id = d.blocked_id join public.tasks b on b.id = d.blocker_id where d.product_id = $1
     order by 1`,
    [productId],
  );
  return rows.map(({ edge }) => edge);
}

describe("dependencies of a Backlog.md folder", () => {
  const task = (number: string, more: string) =>
    backlogFile(`id: BACK-${number}\ntitle: Number ${number}\nstatus: To Do\n${more}`);

  it("name tasks, no matter which milestone, draft or archived task has the same number", async () => {
    const { folder } = writeBacklogFolder({
      "archive/tasks/back-5 - Old.md": task("5", "milestone: m-1"),
      "drafts/draft-3 - Thought.md": backlogFile("id: draft-3\ntitle: Thought"),
      "milestones/m-1 - First.md": backlogFile("id: m-1\ntitle: First"),
      "tasks/back-1 - One.md": task("1", "milestone: m-1"),
      "tasks/back-2 - Two.md": task("2", "dependencies: [task-1]"),
      "tasks/back-3 - Three.md": task("3", "milestone: m-1"),
      "tasks/back-4 - Four.md": task("4", "dependencies: [BACK-03]"),
      "tasks/back-5 - Five.md": task("5", ""),
      "tasks/back-6 - Six.md": task("6", "dependencies: ['5', draft-3]"),
    });
    const words = ["--owner", "ada", "--name", "Numbers", "--code", "NUMBERS"];
    const report = await admin.json("import", "backlog-md", folder, ...words);
    expect(report.dependencies).toBe(3);
    const waits = ["BACK-2 > BACK-1", "BACK-4 > BACK-3", "BACK-6 > BACK-5"];
    expect(await waitsIn(report.id)).toEqual(waits);
    expect(report.left_out).toEqual([
      { count: 1, reason: "Dependencies on what is not imported: BACK-6 on draft-3" },
    ]);
  });

  it("become dependencies of stories when one end is a part of another story", async () => {
    const { folder } = writeBacklogFolder({
      "milestones/m-1 - First.md": backlogFile("id: m-1\ntitle: First"),
      "completed/back-1 - One.md": task("1", "milestone: m-1"),
      "tasks/back-2 - Two.md": task("2", "milestone: m-1"),
      "tasks/back-2.1 - Part.md": task("2.1", "parent_task_id: BACK-2\ndependencies: [BACK-1]"),
      "tasks/back-2.2 - Part.md": task("2.2", "parent_task_id: BACK-2\ndependencies: [BACK-2]"),
      "tasks/back-2.3 - Part.md": task("2.3", "parent_task_id: BACK-2\ndependencies: [BACK-4]"),
      "completed/back-3 - Three.md": task("3", "milestone: m-1\ndependencies: [BACK-2.1]"),
      "tasks/back-4 - Four.md": task("4", "milestone: m-1"),
    });
    const words = ["--owner", "ada", "--name", "Parts", "--code", "PARTS"];
    const report = await admin.json("import", "backlog-md", folder, ...words);
    expect(await waitsIn(report.id)).toEqual([
      "BACK-2 > BACK-1",
      "BACK-2 > BACK-4",
      "BACK-3 > BACK-2",
    ]);
    expect(report.dependencies).toBe(3);
    expect(report.left_out).toContainEqual({
      count: 1,
      reason: "Dependencies between a story and its own part: BACK-2/BACK-2.2 on BACK-2",
    });
  });
});

describe("dependencies of an export file", () => {
  const story = (code: string, blocked_by: string[]) => ({ code, title: code, blocked_by });

  it.each([
    ["a circle", [story("ST-1", ["ST-2"]), story("ST-2", ["ST-1"])], "ST-2"],
    ["a story that is not in it", [story("ST-1", []), story("ST-2", ["ST-9"])], "ST-2"],
  ])(
    "are refused with %s: nothing is imported, and the fault is named",
    async (_name, stories, wrong) => {
      const document: ExportDocumentInput = {
        format: "backloom-export",
        version: 1,
        product: { code: "WRONG", name: "Wrong" },
        pbis: [{ title: "All", stories }],
      };
      const file = join(home, "wrong.json");
      writeFileSync(file, JSON.stringify(document));
      expect(await admin.refusal("import", file, "--owner", "ada")).toMatchObject({
        error: expect.stringContaining("Nothing was imported"),
        code: 422,
        issues: [{ path: `blocked_by of ${wrong}`, message: expect.any(String) }],
      });
      const rows = await t.query`select from products where code = 'WRONG'`;
      expect(rows).toEqual([]);
      const { output, exitCode } = await admin.run("import", file, "--owner", "ada");
      expect([exitCode, output]).toEqual([1, expect.stringContaining(`blocked_by of ${wrong}`)]);
    },
  );
});
