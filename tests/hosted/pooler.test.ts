import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { checkConnections } from "~/cli/doctor/check-connections.server";
import { connectDatabase } from "~/db/database.server";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { hasPgbouncer, type PgbouncerOptions, startPgbouncer } from "../setup/pgbouncer";
import { startTcpProxy } from "../setup/tcp-proxy";
import { bearer } from "../setup/world";

/** What was opened last is closed first. */
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

async function openScene() {
  const t = await createTestDatabase({ transport: "direct" });
  await t.query`
    create sequence public.tries;
    create function operations.limits() returns json language sql as $$
      select json_build_object('role', current_user, 'statement', current_setting('statement_timeout'), 'lock', current_setting('lock_timeout'))
    $$;
    create function operations.say(p_text text) returns json language sql as $$ select to_json(p_text) $$;
    create function operations.try_slowly() returns json language sql as $$
      select to_json(nextval('public.tries')) from pg_sleep(30)
    $$;
    create function operations.fail() returns json language plpgsql as $$
    begin raise exception using errcode = 'PT409', message = 'as asked'; end $$;
    grant all on all sequences in schema public to service_role;
    grant execute on function operations.limits, operations.say, operations.try_slowly, operations.fail to service_role;
`;
  const pool = async (options: Partial<PgbouncerOptions> = {}) => {
    const bouncer = await startPgbouncer({ databaseUrl: t.supabase.databaseUrl, ...options });
    closing.push(() => bouncer.stop());
    return bouncer;
  };
  const open = (databaseUrl: string, connections = 8) => {
    const database = connectDatabase({ ...t.supabase, databaseUrl, connections });
    closing.push(() => database.close());
    return database;
  };
  const bouncer = await pool();
  return { t, pool, open, address: bouncer.through(t.supabase.databaseUrl) };
}

function runOverPooler({ t, pool, open, address }: Awaited<ReturnType<typeof openScene>>): void {
  describe("over PgBouncer in transaction mode", () => {
    it("Two processes over a pooler get the answers to their own calls, no matter what the other one asks", async () => {
      const [first, second] = [open(address), open(address)];
      const texts = Array.from({ length: 200 }, (_, index) => `${index}: it's "quoted" \\ and ü€🙂`);
      const asked = texts.flatMap(
        (text, index) =>
          [
            [first.call("say", { p_text: text }), JSON.stringify(text)],
            [second.call(index % 2 ? "ping" : "say", index % 2 ? {} : { p_text: text })],
            [second.call("has_accounts", {}), "false"],
          ] as const,
      );
      const answers = await Promise.all(asked.map(([answer]) => answer));
      asked.forEach(([, expected], index) => {
        if (expected !== undefined) expect(answers[index]).toBe(expected);
      });
      expect(await Promise.all([first.call("ping", {}), second.call("ping", {})])).toEqual(['"ok"', '"ok"']);
      await expect(first.call("fail", {})).rejects.toMatchObject({ status: 409 });
      await expect(second.call("say", { p_text: "a\0b" })).rejects.toMatchObject({ status: 422 });
    });

    it("Two apps over a pooler serve their users side by side", async () => {
      const users = await Promise.all([t.createUser(), t.createUser()]);
      const people = await Promise.all(
        users.map(async (user) => ({ token: await t.createToken(user), product: await t.seedProduct(user) })),
      );
      const apps = await Promise.all([open(address), open(address)].map((database) => startTestApp(t, { database })));
      const turns = Array.from({ length: 60 }, () => apps).flat();
      const answers = await Promise.all(
        turns.map(async (app, index) => {
          // The health page would give up after its second; how fast the pooler is has no say here.
          if (index % 5 === 0) return app.services.database.call("ping", {});
          const { token } = people[index % 3 ? 0 : 1] ?? raise();
          return (await app.request("/api/products", { headers: bearer(token) })).json();
        }),
      );
      answers.forEach((answer, index) => {
        const { product } = people[index % 3 ? 0 : 1] ?? raise();
        if (index % 5 === 0) expect(answer).toBe('"ok"');
        else expect(answer).toEqual([expect.objectContaining({ id: product.id })]);
      });
    });

    it("A call over a pooler has the service's role and limits, and leaves nothing of them to others", async () => {
      const database = open(address);
      const limits = await database.call("limits", {});
      expect(JSON.parse(limits)).toEqual({ role: "service_role", statement: "5s", lock: "2s" });
      const direct = new pg.Client({ connectionString: t.supabase.databaseUrl });
      const others = Array.from({ length: 3 }, () => new pg.Client({ connectionString: address }));
      const [clean, ...states] = await Promise.all(
        [direct, ...others].map(async (client) => {
          await client.connect();
          const { rows } = await client.query(
            `select current_user, current_setting('role') as role, current_setting('statement_timeout') as statement,
                  (select count(*)::int from pg_prepared_statements) as prepared from pg_sleep(0.2)`,
          );
          await client.end();
          return rows[0];
        }),
      );
      expect(clean).toMatchObject({ current_user: "authenticator", role: "none", prepared: 0 });
      expect(states).toEqual([clean, clean, clean]);
    });

    it("A call is not sent again when the pooler lost its connection on the way", async () => {
      const proxy = await startTcpProxy(Number(new URL(t.supabase.databaseUrl).port));
      const behind = Object.assign(new URL(t.supabase.databaseUrl), { port: String(proxy.port) });
      const lossy = await pool({ databaseUrl: behind.href });
      const database = open(lossy.through(t.supabase.databaseUrl));
      const call = expect(database.call("try_slowly", {})).rejects.toMatchObject({ status: 503 });
      const running =
        "select from pg_stat_activity where state = 'active' and query ~ 'try_slowly' and pid <> pg_backend_pid()";
      await expect.poll(async () => (await t.sql.query(running)).rowCount).toBe(1);
      proxy.cut();
      await call;
      expect((await t.sql.query(running)).rowCount).toBeLessThanOrEqual(1);
      expect(await database.call("ping", {})).toBe('"ok"');
      await proxy.close();
    });

    it("Doctor is content with a transaction pooler, even while a process works", async () => {
      const check = await checkConnections(address, 4);
      expect(check).toMatchObject({ name: "connections", ok: true });
    });

    it("doctor says when the pooler has too few connections for two processes", async () => {
      const few = await pool({ mode: "session", size: 5, patience: 1 });
      const check = await checkConnections(few.through(t.supabase.databaseUrl), 4);
      expect(check).toMatchObject({ name: "connections", ok: false });
      expect(check.message).toContain("SUPABASE_DB_CONNECTIONS");
    });

    it("doctor says when someone leaves a role behind on the pooler's connections", async () => {
      const dirty = await pool({ size: 2 });
      const client = new pg.Client({ connectionString: dirty.through(t.supabase.databaseUrl) });
      await client.connect();
      await client.query("set role service_role");
      await client.end();
      const check = await checkConnections(dirty.through(t.supabase.databaseUrl), 2);
      expect(check).toMatchObject({ name: "connections", ok: false });
      expect(check.message).toContain("service_role");
    });
  });
}

if (hasPgbouncer) runOverPooler(await openScene());
else it.todo("DID NOT RUN over a pooler: install PgBouncer (apt-get install pgbouncer)");

function raise(): never {
  throw new Error("There are two of them.");
}
