import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import manifest from "../../package.json";
import { copyAtRest } from "../../supabase/embedded/data-folder/upgrade";
import { listMigrations } from "../../supabase/embedded/migrations";
import { chooseOsUser } from "../../supabase/embedded/postgres/os-user";
import { projectRoot } from "../../supabase/embedded/project-root";
import { ask, ownDataDir, ownStack } from "../embedded/own-stack";
import { type OwnService, openOwnDatabase, startService } from "../server/own-service";
import { readKeptRelease } from "./kept-release";
import { restoreRelease } from "./restore-release";

/** Every version that was released: a folder of each opens in this one. */
const releases = ["0.1.0", "0.2.0", "0.3.0", "0.4.0", "0.5.0"];

async function admin(dataDir: string, ...words: string[]): Promise<Record<string, unknown>> {
  const launch = join(projectRoot, "app/cli/launch.mjs");
  const { stdout } = await promisify(execFile)(process.execPath, [launch, "admin", ...words, "--json"], {
    cwd: projectRoot,
    env: { ...process.env, NODE_ENV: "production", DATA_DIR: dataDir },
  });
  return z.record(z.string(), z.unknown()).parse(JSON.parse(stdout));
}

async function stop({ process: service, ended }: OwnService): Promise<void> {
  service.kill("SIGTERM");
  await ended;
}

function copiesOf(dataDir: string): Promise<string[]> {
  return readdir(join(dataDir, "copies")).catch(() => []);
}

describe.each(releases)("a data folder of %s", { timeout: 120_000 }, (version) => {
  it("An earlier release's data folder opens whole after a copy is kept, and starts again without one", async () => {
    const kept = await readKeptRelease(version);
    const dataDir = await ownDataDir();
    await restoreRelease(kept, dataDir);

    const service = await startService(dataDir);
    const asked = (path: string, headers: Record<string, string>) =>
      fetch(`${service.origin}${path}`, { headers, redirect: "manual" });
    const byToken = await asked("/api/products", { authorization: `Bearer ${kept.token}` });
    expect(await byToken.json()).toMatchObject([{ code: "SAMPLE" }]);
    const bySession = await asked("/settings", { cookie: kept.cookie });
    expect(bySession.status).toBe(200);

    const { exported_at: then, ...exportedThen } = kept.exported;
    const { exported_at: now, ...exportedNow } = await admin(dataDir, "export", "--product", "SAMPLE");
    expect(now).not.toBe(then);
    expect(exportedNow).toMatchObject(exportedThen);

    const own = await openOwnDatabase(dataDir);
    for (const { name, rows } of kept.tables) {
      // Limits of a minute ago and presence of workers are swept while the service runs; auth is not the owner's to read.
      if (/rate_limit_counters|agent_workers|^auth\./.test(name)) continue;
      const { rows: found } = await own.sql.query(`select count(*)::int as n from ${name}`);
      expect(found[0].n, name).toBeGreaterThanOrEqual(rows.length);
    }
    const recorded = await own.query`select version from supabase_migrations.schema_migrations order by 1`;
    const files = await listMigrations();
    expect(recorded.map((row) => row.version)).toEqual(files.map((file) => file.version));
    await own.close();
    await stop(service);

    const copies = await copiesOf(dataDir);
    if (kept.migrations.at(-1)?.version === files.at(-1)?.version) {
      // Nothing has changed in the database since the release.
      expect(copies).toEqual([]);
      return;
    }
    const [copy, ...others] = copies;
    expect(copy).toMatch(new RegExp(`^${version}-\\d{8}T\\d{6}Z$`));
    expect(others).toEqual([]);
    await stop(await startService(dataDir));
    expect(await copiesOf(dataDir)).toEqual([copy]);

    // The copy is a data folder of its own, as it was: only the release's own records are in it.
    const before = await ownStack(join(dataDir, "copies", copy ?? ""));
    const count = "select count(*)::int from supabase_migrations.schema_migrations";
    expect(await ask(before.migrationUrl, count)).toBe(kept.migrations.length);
    await before.stop();
  });
});

it("An older version refuses the folder of a newer one in a sentence, and touches nothing", async () => {
  const dataDir = await ownDataDir();
  const note = JSON.stringify({ version: "9.0.0", newest_migration: "29990101000000" });
  await writeFile(join(dataDir, "made-by.json"), note);
  const refusal = await startService(dataDir).catch(String);
  expect(refusal).toContain(
    `The data folder ${dataDir} was made by Backloom 9.0.0, and this is ${manifest.version}: start 9.0.0 or later`,
  );
  expect(refusal).not.toContain("    at ");
  expect(await readFile(join(dataDir, "made-by.json"), "utf8")).toBe(note);
  expect(existsSync(join(dataDir, "postgres"))).toBe(false);
});

it("An older version refuses a newer database also where the folder's note is gone", async () => {
  const dataDir = await ownDataDir();
  const stack = await ownStack(dataDir);
  await ask(
    stack.migrationUrl,
    `create schema supabase_migrations;
       create table supabase_migrations.schema_migrations (version text primary key, statements text[], name text);
       insert into supabase_migrations.schema_migrations values ('29990101000000', '{select 1}', 'later')`,
  );
  await stack.stop();
  const refusal = await startService(dataDir).catch(String);
  expect(refusal).toContain("The database was made by a newer Backloom");
});

it("An upgrade keeps the newest two copies", async () => {
  const dataDir = await ownDataDir();
  await (await ownStack(dataDir)).stop();
  const files = { clusterFolder: join(dataDir, "postgres"), user: await chooseOsUser() };
  const names: string[] = [];
  for (const [index, version] of ["0.1.0", "0.10.0", "0.9.0"].entries()) {
    const at = new Date(Date.UTC(2026, 0, 1 + index));
    names.push((await copyAtRest({ ...files, dataDir, version, at })).path);
  }
  expect((await copiesOf(dataDir)).map((name) => join(dataDir, "copies", name)).sort()).toEqual(names.slice(1).sort());
});
