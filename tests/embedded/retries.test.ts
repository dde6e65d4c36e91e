import pg from "pg";
import { expect, it } from "vitest";
import { connectDatabase } from "~/db/database.server";
import { createTestDatabase } from "../setup/database";
import { startTcpProxy } from "../setup/tcp-proxy";

const t = await createTestDatabase({ transport: "direct" });
await t.query`
  create sequence public.tries;
  create table public.acts (id int primary key, n int not null default 0);
  insert into public.acts values (1), (2);
  create function operations.fail_first(p_code text, p_times int) returns json language plpgsql as $$
  begin
    if nextval('public.tries') <= p_times then raise exception using errcode = p_code, message = 'once'; end if;
    return to_json(currval('public.tries'));
  end $$;
  create function operations.cross(p_first int, p_second int) returns json language plpgsql as $$
  begin
    update public.acts set n = n + 1 where id = p_first;
    perform pg_sleep(0.05);
    update public.acts set n = n + 1 where id = p_second;
    return 'true'::json;
  end $$;
  create function operations.slow(p_seconds float) returns json language plpgsql as $$
  begin
    insert into public.acts values (nextval('public.tries') + 100);
    perform pg_sleep(p_seconds);
    return 'true'::json;
  end $$;
  create function operations.touch(p_id int) returns json language plpgsql as $$
  begin update public.acts set n = n + 1 where id = p_id; return 'true'::json; end $$;
  grant all on all tables in schema public to service_role;
  grant all on all sequences in schema public to service_role;
  grant execute on function operations.fail_first, operations.cross, operations.slow, operations.touch to service_role;
`;

const refused = (status: number) => expect.objectContaining({ name: "ContractError", status });

it.each(["40P01", "40001", "55P03", "57P01", "08006"])("A call is repeated up to 3 times after %s", async (code) => {
  await t.query`alter sequence public.tries restart`;
  expect(await t.database.call("fail_first", { p_code: code, p_times: 3 })).toBe("4");
  await t.query`alter sequence public.tries restart`;
  const failure = t.database.call("fail_first", { p_code: code, p_times: 4 });
  await expect(failure).rejects.toEqual(refused(503));
});

it.each(["57014", "P0001", "23505", "PT409"])("A call is not repeated after %s", async (code) => {
  await t.query`alter sequence public.tries restart`;
  await t.database.call("fail_first", { p_code: code, p_times: 1 }).catch(() => undefined);
  expect(await t.database.call("fail_first", { p_code: code, p_times: 0 })).toBe("2");
});

it("Both of two crossing updates succeed each time, because deadlocks are repeated", async () => {
  const sum = "select sum(n)::int as n from acts where id < 3";
  const before = (await t.sql.query(sum)).rows[0].n;
  for (let round = 0; round < 3; round++) {
    await Promise.all([
      t.database.call("cross", { p_first: 1, p_second: 2 }),
      t.database.call("cross", { p_first: 2, p_second: 1 }),
    ]);
  }
  const after = (await t.sql.query(sum)).rows[0].n;
  expect(after - before).toBe(12);
});

it("A call waits at most two seconds for a lock, then asks the caller to try again", async () => {
  const holder = await t.begin();
  await holder.query("update acts set n = n where id = 1");
  await expect(t.database.call("touch", { p_id: 1 })).rejects.toEqual(refused(503));
  await holder.query("rollback");
  expect(await t.database.call("touch", { p_id: 1 })).toBe("true");
});

it("A call is cut off after five seconds", async () => {
  await expect(t.database.call("slow", { p_seconds: 20 })).rejects.toEqual(refused(503));
});

it("A call is repeated when Postgres ends its connection, because the statement was rolled back", async () => {
  const rows = "select count(*)::int as n from acts where id > 100";
  const before = (await t.sql.query(rows)).rows[0].n;
  const call = t.database.call("slow", { p_seconds: 2 });
  await expect.poll(() => endConnections("active")).toBe(1);
  expect(await call).toBe("true");
  expect((await t.sql.query(rows)).rows[0].n).toBe(before + 1);
});

it.each([
  ["fails, and the process continues, when its connection is cut without a word", 30, "cut"],
  ["is given up, and not repeated, when the network falls silent", 3, "freeze"],
] as const)("A call %s", async (_, seconds, lose) => {
  const proxy = await startTcpProxy(Number(new URL(t.urlFor("authenticator")).port));
  const databaseUrl = new URL(t.supabase.databaseUrl);
  databaseUrl.port = String(proxy.port);
  const database = connectDatabase({ ...t.supabase, databaseUrl: databaseUrl.href, connections: 1 });
  const call = expect(database.call("slow", { p_seconds: seconds })).rejects.toEqual(refused(503));
  await expect.poll(() => countSlow(seconds)).toBe(1);
  proxy[lose]();
  await call;
  expect(await database.call("touch", { p_id: 1 })).toBe("true");
  await database.close();
  await proxy.close();
});

it("Calls continue to work after all idle connections were ended", async () => {
  await Promise.all(Array.from({ length: 8 }, () => t.database.call("ping", {})));
  expect(await endConnections("idle")).toBeGreaterThan(0);
  await Promise.all(Array.from({ length: 20 }, () => t.database.call("ping", {})));
});

/** How many calls of `slow` for so many seconds are at work. */
async function countSlow(seconds: number): Promise<number> {
  const { rowCount } = await t.sql.query(
    `select from pg_stat_activity
      where datname = current_database() and state = 'active' and pid <> pg_backend_pid() and query like $1`,
    [`%"p_seconds":${seconds}}%`],
  );
  return rowCount ?? 0;
}

/** Ends the pool's connections that run a statement, or those that wait; tells how many. */
async function endConnections(state: "active" | "idle"): Promise<number> {
  const client = new pg.Client({ connectionString: t.urlFor("supabase_admin") });
  await client.connect();
  const { rows } = await client.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'backloom' and state = $1`,
    [state],
  );
  await client.end();
  return rows.length;
}
