import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { projectRoot } from "./project-root";

const folder = join(projectRoot, "supabase/embedded/shims");

/** Roles this stack logs in with, using the installation's password. */
export const loginRoles = ["postgres", "authenticator", "supabase_auth_admin", "supabase_replication_admin"];

/** What a Supabase project has before its first migration. Does nothing if the files are unchanged since last time. */
export async function applyShims(databaseUrl: string, password: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const files = await readShims();
    const mark = markOf(files);
    if ((await currentMark(client)) === mark) return;
    await client.query("begin");
    for (const sql of files) await client.query(sql);
    for (const role of loginRoles) {
      await client.query(`alter role ${role} password ${pg.escapeLiteral(password)}`);
    }
    await client.query(`comment on schema realtime is ${pg.escapeLiteral(mark)}`);
    await client.query("commit");
  } finally {
    await client.end();
  }
}

async function readShims(): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  return Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
}

function markOf(files: string[]): string {
  return `Embedded Supabase ${createHash("sha256").update(files.join("\n")).digest("hex")}`;
}

async function currentMark(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ mark: string | null }>(
    "select obj_description(to_regnamespace('realtime')::oid, 'pg_namespace') as mark",
  );
  return rows[0]?.mark ?? undefined;
}
