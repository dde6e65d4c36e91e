import type { TestDatabase } from "./database";

/** Bookkeeping that reading changes too: when a credential was used first and last. */
const readMarks = ["last_seen_at", "first_used_at", "last_used_at", "expires_at"];

/** Every row of every table of the product as one text per table, to show that nothing changed. */
export async function snapshotTables(t: TestDatabase): Promise<Record<string, string>> {
  const rows = await t.query<{ name: string }>`select tablename as name from pg_tables
    where schemaname = 'public' order by 1`;
  const snapshot: Record<string, string> = {};
  for (const { name } of rows) {
    const result = await t.sql.query<{ content: string }>(
      `select coalesce(string_agg(line, E'\\n' order by line), '') as content
         from (select (to_jsonb(x) - $1::text[])::text as line from public.${name} x) lines`,
      [readMarks],
    );
    snapshot[name] = result.rows[0]?.content ?? "";
  }
  return snapshot;
}
