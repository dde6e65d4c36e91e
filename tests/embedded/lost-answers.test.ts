import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { expect, it, onTestFinished } from "vitest";
import { connectDatabase } from "~/db/database.server";
import { createTestDatabase } from "../setup/database";
import { portOf } from "../setup/port-of";

/** A hosted Data API whose first answer is this one and whose second is "again". */
async function dataApi(answer: (response: ServerResponse) => void) {
  let calls = 0;
  const server = createServer((request: IncomingMessage, response) => {
    request.resume();
    calls += 1;
    if (calls === 1) answer(response);
    else response.writeHead(200, { "content-type": "application/json" }).end('"again"');
  });
  const port = await portOf(server);
  const database = connectDatabase({
    supabaseUrl: `http://127.0.0.1:${port}`,
    publishableKey: "none",
    secretKey: "none",
  });
  onTestFinished(async () => {
    await database.close();
    server.closeAllConnections();
    server.close();
  });
  return { database, calls: () => calls };
}

const page = (status: number) => (response: ServerResponse) =>
  response.writeHead(status, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>");
const problem = (status: number, code: string) => (response: ServerResponse) =>
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(JSON.stringify({ code, message: "Database client error", details: null }));

it.each([
  ["502 of a proxy", page(502)],
  ["503 of a proxy", page(503)],
  ["504 of a proxy", page(504)],
  ["PGRST001, the connection was lost in the call", problem(503, "PGRST001")],
])("A call whose answer was lost is not repeated where it may have been done: %s", async (_title, answer) => {
  const { database, calls } = await dataApi(answer);
  await expect(database.call("create_task", {})).rejects.toMatchObject({ status: 503 });
  expect(calls()).toBe(1);
});

it.each([
  ["PGRST000, no connection was made", problem(503, "PGRST000")],
  ["40P01, a deadlock was rolled back", problem(500, "40P01")],
])("A call whose answer was lost is repeated where nothing can have happened: %s", async (_title, answer) => {
  const { database, calls } = await dataApi(answer);
  expect(await database.call("create_task", {})).toBe('"again"');
  expect(calls()).toBe(2);
});

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

async function atWork(): Promise<number[]> {
  const rows = await t.query<{ pid: number }>`select pid from pg_stat_activity
    where datname = current_database() and usename = 'authenticator' and state = 'active'`;
  return rows.map(({ pid }) => pid);
}

it("Every request that waits for a connection gets its answer while connections are lost", async () => {
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

it("The Data API finishes a request on its way before it stops", async () => {
  const last = nap();
  await expect.poll(async () => (await atWork()).length).toBe(1);
  await t.close();
  expect(await (await last).json()).toBe("slept");
});
