import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { z } from "zod";
import { projectRoot } from "../embedded/project-root";

/** All objects of a database: name to definition, including privileges and comments. */
export type Description = ReadonlyMap<string, string>;

const rows = z.array(z.object({ object: z.string(), definition: z.string().nullable() }));

export async function describeDatabase(client: pg.ClientBase): Promise<Description> {
  // With an empty search_path, every name is schema-qualified, whatever the role's default path is.
  await client.query("set search_path = ''");
  const query = join(projectRoot, "supabase/declarative/describe-database.sql");
  const found = rows.parse((await client.query(await readFile(query, "utf8"))).rows);
  return new Map(found.map(({ object, definition }) => [object, definition ?? ""]));
}

/** Returns one message per object in which two databases differ. Empty if they are the same. */
export async function compareDatabases(migrationsUrl: string, schemasUrl: string): Promise<string[]> {
  return differencesBetween(await describeAt(migrationsUrl), await describeAt(schemasUrl));
}

async function describeAt(url: string): Promise<Description> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await describeDatabase(client);
  } finally {
    await client.end();
  }
}

export function differencesBetween(migrations: Description, schemas: Description): string[] {
  const names = [...new Set([...migrations.keys(), ...schemas.keys()])].sort();
  return names.flatMap((name) => {
    const [is, should] = [migrations.get(name), schemas.get(name)];
    if (is === should) return [];
    if (is === undefined) return [`${name}: only the schemas have it`];
    if (should === undefined) return [`${name}: only the migrations make it`];
    return [`${name}: ${firstDifference(is, should)}`];
  });
}

function firstDifference(is: string, should: string): string {
  const lines = is.split("\n");
  const wanted = should.split("\n");
  const at = wanted.findIndex((line, index) => line !== lines[index]);
  const place = at < 0 ? wanted.length : at;
  return `the migrations say "${lines[place] ?? ""}", the schemas "${wanted[place] ?? ""}"`;
}
