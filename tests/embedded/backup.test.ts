import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { backUp } from "../../supabase/embedded/data-folder/back-up";
import { readManifest } from "../../supabase/embedded/data-folder/manifest";
import { restoreCopy } from "../../supabase/embedded/data-folder/restore";
import { projectRoot } from "../../supabase/embedded/project-root";
import { type EmbeddedSupabase, startEmbeddedSupabase } from "../../supabase/embedded/start";
import { startService } from "../server/own-service";
import { ask, ownDataDir, ownStack } from "./own-stack";

const dataDir = await ownDataDir();
const copies = await ownDataDir();
let source: EmbeddedSupabase;

beforeAll(async () => {
  source = await startEmbeddedSupabase({ dataDir, upgrade: { say: () => undefined } });
  await ask(
    source.migrationUrl,
    "create table public.settled as select n, md5(n::text) as text from generate_series(1, 20000) n",
  );
  await mkdir(join(dataDir, "files"));
  await writeFile(join(dataDir, "files/picture"), "of a person");
});
afterAll(() => source.stop());

const checksum = "select md5(string_agg(md5(s::text), '' order by n)) from public.settled s";

const command = [join(projectRoot, "app/cli/launch.mjs"), "backup", "--to"];
const surroundings = { cwd: projectRoot, env: { ...process.env, NODE_ENV: "production", DATA_DIR: dataDir } } as const;

describe("a backup of a running installation", { timeout: 600_000 }, () => {
  it("A backup opens as an installation of its own, with its files, and can be backed up again", async () => {
    const { path, rows } = await backUp({ dataDir, folder: copies });
    expect(rows).toMatchObject({ "public.settled": 20_000, "public.products": 0 });
    const into = join(await ownDataDir(), "data");
    await restoreCopy(path, into);
    expect(await readFile(join(into, "files/picture"), "utf8")).toBe("of a person");
    const restored = await ownStack(into);
    expect(restored.secretKey).toBe(source.secretKey);
    expect(await ask(restored.migrationUrl, checksum)).toBe(await ask(source.migrationUrl, checksum));
    expect(await ask(restored.migrationUrl, "delete from public.settled where n = 1 returning n")).toBe(1);
    await restored.stop();
    expect(Object.keys((await backUp({ dataDir: into })).rows)).toEqual(Object.keys(rows));
    expect(await readdir(join(into, "backups"))).toHaveLength(1);
  });

  it("Only one backup of a database runs at a time, and a refused one leaves nothing behind", async () => {
    const other = new pg.Client({ connectionString: source.migrationUrl });
    await other.connect();
    await other.query("select pg_advisory_lock(hashtextextended('backloom:backup', 0))");
    const folder = await ownDataDir();
    await expect(backUp({ dataDir, folder })).rejects.toThrow("Another backup of this database");
    await other.end();
    expect(await readdir(folder)).toEqual([]);
  });

  it("A backup names the folder for copies that cannot be made", async () => {
    const file = join(await ownDataDir(), "file");
    await writeFile(file, "");
    await expect(backUp({ dataDir, folder: join(file, "copies") })).rejects.toThrow(
      `The folder for copies ${join(file, "copies")} cannot be made`,
    );
  });

  it("A backup keeps the number of copies set for it, and leaves those of another database alone", async () => {
    const folder = await ownDataDir();
    const foreign = "0.1.0-20200101T000000Z";
    await mkdir(join(folder, foreign, "postgres/global"), { recursive: true });
    await writeFile(join(folder, foreign, "postgres/global/pg_control"), "another");
    const made: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      made.push((await backUp({ dataDir, folder, keep: 2 })).path);
    }
    const stay = (await readdir(folder)).filter((name) => name !== foreign);
    expect(stay.map((name) => join(folder, name)).sort()).toEqual(made.slice(1));
    expect(existsSync(join(folder, foreign))).toBe(true);
  });

  it("A killed backup leaves nothing that can be restored, and the next one removes its rest", async () => {
    const folder = await ownDataDir();
    const words = [...command, folder];
    const program = spawn(process.execPath, words, { ...surroundings, stdio: "ignore" });
    const ended = once(program, "exit");
    await expect
      .poll(async () => (await readdir(folder)).some((name) => existsSync(join(folder, name, "postgres/base"))))
      .toBe(true);
    program.kill("SIGKILL");
    await ended;
    const [left = "", ...others] = await readdir(folder);
    expect(left).toMatch(/\.new$/);
    expect(others).toEqual([]);
    const into = join(await ownDataDir(), "data");
    await expect(restoreCopy(join(folder, left), into)).rejects.toThrow("is not a whole copy");
    expect(existsSync(into)).toBe(false);

    const { stdout } = await promisify(execFile)(process.execPath, words, surroundings);
    expect((await readdir(folder)).map((name) => join(folder, name))).toEqual([stdout.trim()]);
  });
});

describe("a restore", { timeout: 600_000 }, () => {
  it("A restore touches no folder that has files in it", async () => {
    const { path } = await backUp({ dataDir, folder: await ownDataDir() });
    const other = await ownDataDir();
    await writeFile(join(other, "mine"), "");
    await expect(restoreCopy(path, other)).rejects.toThrow("is not empty");
    expect(await readdir(other)).toEqual(["mine"]);
  });

  it("A restore that did not finish keeps the service from starting until it is done again", async () => {
    const { path } = await backUp({ dataDir, folder: await ownDataDir() });
    const into = await ownDataDir();
    await mkdir(join(into, "restore.new"));
    await writeFile(join(into, "secrets.json"), "{}");
    await expect(startEmbeddedSupabase({ dataDir: into })).rejects.toThrow("has not finished");
    await restoreCopy(path, into);
    const restored = await ownStack(into);
    expect(await ask(restored.migrationUrl, checksum)).toBe(await ask(source.migrationUrl, checksum));
    await restored.stop();
  });
});

it("the service backs itself up on its schedule", { timeout: 600_000 }, async () => {
  const own = await ownDataDir();
  const env = { BACKUP_SCHEDULE: "* * * * * *", BACKUP_KEEP: "1" };
  const service = await startService(own, { env });
  const made = () => readdir(join(own, "backups")).catch(() => []);
  await expect
    .poll(async () => (await made()).filter((name) => name.endsWith("Z")), { timeout: 120_000 })
    .toHaveLength(1);
  await service.end("SIGTERM");
  const [name = ""] = await made();
  const { rows } = await readManifest(join(own, "backups", name));
  expect(rows).toMatchObject({ "public.products": 1 });
});
