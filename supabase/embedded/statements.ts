import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { projectRoot } from "./project-root";

export type Statement = { text: string; line: number };

export interface SchemaStatement extends Statement {
  file: string;
}

/** Tokens in which semicolons do not end a statement: comments, quoted text and dollar-quoted bodies. */
const hidden = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$/y;

/** Splits a file into statements without their closing semicolons. Omits comments before a statement. */
export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = [];
  let start = -1;
  let at = 0;
  while (at < sql.length) {
    hidden.lastIndex = at;
    const match = hidden.exec(sql);
    const character = sql.charAt(at);
    const isComment = match?.[0].startsWith("--") ?? false;
    if (start < 0 && !isComment && !/[\s;]/.test(character)) start = at;
    if (!match && character === ";" && start >= 0) {
      statements.push({ text: sql.slice(start, at), line: lineOf(sql, start) });
      start = -1;
    }
    at = match ? hidden.lastIndex : at + 1;
  }
  if (start >= 0) throw new Error(`Line ${lineOf(sql, start)}: this statement has no semicolon at its end.`);
  return statements;
}

const lineOf = (sql: string, at: number): number => sql.slice(0, at).split("\n").length;

const folder = join(projectRoot, "supabase/schemas");

/** Each after what it names; `privileges` first, because anything created before it would be open to everyone. */
export async function readSchemas(): Promise<SchemaStatement[]> {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".sql")).sort();
  const files = ["privileges.sql", ...names.filter((name) => name !== "privileges.sql")];
  const read = files.map(async (name) => {
    const path = join(folder, name);
    const statements = splitStatements(await readFile(path, "utf8"));
    return statements.map((statement) => ({ ...statement, file: relative(projectRoot, path) }));
  });
  return inOrder((await Promise.all(read)).flat());
}

function inOrder(statements: readonly SchemaStatement[]): SchemaStatement[] {
  const makers = new Map<string, SchemaStatement[]>();
  for (const statement of statements) {
    const name = madeBy(statement);
    if (name) makers.set(name, [...(makers.get(name) ?? []), statement]);
  }
  const ordered = new Set<SchemaStatement>();
  const begun = new Set<SchemaStatement>();
  const place = (statement: SchemaStatement): void => {
    if (begun.has(statement)) return;
    begun.add(statement);
    for (const name of namesIn(statement)) for (const maker of makers.get(name) ?? []) place(maker);
    ordered.add(statement);
  };
  for (const statement of statements) place(statement);
  return [...ordered];
}

const makes = /^create (?:or replace )?(?:unlogged )?(?:table|type|view|function|sequence|schema) ((?:\w+\.)?\w+)/;

const madeBy = ({ text }: SchemaStatement): string | undefined => makes.exec(text)?.[1];

/** Bodies of functions are not checked when they are made, so what they name may come later. */
function namesIn({ text }: SchemaStatement): Set<string> {
  const withoutBodies = text.replace(/\$(\w*)\$[\s\S]*?\$\1\$/g, "");
  return new Set(withoutBodies.match(/\b(?:public|private|operations)\.\w+/g));
}
