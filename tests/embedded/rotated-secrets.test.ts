import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { runCommandLine } from "~/cli/run-command.server";
import { openTarget } from "~/cli/target.server";
import { urlOf } from "../../supabase/embedded/postgres/cluster";
import { loadSecrets } from "../../supabase/embedded/secrets";
import { type OwnService, openOwnDatabase, startService } from "../server/own-service";
import { bearer, type TestUser } from "../setup/world";
import { ownDataDir, ownStack } from "./own-stack";

const rotate = (dataDir: string, ...words: string[]) =>
  runCommandLine(["secrets", "rotate", ...words], () => openTarget({ DATA_DIR: dataDir }));

async function signIn(service: OwnService, user: TestUser): Promise<string> {
  const answer = await fetch(`${service.origin}/login`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: service.origin },
    body: new URLSearchParams({ identifier: user.username, password: user.password }),
  });
  expect(answer.status).toBe(303);
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
}

async function mayEnter(service: OwnService, cookie: string): Promise<boolean> {
  const page = await fetch(`${service.origin}/settings`, { redirect: "manual", headers: { cookie } });
  return page.status === 200;
}

async function stop({ process: child, ended }: OwnService): Promise<void> {
  child.kill("SIGTERM");
  await ended;
}

async function rolesThatTake(dataDir: string, password: string): Promise<string[]> {
  const pidFile = await readFile(join(dataDir, "postgres/postmaster.pid"), "utf8");
  const taking: string[] = [];
  for (const role of [
    "supabase_admin",
    "postgres",
    "authenticator",
    "supabase_auth_admin",
    "supabase_replication_admin",
  ]) {
    const connectionString = urlOf(Number(pidFile.split("\n")[3]), password, role, "postgres");
    const client = new pg.Client({ connectionString });
    const refusal = await client.connect().then(
      () => undefined,
      (error: unknown) => error,
    );
    if (refusal === undefined) taking.push(role);
    else expect(refusal).toMatchObject({ code: "28P01" });
    await client.end().catch(() => undefined);
  }
  return taking;
}

describe("secrets rotate", { timeout: 300_000 }, () => {
  it("secrets rotate replaces every secret of a folder, and people, programs and data stay as they were", async () => {
    const dataDir = await ownDataDir();
    const first = await startService(dataDir);
    const store = await openOwnDatabase(dataDir);
    const user = await store.createUser();
    const token = await store.createToken(user);
    await store.close();
    const cookie = await signIn(first, user);
    const before = await loadSecrets(dataDir);
    expect(await rolesThatTake(dataDir, before.databasePassword)).toHaveLength(5);
    expect(await rotate(dataDir)).toMatchObject({
      exitCode: 1,
      output: expect.stringContaining("is in use: stop each process of the service"),
    });
    expect(await loadSecrets(dataDir)).toEqual(before);
    await stop(first);

    const told = await rotate(dataDir);
    expect([told.exitCode, told.output]).toEqual([0, expect.stringContaining("stay signed in")]);
    const after = await loadSecrets(dataDir);
    const kept = Object.entries(after).filter(([, secret]) => Object.values(before).includes(secret));
    expect(kept.map(([name]) => name)).toEqual(["sessionSecret"]);
    // A new pair of keys is made at the start, as the page for operators says.
    const push = await readFile(join(dataDir, "vapid.json"), "utf8");
    await rm(join(dataDir, "vapid.json"));

    const second = await startService(dataDir);
    expect(await rolesThatTake(dataDir, before.databasePassword)).toEqual([]);
    expect(await rolesThatTake(dataDir, after.databasePassword)).toHaveLength(5);
    expect(await mayEnter(second, cookie)).toBe(true);
    expect(await mayEnter(second, await signIn(second, user))).toBe(true);
    const products = await fetch(`${second.origin}/api/products`, { headers: bearer(token) });
    expect(products.status).toBe(200);
    expect(await readFile(join(dataDir, "vapid.json"), "utf8")).not.toBe(push);
    await stop(second);

    expect((await rotate(dataDir, "--sessions")).exitCode).toBe(0);
    const third = await startService(dataDir);
    expect(await mayEnter(third, cookie)).toBe(false);
    await stop(third);
  });

  it("The start says that a rotation of secrets was cut short, and running it again completes it", async () => {
    const dataDir = await ownDataDir();
    const stack = await ownStack(dataDir);
    await stack.stop();
    const file = join(dataDir, "secrets.json");
    const before = await readFile(file, "utf8");
    expect((await rotate(dataDir)).exitCode).toBe(0);
    await writeFile(file, before);
    await expect(ownStack(dataDir)).rejects.toThrow('run "backloom admin secrets rotate"');
    expect((await rotate(dataDir)).exitCode).toBe(0);
    await (await ownStack(dataDir)).stop();
  });

  it("secrets rotate makes nothing without an installation", async () => {
    const { exitCode, output } = await rotate(await ownDataDir());
    expect([exitCode, output]).toEqual([1, expect.stringContaining("There are no secrets in")]);
  });
});
