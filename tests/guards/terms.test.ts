import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { expect, it } from "vitest";

const table = readFileSync("docs/terms.md", "utf8");
const rows = [...table.matchAll(/^\| ([^|]+) \| ([^|]+) \| ?([^|]*)\|$/gm)].filter(([, term]) => term !== "Term");
const forbidden = rows.flatMap(([, term = "", , names = ""]) =>
  names
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && !/^-+$/.test(name))
    .map((name) => ({ term, name, pattern: new RegExp(`(?<![\\w-])${name}(?![\\w-])`, "i") })),
);

type Text = { file: string; words: string };

const filesIn = (folder: string, end: RegExp) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => end.test(file))
    .map((file) => `${folder}/${file}`);

/** What a program may show: its strings and what stands between tags, without the names of modules. */
function textsOfProgram(file: string, source: string): Text[] {
  const texts: Text[] = [];
  const add = ({ text }: { text: string }) => texts.push({ file, words: text.replaceAll(/\s+/g, " ") });
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return;
    if (ts.isStringLiteralLike(node) || ts.isJsxText(node) || ts.isTemplateHead(node)) add(node);
    if (ts.isTemplateMiddle(node) || ts.isTemplateTail(node)) add(node);
    ts.forEachChild(node, visit);
  };
  const kind = file.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  visit(ts.createSourceFile(file, source, ts.ScriptTarget.Latest, false, kind));
  return texts;
}

/** The strings of SQL; comments are for developers. */
function textsOfSql(file: string, source: string): Text[] {
  const code = source.replaceAll(/--.*$/gm, "").replaceAll(/^comment on[\s\S]*?;$/gm, "");
  return [...code.matchAll(/'((?:[^']|'')*)'/g)].map(([, words = ""]) => ({ file, words }));
}

const wrong = (texts: readonly Text[]) =>
  texts.flatMap(({ file, words }) =>
    forbidden
      .filter(({ pattern }) => pattern.test(words))
      .map(({ term, name }) => `${file}: "${name}" is called ${term}: ${words.slice(0, 120)}`),
  );

it("each term has one name in pages, messages, commands and documents", () => {
  expect(rows.length).toBeGreaterThan(25);
  expect(forbidden.length).toBeGreaterThan(15);
  const sources = [...filesIn("app", /\.tsx?$/), ...filesIn("worker", /\.ts$/)];
  const programs = sources.filter((file) => file !== "app/db/types.ts");
  const documents = ["README.md", ...filesIn("docs", /\.md$/)].filter((file) => file !== "docs/terms.md");
  const texts = [
    ...programs.flatMap((file) => textsOfProgram(file, readFileSync(file, "utf8"))),
    ...filesIn("supabase/schemas", /\.sql$/).flatMap((file) => textsOfSql(file, readFileSync(file, "utf8"))),
    ...documents.flatMap((file) =>
      readFileSync(file, "utf8")
        .split("\n")
        .map((words) => ({ file, words })),
    ),
  ];
  expect(texts.length).toBeGreaterThan(10_000);
  expect(wrong(texts)).toEqual([]);
}, 120_000);

it("The check of terms sees a forbidden word in strings, tags, templates and SQL, not in comments", () => {
  const lines = ['import "./talk";', "// talk", "const a = `A talk`;", "const c = <p>A talk</p>;"];
  const program = lines.join("\n");
  expect(wrong(textsOfProgram("a.tsx", program))).toHaveLength(2);
  expect(wrong(textsOfSql("a.sql", "-- talk\nselect 'put off';\n"))).toHaveLength(1);
});
