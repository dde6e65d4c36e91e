import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);

/** OS user that runs Postgres. `undefined` means the one that started the app. */
export type OsUser = { uid: number; gid: number } | undefined;

/** Postgres refuses to run as root, so as root returns an ordinary user, created if needed. */
export async function chooseOsUser(): Promise<OsUser> {
  if (process.getuid?.() !== 0) return undefined;
  const existing = await findUser("postgres");
  if (existing) return existing;
  await run("useradd", ["--system", "--no-create-home", "--shell", "/bin/false", "postgres"]).catch(() => undefined);
  const created = (await findUser("postgres")) ?? (await findUser("nobody"));
  if (created) return created;
  throw new Error(
    'Postgres does not run as root and no user "postgres" could be made; run "useradd --system postgres"',
  );
}

async function findUser(name: string): Promise<{ uid: number; gid: number } | undefined> {
  try {
    const [uid, gid] = await Promise.all([run("id", ["-u", name]), run("id", ["-g", name])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

/** Environment of the Postgres programs, without our secrets. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH, LC_ALL: "C", TZ: "UTC" };
}
