import { z } from "zod";
import { runCommandLine } from "~/cli/run-command.server";
import type { Target } from "~/cli/target.server";
import { readEnv } from "~/env.server";
import type { TestDatabase } from "../setup/database";

const objectSchema = z.record(z.string(), z.unknown());

/** The admin command line over the database of a test file. */
export function commandLine(t: TestDatabase, input = "") {
  const env = readEnv({});
  const target: Target = {
    env: () => env,
    database: async () => t.database,
    backend: async () => ({
      database: t.database,
      env,
      isEmbedded: true,
      migrationUrl: t.urlFor("postgres"),
      stop: async () => undefined,
    }),
    inputLine: async () => input,
    close: async () => undefined,
  };
  const run = (...words: string[]) => runCommandLine(words, () => target);
  return {
    run,
    /** The one object of `--json`; the command must succeed. */
    async json(...words: string[]): Promise<Record<string, unknown>> {
      const { output, exitCode } = await run(...words, "--json");
      if (exitCode !== 0) throw new Error(output);
      return objectSchema.parse(JSON.parse(output));
    },
    async refusal(...words: string[]): Promise<Record<string, unknown>> {
      const { output, exitCode } = await run(...words, "--json");
      if (exitCode === 0) throw new Error("The command was not refused");
      return objectSchema.parse(JSON.parse(output));
    },
  };
}
