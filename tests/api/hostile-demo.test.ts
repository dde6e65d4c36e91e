import { expect, it } from "vitest";
import { openBacklog } from "../setup/app";
import { tokenOf } from "../setup/data-api";
import { snapshotTables } from "../setup/table-snapshot";

const { t, backlog } = await openBacklog();
const demo = await t.createMember(backlog.product.id, { demo: true });

const tables = await t.query<{ name: string }>`select tablename as name from pg_tables
  where schemaname = 'public' order by 1`;

it("A9: A demo account with a real JWT writes nothing straight to a table", async () => {
  const before = await snapshotTables(t);
  const headers = {
    apikey: t.supabase.publishableKey,
    authorization: `Bearer ${await tokenOf(t, demo)}`,
    "content-type": "application/json",
  };
  for (const { name } of tables) {
    const rest = `${t.supabase.supabaseUrl}/rest/v1/${name}`;
    const visible = await t.supabase.fetch(`${rest}?limit=1`, { headers });
    const [row = {}] = visible.ok ? await visible.json() : [];
    const write = (method: string, query: string, body?: unknown) =>
      t.supabase.fetch(`${rest}${query}`, { method, headers, body: JSON.stringify(body) });
    await write("POST", "", row);
    await write("PATCH", "?created_at=gt.2000-01-01", { created_at: "2020-01-01" });
    await write("DELETE", "?created_at=gt.2000-01-01");
  }
  expect(await snapshotTables(t)).toEqual(before);
});
