import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "./project-root";

const run = promisify(execFile);

/** In a temporary home folder: it writes a telemetry file there and must not use the user's own login. */
export async function runSupabaseCli(commandArguments: string[]): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "backloom-cli-"));
  const { words, environment } = hidePassword(commandArguments);
  try {
    const { stdout } = await run(
      process.execPath,
      [join(projectRoot, "node_modules/supabase/dist/supabase.js"), ...words],
      {
        cwd: projectRoot,
        env: { ...process.env, ...environment, HOME: home, SUPABASE_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" },
        maxBuffer: 32 * 1024 * 1024,
      },
    );
    return stdout;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Passes the password in the environment, because every user of the machine can read a process's arguments. */
function hidePassword(commandArguments: readonly string[]) {
  const environment: Record<string, string> = {};
  const words = commandArguments.map((word) => {
    const [, address = ""] = /^--remote=(postgres(?:ql)?:.*)$/.exec(word) ?? [];
    if (!URL.canParse(address)) return word;
    const url = new URL(address);
    const password = url.searchParams.get("password") ?? decodeURIComponent(url.password);
    if (password === "") return word;
    environment.PGPASSWORD = password;
    url.password = "";
    url.searchParams.delete("password");
    return `--remote=${url.href}`;
  });
  return { words, environment };
}
