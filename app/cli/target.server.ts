import { createInterface } from "node:readline";
import type { Database } from "~/db/database.server";
import { type Env, readEnv } from "~/env.server";
import { type Backend, openBackend } from "~/server/backend";

/** What a command works on: the Supabase of the environment, opened on first use. */
export interface Target {
  env(): Env;
  /** The embedded stack, joined if a server is running, otherwise started for the command; or the hosted project. */
  backend(): Promise<Backend>;
  database(): Promise<Database>;
  /** Returns the first line of standard input, for secrets that must not appear in the process list. */
  inputLine(): Promise<string>;
  close(): Promise<void>;
}

/** Creates the target of an admin command from environment variables. */
export function openTarget(variables: Record<string, string | undefined>): Target {
  let env: Env | undefined;
  let backend: Promise<Backend> | undefined;
  const target: Target = {
    env: () => {
      env ??= readEnv(variables);
      return env;
    },
    backend: () => {
      backend ??= openBackend(target.env());
      return backend;
    },
    database: async () => (await target.backend()).database,
    inputLine: () => readInputLine(process.stdin),
    close: async () => {
      const opened = await backend?.catch(() => undefined);
      await opened?.stop();
    },
  };
  return target;
}

async function readInputLine(input: NodeJS.ReadStream): Promise<string> {
  // Prompt a person; a pipe needs no prompt.
  if (input.isTTY) process.stderr.write("Password: ");
  const lines = createInterface({ input, terminal: false });
  for await (const line of lines) return line;
  return "";
}
