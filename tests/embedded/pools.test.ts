import { expect, it } from "vitest";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase({ transport: "http" });
await t.query`
  create function public.nap() returns json language plpgsql as $$
  begin perform pg_sleep(1); return '"slept"'::json; end $$;
  grant execute on function public.nap() to service_role;
`;
const key = t.supabase.secretKey;
const headers = { apikey: key, authorization: `Bearer ${key}`, "content-type": "application/json" };

function nap(): Promise<Response> {
  const address = `${t.supabase.supabaseUrl}/rest/v1/rpc/nap`;
  return t.supabase.fetch(address, { method: "POST", headers, body: "{}" });
}

/** Connections of the Data API that are at work. */
async function atWork(): Promise<number[]> {
  const rows = await t.query<{ pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and usename = 'authenticator' and state = 'active'`;
  return rows.map(({ pid }) => pid);
}

it("answers every request that waits for a connection while connections are lost", async () => {
  expect((await nap()).status).toBe(200);
  // More than there are connections, so that most of them wait.
  const naps = Array.from({ length: 20 }, nap);
  await expect.poll(async () => (await atWork()).length).toBeGreaterThan(1);
  for (const pid of await atWork()) await t.sql.query("select pg_terminate_backend($1)", [pid]);
  const answers = await Promise.all(naps);
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(10);
  expect((await nap()).status).toBe(200);
});

it("stops while a request is on its way, which is answered first", async () => {
  const last = nap();
  await expect.poll(async () => (await atWork()).length).toBe(1);
  await t.close();
  expect(await (await last).json()).toBe("slept");
});
