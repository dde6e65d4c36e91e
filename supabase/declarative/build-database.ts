import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import pg from "pg";
import { migrationFailure } from "../embedded/migrate";
import { listMigrations, type MigrationFile } from "../embedded/migrations";
import { projectRoot } from "../embedded/project-root";

const folder = join(projectRoot, "supabase/schemas");

interface Piece extends Statement {
  /** Path and line, for messages. */
  place: string;
}

/**
 * Builds `supabase/schemas` in an empty database. The order is not declared: statements whose dependencies are missing
 * are retried after the rest, until all are done or a round makes no progress. `privileges` comes first, so that
 * default privileges are set before the objects they apply to.
 */
export async function buildFromSchemas(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query("set check_function_bodies = off");
    let waiting = await readPieces();
    while (waiting.length > 0) {
      const { left, problems } = await tryAll(client, waiting);
      if (left.length === waiting.length) throw new Error(problems.slice(0, 5).join("\n"));
      waiting = left;
    }
  } finally {
    await client.end();
  }
}

async function tryAll(client: pg.Client, pieces: Piece[]) {
  const left: Piece[] = [];
  const problems: string[] = [];
  for (const piece of pieces) {
    try {
      await client.query(piece.text);
    } catch (error) {
      left.push(piece);
      problems.push(`${piece.place}: ${error instanceof Error ? error.message : error}`);
    }
  }
  return { left, problems };
}

async function readPieces(): Promise<Piece[]> {
  const names = await readdir(folder, { recursive: true });
  const isFirst = (name: string) => name === "privileges.sql";
  const sorted = names.filter((name) => name.endsWith(".sql")).sort();
  const files = [...sorted.filter(isFirst), ...sorted.filter((name) => !isFirst(name))];
  const read = files.map(async (name) => {
    const path = join(folder, name);
    const place = relative(projectRoot, path);
    const statements = splitStatements(await readFile(path, "utf8"));
    return statements.map((statement) => ({ ...statement, place: `${place}:${statement.line}` }));
  });
  return (await Promise.all(read)).flat();
}

/** A statement of an SQL file and the line on which it starts. */
interface Statement {
  text: string;
  line: number;
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
  if (start >= 0) {
    throw new Error(`Line ${lineOf(sql, start)}: this statement has no semicolon at its end.`);
  }
  return statements;
}

function lineOf(sql: string, at: number): number {
  return sql.slice(0, at).split("\n").length;
}

/**
 * Applies all migrations over one connection, each file in its own transaction as the Supabase CLI does. Leaves no
 * record of applied migrations. Errors name the file and line.
 */
export async function applyMigrations(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const files = await listMigrations();
    for (const file of files) await applyFile(client, file);
    return files.length;
  } finally {
    await client.end();
  }
}

async function applyFile(client: pg.Client, file: MigrationFile): Promise<void> {
  const sql = await readFile(file.path, "utf8");
  try {
    await client.query(`begin; ${sql}\n;commit;`);
  } catch (error) {
    await client.query("rollback");
    throw migrationFailure(file, `begin; ${sql}`, error);
  }
}
