import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, it } from "vitest";
import { buildFromSchemas } from "../../supabase/declarative/build-database";
import { compareDatabases, describeDatabase, differencesBetween } from "../../supabase/declarative/compare-databases";
import { listMigrations } from "../../supabase/embedded/migrations";
import { splitStatements } from "../../supabase/embedded/statements";
import { createEmptyDatabase, createTestDatabase } from "../setup/database";

const supabaseFolder = join(import.meta.dirname, "../../supabase");
const schemas = join(supabaseFolder, "schemas");
const t = await createTestDatabase();
const built = await createEmptyDatabase();
const client = new pg.Client({ connectionString: built.url });

beforeAll(async () => {
  await buildFromSchemas(built.url);
  await client.connect();
});
afterAll(() => client.end().then(built.remove));

it("The schemas and the migrations make the same database, object by object", async () => {
  const differences = await compareDatabases(t.urlFor("postgres"), built.url);
  expect(differences, "add a step to supabase/migrations").toEqual([]);
});

it("No step of the migrations has what belongs to the rules", async () => {
  const wrong: string[] = [];
  for (const { path, name } of await listMigrations()) {
    if (name === "rules") continue;
    for (const { text, line } of splitStatements(await readFile(path, "utf8"))) {
      const isRule = /^create (or replace )?(view|trigger|policy)|^(grant|revoke) |enable row level/i.test(text);
      if (isRule) wrong.push(`${name}:${line}`);
    }
  }
  expect(wrong).toEqual([]);
});

it.each([
  [
    "one line of a function",
    `create or replace function private.lease() returns interval language plpgsql immutable set search_path = ''
       as $$ begin return interval '6 minutes'; end; $$`,
  ],
  ["a setting of a function", "alter function private.lease set statement_timeout = '1s'"],
  ["a comment", "comment on function private.lease is 'Another sentence.'"],
  ["a right to call", "grant execute on function private.lease to anon"],
  ["a right to a column", "grant update (is_demo) on public.users to authenticated"],
  ["a policy", "alter policy pbis_delete on public.pbis using (true)"],
  ["a policy that is gone", "drop policy pbis_no_demo_delete on public.pbis"],
  ["a policy of the platform's table", "drop policy listen_to_own_topics on realtime.messages"],
  ["a trigger that is off", "alter table public.pbis disable trigger _900_emit"],
  ["row level security that is off", "alter table public.pbis disable row level security"],
  ["a check", "alter table public.pbis drop constraint pbis_code_form"],
  ["an index", "drop index public.pbis_order_idx"],
  ["a default", "alter table public.pbis alter priority set default 9"],
  ["a word of a list", "alter type public.pbi_status add value 'LATER'"],
  ["default rights", "alter default privileges in schema public grant usage on types to anon"],
])("Two databases that differ by %s are not taken for equal", async (_what, change) => {
  const before = await describeDatabase(client);
  await client.query("begin");
  await client.query(change);
  const after = await describeDatabase(client);
  await client.query("rollback");
  expect(differencesBetween(before, after)).toHaveLength(1);
});

it("The table of supabase/README.md has the nouns of the schemas, and no others", async () => {
  const readme = await readFile(join(supabaseFolder, "README.md"), "utf8");
  const listed = [...readme.matchAll(/\]\(schemas\/(\w+(?:\.sql)?)\)/g)].map(([, noun]) => noun);
  expect(listed.sort()).toEqual((await readdir(schemas)).sort());
});

it("The schemas have one folder or file per noun, no further folders, and no file over 400 lines", async () => {
  const names = await readdir(schemas, { recursive: true });
  const files = names.filter((name) => name.endsWith(".sql"));
  expect(files.filter((name) => name.split("/").length > 2)).toEqual([]);
  const long: string[] = [];
  for (const name of files) {
    const lines = (await readFile(join(schemas, name), "utf8")).split("\n").length;
    if (lines > 400) long.push(`${name}: ${lines} lines`);
  }
  expect(long).toEqual([]);
});

it("A comment above each function, view and table says why it is there; only tables and operations have comment on", async () => {
  const wrong: string[] = [];
  for (const name of await readdir(schemas, { recursive: true })) {
    if (!name.endsWith(".sql")) continue;
    const lines = (await readFile(join(schemas, name), "utf8")).split("\n");
    for (const [index, line] of lines.entries()) {
      const isBare = /^create (function|view|table) /.test(line) && !/^--/.test(lines[index - 1] ?? "");
      const isTwice = /^comment on (?!table|column|schema|sequence|function operations\.)/.test(line);
      if (isBare || isTwice) wrong.push(`${name}:${index + 1}: ${line}`);
    }
  }
  expect(wrong).toEqual([]);
});

it("The parameters of a function are written where it is made, and nowhere else", async () => {
  const names = await readdir(schemas, { recursive: true });
  const repeated: string[] = [];
  for (const name of names.filter((file) => file.endsWith(".sql"))) {
    const statements = splitStatements(await readFile(join(schemas, name), "utf8"));
    const again = statements.some(({ text }) =>
      /^(comment on|grant \w+ on|revoke \w+ on) function [^;]*?\w+\.\w+\s*\(/.test(text),
    );
    if (again) repeated.push(name);
  }
  expect(repeated).toEqual([]);
});
