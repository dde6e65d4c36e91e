import { readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { expect, inject, it } from "vitest";
import { migrateDatabase } from "../../supabase/embedded/migrate";
import { listMigrations } from "../../supabase/embedded/migrations";
import { projectRoot } from "../../supabase/embedded/project-root";
import { runSupabaseCli } from "../../supabase/embedded/supabase-cli";
import { createTestDatabase } from "../setup/database";
import { generateTypes } from "../setup/generate-types";
import { ask, ownDataDir, ownStack } from "./own-stack";

const t = await createTestDatabase();
const url = t.urlFor("postgres");

/** Tables in which no user may read or write anything: they need no policy. */
async function tablesOfService(): Promise<string[]> {
  const rows = await t.query`select format('%I.%I', n.nspname, c.relname) as name
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname in ('public', 'private')
      and not has_any_column_privilege('anon', c.oid, 'select, insert, update, references')
      and not has_any_column_privilege('authenticated', c.oid, 'select, insert, update, references')
      and not has_table_privilege('authenticated', c.oid, 'delete, truncate, trigger')`;
  return rows.map(({ name }) => name);
}

/**
 * The findings of `supabase db advisors`, down to the mildest. That an index has not been used says
 * nothing about a database that has just been made.
 */
async function findings(): Promise<string[]> {
  const output = await runSupabaseCli([
    "db",
    "advisors",
    `--remote=${url}`,
    "--type=all",
    "--level=info",
    "--output-format=json",
  ]);
  const report: { results: { name: string; detail: string }[] } = JSON.parse(output);
  const ofService = new Set(await tablesOfService());
  return report.results
    .filter(({ name }) => name !== "unused_index")
    .filter(({ name, detail }) => {
      const table = /`(.*?)`/.exec(detail)?.[1] ?? "";
      return !(name === "rls_enabled_no_policy" && ofService.has(table));
    })
    .map(({ name, detail }) => `${name}: ${detail}`);
}

it("The migrations run through the Supabase CLI, and a second time there is nothing to do", {
  tags: "thorough",
}, async () => {
  const stack = await ownStack(await ownDataDir());
  const files = await listMigrations();
  expect(await migrateDatabase(stack.migrationUrl)).toMatchObject({ applied: files.length, rules: {} });
  expect(await migrateDatabase(stack.migrationUrl)).toEqual({ applied: 0 });
  expect(await ask(stack.migrationUrl, "select count(*)::int from supabase_migrations.schema_migrations")).toBe(
    files.length,
  );
  expect(await generateTypes(stack.migrationUrl)).toBe(await generateTypes(url));

  await ask(
    stack.migrationUrl,
    "update supabase_migrations.schema_migrations set name = 'other' where name = 'release_0_1_0' returning 1",
  );
  await expect(migrateDatabase(stack.migrationUrl)).rejects.toThrow(
    /made by another development version \(1 migrations are not known here, first \d+_other\).*export/,
  );
  await stack.stop();
});

it("No two migrations have the same version", async () => {
  const versions = (await listMigrations()).map((file) => file.version);
  expect(versions).toEqual([...new Set(versions)]);
});

it("A failed migration does not show the secrets of the database", async () => {
  const wrong = url.replace(/:[^:@/]+@/, ":not-the-password@");
  const failure = await runSupabaseCli(["db", "push", `--remote=${wrong}`, "--yes"]).catch(String);
  expect(failure).toBeTruthy();
  const error = await migrateDatabase(t.urlFor("anon")).catch(String);
  expect(error).not.toContain(inject("cluster").secrets.slice(0, 20));
});

it("The committed types are those that the migrations generate", async () => {
  const committed = await readFile(join(projectRoot, "app/db/types.ts"), "utf8");
  expect(committed, "run npm run types").toBe(await generateTypes(url));
});

it("The advisors find nothing in the migrations, and do find a table that everyone may read", async () => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query("create table public.open_to_all (id int); grant select on public.open_to_all to anon");
  const found = await findings();
  await client.query("drop table public.open_to_all");
  await client.end();
  expect(found.join()).toContain("open_to_all");
  expect(found.filter((finding) => !finding.includes("open_to_all"))).toEqual([]);
});
