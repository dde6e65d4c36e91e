import pg from "pg";
import { afterAll, expect, it } from "vitest";
import { VisibleTransactions } from "../../supabase/embedded/realtime/visible-transactions";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();
const admin = new pg.Client({ connectionString: t.urlFor("supabase_admin") });
await admin.connect();
const opened: { end(): Promise<void> }[] = [admin];

afterAll(async () => {
  for (const one of opened) await one.end();
});

async function begin() {
  const client = new pg.Client({ connectionString: t.urlFor("postgres") });
  await client.connect();
  opened.push(client);
  await client.query("begin");
  const { rows } = await client.query<{ id: string }>("select pg_current_xact_id()::text::bigint & 4294967295 as id");
  return { id: Number(rows[0]?.id), commit: () => client.query("commit") };
}

async function questions() {
  const { rowCount } = await admin.query(
    `select from pg_stat_activity where datname = current_database()
     and application_name = 'backloom realtime visibility' and query like '%pg_snapshot_xmax%'`,
  );
  return rowCount;
}

it("A transaction's messages are delivered once all can see it, even while an older one still runs", async () => {
  const delivered: string[] = [];
  const lost: unknown[] = [];
  const visible = await VisibleTransactions.open<string>(
    t.urlFor("supabase_replication_admin"),
    (message) => void delivered.push(message),
    () => {},
  );
  opened.push({ end: () => visible.close() });
  // The log tells of a commit a moment before the transaction counts as completed.
  const older = await begin();
  const newer = await begin();
  visible.push({ id: newer.id, messages: ["newer"] }, () => lost.push(newer.id));
  await expect.poll(questions).toBe(1);
  expect({ delivered, lost }).toEqual({ delivered: [], lost: [] });

  await newer.commit();
  await expect.poll(() => delivered).toEqual(["newer"]);
  await older.commit();
  expect(lost).toEqual([]);
});
