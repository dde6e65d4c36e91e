import { afterAll, expect, it } from "vitest";
import { connectDatabase } from "~/db/database.server";
import { readEnv } from "~/env.server";
import { openBackend } from "~/server/backend";
import { createTestDatabase } from "../setup/database";
import { frontCertificate, startTlsFront } from "../setup/tls-front";

const t = await createTestDatabase({ transport: "direct" });
const postgresPort = Number(new URL(t.supabase.databaseUrl).port);
const encrypted = await startTlsFront(postgresPort);
const plain = await startTlsFront(postgresPort, false);
afterAll(async () => {
  await Promise.all([encrypted.close(), plain.close()]);
});

/** 127.0.0.1 under a name that does not say so: for the service a host somewhere else. */
const elsewhere = "2130706433";

function addressOf(front: { port: number }, query = "", host = "127.0.0.1"): string {
  const url = new URL(t.supabase.databaseUrl);
  url.port = String(front.port);
  url.hostname = host;
  url.search = query;
  return url.href;
}

function start(databaseUrl: string) {
  return openBackend(
    readEnv({
      SUPABASE_URL: "https://project.example",
      SUPABASE_PUBLISHABLE_KEY: "sb_publishable_x",
      SUPABASE_SECRET_KEY: "sb_secret_x",
      SESSION_SECRET: "s".repeat(32),
      SUPABASE_DB_URL: databaseUrl,
    }),
  );
}

async function ping(databaseUrl: string): Promise<string> {
  const database = connectDatabase({ ...t.supabase, databaseUrl });
  try {
    return await database.call("ping", {});
  } finally {
    await database.close();
  }
}

it("A connection to Postgres elsewhere is encrypted and checked, even if the address does not say so", async () => {
  await expect(start(addressOf(encrypted, "", elsewhere))).rejects.toThrow("certificate");
  await expect(ping(addressOf(encrypted, "", elsewhere))).rejects.toMatchObject({ status: 503 });
  await expect(start(addressOf(plain, "", elsewhere))).rejects.toThrow("sslmode=disable");
  await expect(ping(addressOf(plain, "", elsewhere))).rejects.toMatchObject({ status: 503 });
  expect([encrypted.plainBytes(), plain.plainBytes()]).toEqual([0, 0]);
});

it.each(["require", "verify-ca", "verify-full"])("A Postgres connection is checked with sslmode=%s", async (mode) => {
  await expect(start(addressOf(encrypted, `?sslmode=${mode}`))).rejects.toThrow("sslrootcert");
  const known = addressOf(encrypted, `?sslmode=${mode}&sslrootcert=${frontCertificate}`);
  expect(await ping(known)).toBe('"ok"');
  await (await start(known)).stop();
});

it("A connection to Postgres is not checked or not encrypted where sslmode says so", async () => {
  expect(await ping(addressOf(encrypted, "?sslmode=no-verify", elsewhere))).toBe('"ok"');
  const open = addressOf({ port: postgresPort }, "?sslmode=disable", elsewhere);
  expect(await ping(open)).toBe('"ok"');
});

it("A connection to Postgres on this machine needs no encryption", async () => {
  expect(await ping(t.supabase.databaseUrl)).toBe('"ok"');
});

it.each([
  ["a wrong password", { password: "wrong" }, "password"],
  ["a missing database", { pathname: "/none" }, "no database"],
  ["a missing certificate file", { search: "?sslrootcert=/none" }, "read"],
  ["a user without the service's rights", { username: "supabase_auth_admin" }, "service_role"],
])("The service refuses to start with %s, and says so in a sentence", async (_, change, words) => {
  const url = Object.assign(new URL(t.supabase.databaseUrl), change);
  await expect(start(url.href)).rejects.toThrow(words);
});

it("The service starts even when Postgres is away", async () => {
  const backend = await start("postgresql://u:p@127.0.0.1:1/postgres");
  await expect(backend.database.call("ping", {})).rejects.toMatchObject({ status: 503 });
  await backend.stop();
});
