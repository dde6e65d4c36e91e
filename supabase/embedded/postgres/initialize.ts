import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chown, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { type OsUser, plainEnvironment } from "./os-user";

const run = promisify(execFile);

/** Creates the database files once. Starts over after an interrupted first start. */
export async function initialize(options: {
  initdb: string;
  clusterFolder: string;
  password: string;
  user: OsUser;
}): Promise<void> {
  const { clusterFolder, user } = options;
  if (existsSync(join(clusterFolder, "PG_VERSION"))) return;
  const draft = `${clusterFolder}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  const passwordFile = `${draft}.password`;
  await writeFile(passwordFile, `${options.password}\n`, { mode: 0o600 });
  if (user) await Promise.all([draft, passwordFile].map((path) => chown(path, user.uid, user.gid)));
  try {
    await runInitdb(options.initdb, draft, passwordFile, user);
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(draft, clusterFolder);
}

async function runInitdb(initdb: string, folder: string, passwordFile: string, user: OsUser) {
  const initArguments = [
    `--pgdata=${folder}`,
    `--pwfile=${passwordFile}`,
    "--username=supabase_admin",
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale=C",
    "--locale-provider=icu",
    "--icu-locale=en-US",
    "--data-checksums",
    "--no-instructions",
  ];
  try {
    await run(initdb, initArguments, { ...user, cwd: "/", env: plainEnvironment() });
  } catch (cause) {
    throw new Error(explain(String(cause)), { cause });
  }
}

function explain(failure: string): string {
  if (failure.includes("No space left")) {
    return "The disk is full: the database needs about 100 MB; free some space, or set DATA_DIR to another disk";
  }
  if (failure.includes("shared librar")) return `The embedded PostgreSQL lacks a library of this system: ${failure}`;
  return `The database could not be made (initdb): ${failure}`;
}
