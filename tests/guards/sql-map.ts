import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type pg from "pg";
import { z } from "zod";

/** Renders the map of the database from its catalog and the migrations' texts. `sql-map.test.ts` keeps it true. */

const migrationsFolder = join(import.meta.dirname, "../../supabase/migrations");

interface MigrationText {
  file: string;
  text: string;
}

export async function renderSqlMap(sql: pg.Pool): Promise<string> {
  const migrations = await readMigrations();
  const [tables, triggers, policies, functions] = await Promise.all([
    readTables(sql),
    readTriggers(sql),
    readPolicies(sql),
    readFunctions(sql),
  ]);

  const tableRows = tables.map((table) => {
    const own = triggers.filter((trigger) => trigger.table_name === table.name);
    const rules = policies.filter((policy) => policy.table_name === table.name);
    return [
      `\`${table.name}\``,
      table.comment,
      own.map((trigger) => `\`${trigger.name}\` → \`${trigger.function_name}\``).join("<br>"),
      rules.map((policy) => `\`${policy.name}\``).join("<br>"),
      fileOf(migrations, new RegExp(`create table (public\\.)?${table.name}\\b`)),
    ];
  });
  const functionRows = functions.map((row) => [
    `\`${row.name}\``,
    row.comment,
    row.callers,
    row.definer ? "definer" : "",
    fileOf(
      migrations,
      new RegExp(`create (or replace )?function ${row.name.replace(".", "\\.")}\\s*\\(`),
    ),
  ]);

  return [
    "## Tables: triggers in firing order, policies, file",
    "",
    ...markdownTable(["table", "what", "triggers", "policies", "file"], tableRows),
    "",
    "## Functions: who may call them, file",
    "",
    ...markdownTable(["function", "what", "callers", "", "file"], functionRows),
    "",
  ].join("\n");
}

async function readMigrations(): Promise<MigrationText[]> {
  const files = (await readdir(migrationsFolder)).filter((file) => file.endsWith(".sql")).sort();
  return Promise.all(
    files.map(async (file) => ({
      file,
      text: await readFile(join(migrationsFolder, file), "utf8"),
    })),
  );
}

/** The newest file wins: a released object changes by a new migration. */
function fileOf(migrations: MigrationText[], pattern: RegExp): string {
  const found = migrations.findLast(({ text }) => pattern.test(text));
  if (!found) throw new Error(`No migration matches ${pattern}`);
  return `[${found.file.slice(8).replace(/\.sql$/, "")}](migrations/${found.file})`;
}

function markdownTable(head: string[], rows: string[][]): string[] {
  const line = (cells: string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)];
}

async function readTables(sql: pg.Pool) {
  const { rows } = await sql.query(`
    select c.relname as name, coalesce(obj_description(c.oid, 'pg_class'), '') as comment
    from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') order by 1`);
  return z.array(z.object({ name: z.string(), comment: z.string() })).parse(rows);
}

async function readTriggers(sql: pg.Pool) {
  const { rows } = await sql.query(`
    select c.relname as table_name, t.tgname as name, p.proname as function_name
    from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_proc p on p.oid = t.tgfoid
    where not t.tgisinternal and c.relnamespace = 'public'::regnamespace
    order by 1, (t.tgtype & 2) = 0, t.tgname`);
  return z
    .array(z.object({ table_name: z.string(), name: z.string(), function_name: z.string() }))
    .parse(rows);
}

async function readPolicies(sql: pg.Pool) {
  const { rows } = await sql.query(`
    select tablename as table_name, policyname as name from pg_policies where schemaname = 'public' order by 1, 2`);
  return z.array(z.object({ table_name: z.string(), name: z.string() })).parse(rows);
}

async function readFunctions(sql: pg.Pool) {
  const { rows } = await sql.query(`
    select distinct on (1) n.nspname || '.' || p.proname as name, p.prosecdef as definer,
      coalesce(obj_description(p.oid, 'pg_proc'), '') as comment,
      case when p.prorettype = 'trigger'::regtype then 'trigger'
        when has_function_privilege('authenticated', p.oid, 'execute') then 'users'
        when has_function_privilege('service_role', p.oid, 'execute') then 'service'
        else 'internal' end as callers
    from pg_proc p join pg_namespace n on n.oid = p.pronamespace
    where n.nspname in ('public', 'private')
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
    order by 1`);
  return z
    .array(
      z.object({
        name: z.string(),
        definer: z.boolean(),
        comment: z.string(),
        callers: z.string(),
      }),
    )
    .parse(rows);
}
