import { createPostgresConnection } from "@supabase/lite/postgres";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { typesOfLite } from "./lite-types";

/**
 * A connection of @supabase/lite whose queries run over a pool of `pg`. The pool that lite brings (postgres.js) forgets
 * a query that waits while a connection closes, which then is never answered, and never ends once it has lent one
 * (porsager/postgres 1195 and 925). It stays unopened.
 */
export function connectLite(url: string, connections: number) {
  const connection = createPostgresConnection({ url });
  const pool = new pg.Pool({
    connectionString: url,
    max: connections,
    idleTimeoutMillis: 10_000,
    options: "-c TimeZone=UTC",
    types: typesOfLite,
  });
  // A connection that Postgres ends is replaced at the next query; the query that it carried is told by itself.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  connection.kysely = new Kysely({ dialect: new PostgresDialect({ pool }) });
  connection.close = () => pool.end();
  return connection;
}
