import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { addComment } from "~/nouns/comments/operations.server";
import { addFile, listFiles, readFile } from "~/nouns/files/operations.server";
import { getStoryPage } from "~/nouns/pages/operations.server";
import { deleteProduct } from "~/nouns/products/operations.server";
import { addEvidence, getProof } from "~/nouns/proof/operations.server";
import { updateStory } from "~/nouns/stories/operations.server";
import { createTestDatabase } from "../setup/database";
import { commandLine } from "./command-line";

const t = await createTestDatabase();
const admin = commandLine(t);
const home = mkdtempSync(join(tmpdir(), "backloom-files-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const ada = await t.createUser({ username: "ada" });
const actor = t.actorOf(ada);

async function seed(name: string) {
  const { product, story, task } = await t.seedBacklog(ada);
  const add = (place: object, as: string, content = png) => {
    const type = content === png ? ("image/png" as const) : ("text/plain" as const);
    const file = { name: as, type, content: content.toString("base64") };
    return addFile(actor, { product_id: product.id, ...place, ...file });
  };
  const shot = await add({ story_id: story.id }, "shot.png");
  await add({ task_id: task.id }, "notes.txt", Buffer.from("Hello"));
  const quoted = await add({}, "quoted.png");
  await updateStory(actor, { story_id: story.id, description: `Like ![this](${shot.url}).` });
  const body = `As ![here](${quoted.url})`;
  await addComment(actor, { kind: "task", id: task.id, body });
  const { criteria } = await getProof(actor, { story_id: story.id });
  const criterion = criteria[0]?.id ?? "";
  const before = await add({ story_id: story.id }, "before.png");
  await addEvidence(actor, {
    ...{ story_id: story.id, criterion, file: shot.id, base_file: before.id },
  });
  const [document, folder] = [join(home, `${name}.json`), join(home, name)];
  return { product, shot, document, folder };
}

it("an export writes files into a folder, and its import gives them back with the texts and the evidence that show them", async () => {
  const { product, shot, document, folder } = await seed("whole");
  const words = ["--product", product.id, "--out", document, "--files", folder];
  expect(await admin.json("export", ...words)).toMatchObject({ files: 4 });
  const names = readdirSync(folder);
  expect(names).toHaveLength(4);
  expect(statSync(join(folder, `${shot.id}.png`)).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, `${shot.id}.png`)).equals(png)).toBe(true);

  const copy = await admin.json(
    ...["import", document, "--owner", "ada", "--code", "COPY", "--files", folder],
  );
  const product_id = String(copy.id);
  const { files, used } = await listFiles(actor, { product_id });
  expect(used).toBe(3 * png.length + 5);
  expect(files.map(({ name, comment_id }) => [name, comment_id !== null]).sort()).toEqual([
    ["before.png", false],
    ["notes.txt", false],
    ["quoted.png", true],
    ["shot.png", false],
  ]);
  const copied = files.find(({ name }) => name === "shot.png");
  expect(copied?.id).not.toBe(shot.id);
  const page = await getStoryPage(actor, { story_id: copied?.story_id ?? "" });
  expect(page.story.description).toBe(`Like ![this](${copied?.url}).`);
  const { criteria } = await getProof(actor, { story_id: page.story.id });
  expect(criteria[0]?.evidence).toMatchObject([
    { file: { id: copied?.id }, base_file: { name: "before.png" } },
  ]);
  const read = await readFile(actor, { file_id: copied?.id ?? "", length: png.length });
  expect(Buffer.from(read.content ?? "", "base64").equals(png)).toBe(true);

  // Where the ids are free, the same comes out again.
  await deleteProduct(actor, { product_id: product.id, code: product.code });
  await admin.json("import", document, "--owner", "ada", "--files", folder);
  const again = join(home, "again.json");
  await admin.json("export", "--product", product.code, "--out", again);
  const textOf = (path: string) => readFileSync(path, "utf8").replace(/"exported_at": .*/, "");
  expect(textOf(again)).toBe(textOf(document));
});

it("an import whose files are missing or are something else imports nothing, and one without a folder leaves them out", async () => {
  const { product, shot, document, folder } = await seed("part");
  const out = ["--product", product.id, "--out", document];
  expect((await admin.run("export", ...out)).output).toContain("Files: 4, not included.");
  await admin.json("export", ...out, "--files", folder);
  const count = async () => (await t.query`select count(*) from products`)[0];
  const before = await count();
  const words = ["import", document, "--owner", "ada", "--code", "PART"];
  const path = join(folder, `${shot.id}.png`);
  writeFileSync(path, "<script>alert(1)</script>");
  expect((await admin.run(...words, "--files", folder)).output).toContain("is no image/png");
  rmSync(path);
  expect((await admin.run(...words, "--files", folder)).output).toContain("is missing: shot.png");
  expect(await count()).toEqual(before);

  const { output } = await admin.run(...words);
  expect(output).toContain("Files: 4, left out.");
  const rows = await t.query`select count(*)::int as count from files f join products p
    on p.id = f.product_id where p.code = 'PART'`;
  expect(rows).toEqual([{ count: 0 }]);
});
