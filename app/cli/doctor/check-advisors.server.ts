import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { type Check, failed, passed, reasonOf } from "~/server/check";

const reportSchema = z.object({
  results: z.array(z.looseObject({ name: z.string().optional(), title: z.string().optional() })),
});

/** Runs the advisors of the Supabase CLI, if the CLI is installed and Postgres is reachable directly. */
export async function checkAdvisors(databaseUrl: string | undefined): Promise<Check> {
  const name = "advisors";
  if (databaseUrl === undefined) return passed(name, "not asked: set SUPABASE_DB_URL to let the Supabase CLI look");
  const { projectRoot } = await import("../../../supabase/embedded/project-root");
  const cli = join(projectRoot, "node_modules/supabase/package.json");
  if (!(await readFile(cli, "utf8").catch(() => ""))) {
    return passed(name, "not asked: the Supabase CLI is not installed here");
  }
  try {
    return judge(name, await askAdvisors(databaseUrl));
  } catch (error) {
    return failed(name, `The Supabase CLI could not check the database: ${reasonOf(error)}`);
  }
}

async function askAdvisors(databaseUrl: string): Promise<string> {
  const { runSupabaseCli } = await import("../../../supabase/embedded/supabase-cli");
  return runSupabaseCli(["db", "advisors", `--remote=${databaseUrl}`, "--output-format", "json"]);
}

function judge(name: string, output: string): Check {
  const { results: findings } = reportSchema.parse(JSON.parse(output));
  if (findings.length === 0) return passed(name, "nothing to report");
  const titles = findings.map((finding) => finding.title ?? finding.name ?? "a finding");
  return failed(name, `${findings.length} findings: ${[...new Set(titles)].join(", ")}`);
}
