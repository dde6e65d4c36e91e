import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";

const app = join(import.meta.dirname, "../../app");
const guards = join(app, "http/page-guards.server.ts");
const makers = /^(?:operation|patchOperation|serviceOperation)$/;
const doors = /^call(?:As|AsRaw|Service)$/;
const explained = /\/\/ More than one call: \w/;

type Imported = { from: string; as: string };
type Known = Imported | ts.VariableDeclaration | ts.FunctionDeclaration | ts.ClassDeclaration;
const files = new Map<string, Map<string, Known>>();

/** Top-level names of a file: what they stand for, or where they are imported from. */
function namesIn(file: string): Map<string, Known> {
  const earlier = files.get(file);
  if (earlier) return earlier;
  const names = new Map<string, Known>();
  files.set(file, names);
  const source = ts.createSourceFile(file, readFileSync(file, "utf8"), ts.ScriptTarget.Latest, true);
  for (const each of source.statements) {
    if ((ts.isFunctionDeclaration(each) || ts.isClassDeclaration(each)) && each.name) names.set(each.name.text, each);
    if (ts.isVariableStatement(each)) {
      for (const one of each.declarationList.declarations) names.set(one.name.getText(), one);
    }
    if (!ts.isImportDeclaration(each) || !ts.isStringLiteral(each.moduleSpecifier)) continue;
    const from = fileOf(file, each.moduleSpecifier.text);
    const bindings = each.importClause?.namedBindings;
    if (!from || !bindings || !ts.isNamedImports(bindings)) continue;
    for (const { name, propertyName } of bindings.elements)
      names.set(name.text, { from, as: (propertyName ?? name).text });
  }
  return names;
}

function fileOf(file: string, specifier: string): string | undefined {
  const path = specifier.startsWith("~/") ? join(app, specifier.slice(2)) : join(dirname(file), specifier);
  return [".ts", ".tsx"].map((end) => path + end).find(existsSync);
}

function isOperation(file: string, name: string): boolean {
  const known = namesIn(file).get(name);
  if (!known) return false;
  if ("from" in known) return doors.test(known.as) || isOperation(known.from, known.as);
  const made = ts.isVariableDeclaration(known) ? known.initializer : undefined;
  return made !== undefined && ts.isCallExpression(made) && makers.test(made.expression.getText());
}

type IsWanted = (file: string, name: string) => boolean;

/** Places where a function, or one that it calls, calls a wanted one. Guards are free. */
function callsOf(file: string, name: string, isWanted: IsWanted, seen = new Set<Known>()): Set<string> {
  const calls = new Set<string>();
  const known = namesIn(file).get(name);
  if (!known || seen.has(known) || file === guards) return calls;
  seen.add(known);
  if ("from" in known) return callsOf(known.from, known.as, isWanted, seen);
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      for (const { text } of [node.expression, ...(node.arguments ?? [])].filter(ts.isIdentifier)) {
        if (isWanted(file, text)) calls.add(`${file}:${node.pos}`);
        else for (const call of callsOf(file, text, isWanted, seen)) calls.add(call);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(known);
  return calls;
}

it("A page loader makes one call besides its guard, or says in a comment why it makes more", () => {
  const counts = readdirSync(join(app, "routes"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".tsx") && namesIn(join(app, "routes", name)).has("loader"))
    .map((name) => ({ name, file: join(app, "routes", name) }))
    .map(({ name, file }) => ({
      name,
      calls: callsOf(file, "loader", isOperation).size,
      text: readFileSync(file, "utf8"),
    }));
  const wrong = counts.filter(({ calls, text }) => calls > 1 !== explained.test(text));
  expect(wrong.map(({ name }) => name).sort()).toEqual([]);
  expect(counts.filter(({ calls }) => calls === 1).length).toBeGreaterThan(20);
});

/** What takes patches apart, and the files that do so outside the thread: of one file at a time, which is bounded. */
const takesApart = /^(?:parsePatch|joinPatches|reviewOf(?:Story|Attempt))$/;
const ofOneFile = [
  "features/diff/show-lines.server.ts",
  "nouns/agent-jobs/report-with-diff.server.ts",
  "nouns/reviews/find-line.ts",
];

it("Loaders, actions, endpoints and tools take the patches of reviews apart in the thread only", () => {
  const isPatchWork: IsWanted = (file, name) => takesApart.test(name) && namesIn(file).has(name);
  const doors = ["routes", "mcp"].flatMap((folder) =>
    readdirSync(join(app, folder), { recursive: true, encoding: "utf8" }).map((name) => join(app, folder, name)),
  );
  const calls = doors
    .filter((file) => /\.tsx?$/.test(file))
    .flatMap((file) => [...namesIn(file).keys()].flatMap((name) => [...callsOf(file, name, isPatchWork)]));
  const found = new Set(calls.map((call) => relative(app, call.replace(/:\d+$/, ""))));
  expect([...found].sort()).toEqual(ofOneFile);
});
