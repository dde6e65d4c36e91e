import pg from "pg";
import { z } from "zod";
import { type DirectTransport, openDirectTransport } from "~/db/direct-transport.server";
import { connectionSettings } from "~/db/postgres-connection.server";
import { type Check, failed, passed, reasonOf } from "~/server/check";

const name = "connections";

/** Calls per connection: enough for a pooler to interleave those of both processes. */
const callsEach = 10;

/** Finds poolers that mix up answers, run out of connections or leave settings behind, as two processes at once do. */
export async function checkConnections(databaseUrl: string, connections: number): Promise<Check> {
  const processes = [1, 2].map(() => openDirectTransport({ databaseUrl, connections }));
  try {
    const wrong = await Promise.all(processes.map((one, index) => ask(one, index, connections)));
    const problem = wrong.flat()[0] ?? (await findLeftRole(databaseUrl, connections));
    if (problem !== undefined) return failed(name, problem);
    return passed(name, `two processes with ${connections} connections each get their own answers`);
  } catch (error) {
    return failed(
      name,
      `Two processes with ${connections} connections each cannot connect: ${reasonOf(error)}. Lower SUPABASE_DB_CONNECTIONS, or use the transaction pooler (port 6543)`,
    );
  } finally {
    await Promise.all(processes.map((one) => one.close()));
  }
}

/** Read-only operations whose answers are distinguishable. */
const questions: readonly (readonly [operation: string, answer: z.ZodType])[] = [
  ["ping", z.literal("ok")],
  ["has_accounts", z.boolean()],
  ["doctor_facts", z.looseObject({ migrations: z.array(z.string()) })],
];

async function ask(one: DirectTransport, offset: number, connections: number): Promise<string[]> {
  const calls = Array.from({ length: connections * callsEach }, async (_, index) => {
    const [operation, schema] = questions[(index + offset) % questions.length] ?? [];
    if (operation === undefined || schema === undefined) return [];
    const answer = await one.call("call_service", { p_function: operation });
    if (schema.safeParse(JSON.parse(answer)).success) return [];
    return [`${operation} got the answer of another call: this pooler cannot be used`];
  });
  return (await Promise.all(calls)).flat();
}

const roleSchema = z.object({ own: z.string(), role: z.string() });

/** Finds a role left on a pooled connection, by an older version of the service or another program with this login. */
async function findLeftRole(databaseUrl: string, connections: number): Promise<string | undefined> {
  const roles = await Promise.all(Array.from({ length: connections }, () => readRole(databaseUrl)));
  const left = roles.find(({ own, role }) => own !== role);
  if (left === undefined) return undefined;
  return `A pooled connection still has the role ${left.role}, so migrations through it would fail: stop what sets it (an older version of this service did) and restart the pooler`;
}

async function readRole(databaseUrl: string): Promise<z.output<typeof roleSchema>> {
  const client = new pg.Client(connectionSettings(databaseUrl));
  client.on("error", () => undefined);
  await client.connect();
  try {
    // pg_sleep holds the connection, so that the next reader gets another one.
    const { rows } = await client.query(
      "select session_user::text as own, current_user::text as role from pg_sleep(0.1)",
    );
    return roleSchema.parse(rows[0]);
  } finally {
    await client.end();
  }
}
