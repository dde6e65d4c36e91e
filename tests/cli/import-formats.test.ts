import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { createTestDatabase } from "../setup/database";
import { linear } from "../transfers/exports";
import { stock } from "../transfers/mover";
import { beads, openspec, specKit } from "../transfers/spec-shapes";
import { commandLine } from "./command-line";

const t = await createTestDatabase();
const admin = commandLine(t);
await t.createUser({ username: "ada" });
const home = mkdtempSync(join(tmpdir(), "backloom-formats-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

function write(name: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    const file = join(home, name, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return join(home, name);
}

const product = (code: string) => ["--owner", "ada", "--name", code, "--code", code];

it("An import takes spec folders from a repository or a folder, and nothing twice", async () => {
  const repository = write("garden", { ...specKit, "node_modules/a/specs/1/spec.md": "# Not ours" });
  symlinkSync("/etc", join(repository, "specs/004-link"));
  const preview = await admin.json("import", "spec-kit", repository, ...product("G"), "--preview");
  expect(preview).toMatchObject({ id: null, stories: 3, tasks: 8, dependencies: 2 });
  const done = await admin.json("import", "spec-kit", repository, ...product("G"));
  expect(done).toMatchObject({ code: "G", stories: 3, tasks: 8, dependencies: 2 });
  const titles = (await stock(t, String(done.id))).map(({ title }) => title);
  expect(titles).toEqual(["Frost", "Plan the beds", "Water the beds"]);
  const into = ["--owner", "ada", "--product", "G"];
  for (const path of [repository, join(repository, "specs"), join(repository, "specs/001-beds")])
    expect(await admin.json("import", "spec-kit", path, ...into)).toMatchObject({ id: done.id, stories: 0, tasks: 0 });
  const changes = write("shed", openspec);
  const { output } = await admin.run("import", "openspec", changes, ...into);
  expect(output).toContain("Imported into G: PBIs 1, stories 2, tasks 5, ideas 0, dependencies 0.");
  expect(output).toContain("1 × Archived changes: 2026-01-02-add-fence");
});

it("An import takes files of Beads and Linear, as the browser does", async () => {
  const folder = write("files", { "issues.jsonl": beads, "linear.csv": linear });
  expect(await admin.json("import", "beads", join(folder, "issues.jsonl"), ...product("B"))).toMatchObject({
    stories: 3,
    tasks: 4,
    dependencies: 3,
  });
  expect(await admin.json("import", "linear", join(folder, "linear.csv"), ...product("L"))).toMatchObject({
    stories: 2,
    tasks: 3,
  });
});

it("A refused import says what is wrong and changes nothing", async () => {
  const refuse = (...words: string[]) => admin.refusal("import", ...words);
  const before = await t.query`select count(*) from products`;
  for (const [words, error] of [
    [["spec-kit", "/no/such/folder", ...product("N")], "cannot be read"],
    [["spec-kit", home, "--owner", "ada"], "Give either --product, or --name and --code"],
    [["spec-kit", home, ...product("N"), "--product", "G"], "Give either --product"],
    [["openspec", write("empty", { "a.md": "" }), ...product("N")], "no open OpenSpec changes"],
    [["backlog-md", "/no/such/folder", ...product("N")], "cannot be read"],
    [["backlog-md", home, ...product("N")], "no Backlog.md tasks"],
    [["beads", join(home, "files/issues.jsonl"), ...product("no code")], "code"],
    [["beads", home, ...product("N")], "Send one file"],
    [["linear", join(home, "files/linear.csv"), ...product("G")], "G"],
  ] as const)
    expect(await refuse(...words)).toMatchObject({ error: expect.stringContaining(error) });
  const after = await t.query`select count(*) from products`;
  expect(after).toEqual(before);
});
