import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import pg from "pg";
import { applyShims } from "../embedded/apply-shims";
import { migrationsFolder } from "../embedded/migrations";
import { startCluster } from "../embedded/postgres/cluster";
import { projectRoot } from "../embedded/project-root";
import { loadSecrets } from "../embedded/secrets";
import { applyMigrations, buildFromSchemas } from "./build-database";
import { compareDatabases } from "./compare-databases";

const run = promisify(execFile);

/** All table privileges of PostgreSQL 17 by name. 15 and 16 do not know MAINTAIN. */
const everyPrivilege =
  "GRANT DELETE, INSERT, MAINTAIN, REFERENCES, SELECT, TRIGGER, TRUNCATE, UPDATE ON";

/**
 * `npm run migration -- <name>`: writes the difference between the migrations and the schemas as the next migration,
 * which a person must review and complete, and reports what it does not cover.
 */
async function main(): Promise<void> {
  const name = process.argv[2] ?? "";
  if (!/^[a-z][a-z0-9_]*$/.test(name)) {
    throw new Error("Name the migration in small letters: npm run migration -- add_due_dates");
  }
  const databases = await startScratchDatabases();
  try {
    const made = await databases.make("migrations");
    const wanted = await databases.make("schemas");
    await applyMigrations(made);
    await buildFromSchemas(wanted);
    if ((await compareDatabases(made, wanted)).length === 0) {
      console.log("The migrations make what the schemas say: there is nothing to write.");
      return;
    }
    const path = join(migrationsFolder, `${stamp()}_${name}.sql`);
    await writeFile(path, await difference(made, wanted));
    console.log(`${relative(projectRoot, path)}: read it, and add what moves data.`);
    await tellWhatIsMissing(await databases.make("complete"), wanted);
  } finally {
    await databases.stop();
  }
}

async function difference(made: string, wanted: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "backloom-migration-"));
  try {
    const plan = join(folder, "plan.json");
    await planner("plan", "--source", made, "--desired", wanted, "--renames", "off", "--out", plan);
    await planner("render", "--plan", plan, "--out", join(folder, "part.sql"), "--allow-drops");
    const parts = (await readdir(folder)).filter((file) => file.endsWith(".sql")).sort();
    const texts = await Promise.all(parts.map((file) => readFile(join(folder, file), "utf8")));
    const text = texts
      .join("\n")
      .replace(/^-- Destructive.*\n/gm, "")
      .replaceAll(everyPrivilege, "GRANT ALL ON");
    return `-- Why: say here what this brings, and to whom.\n${text}`;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs pg-delta, which reads both databases' catalogs. Its `supabase` profile omits Supabase's own objects. */
async function planner(command: string, ...options: string[]): Promise<void> {
  const program = join(projectRoot, "node_modules/@supabase/pg-delta/dist/cli/main.js");
  const profile = command === "plan" ? ["--profile", "supabase"] : [];
  await run(process.execPath, [program, command, ...options, ...profile], {
    maxBuffer: 64 * 1024 * 1024,
  });
}

async function tellWhatIsMissing(complete: string, wanted: string): Promise<void> {
  await applyMigrations(complete);
  const missing = await compareDatabases(complete, wanted);
  if (missing.length === 0) return;
  console.log(`Complete it by hand, these still differ:\n${missing.join("\n")}`);
  process.exitCode = 1;
}

function stamp(): string {
  return new Date().toISOString().replace(/\D/g, "").slice(0, 14);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});

interface ScratchDatabases {
  /** Creates a database with what a new Supabase project has. Returns its address for role `postgres`. */
  make(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** Starts a temporary Postgres for comparing databases. It is deleted when it stops. */
async function startScratchDatabases(): Promise<ScratchDatabases> {
  const dataDir = await mkdtemp(join(tmpdir(), "backloom-scratch-"));
  const { databasePassword: password } = await loadSecrets(dataDir);
  const cluster = await startCluster({ dataDir, password, settings: { fsync: "off" } });
  return {
    make: async (name) => {
      await createDatabase(cluster.url("supabase_admin", "template1"), name);
      await applyShims(cluster.url("supabase_admin", name), password);
      return cluster.url("postgres", name);
    },
    stop: async () => {
      await cluster.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function createDatabase(adminUrl: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl });
  await client.connect();
  try {
    await client.query(`create database ${pg.escapeIdentifier(name)}`);
  } finally {
    await client.end();
  }
}
