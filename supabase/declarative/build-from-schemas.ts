import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import pg from "pg";
import { projectRoot } from "../embedded/project-root";
import { type Statement, splitStatements } from "./statements";

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
  const isFirst = (name: string) => name.startsWith("privileges/");
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
