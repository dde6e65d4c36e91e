import type { TestDatabase } from "../setup/database";

/** Every table in which a text is found, in any schema. */
export async function tablesWith(t: TestDatabase, texts: readonly string[]): Promise<string[]> {
  const rows = await t.query`
    select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema')`;
  const found: string[] = [];
  for (const { name } of rows) {
    for (const text of texts) {
      // As it is, and as JSON within a text writes it.
      const forms = [text, JSON.stringify(text).slice(1, -1)];
      const sql = `select exists (select from ${name} r where strpos(r::text, $1) > 0 or strpos(r::text, $2) > 0) as there`;
      const answer = await t.sql.query(sql, forms);
      if (answer.rows[0].there) found.push(`${name}: ${text}`);
    }
  }
  return found;
}
