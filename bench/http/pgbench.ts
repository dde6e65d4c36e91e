import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Dataset } from "./dataset";

/** The UPDATE that a PATCH ends in, with the same triggers and nothing before it. */
const script = (tasks: number) => `\\set n random(1, ${tasks})
\\set todo random(0, 1)
update public.tasks
set status = (case :todo::integer when 1 then 'TO_DO' else 'IN_PROGRESS' end)::public.task_status
where id = md5('task' || :n::text)::uuid;
`;

export function hasPgbench(): boolean {
  return spawnSync("pgbench", ["--version"]).status === 0;
}

/** Transactions per second of pgbench with 8 connections. */
export function runPgbench(url: string, dataset: Dataset, seconds: number): number {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const file = join(folder, "update.sql");
  writeFileSync(file, script(dataset.tasks));
  const options = ["-n", "-c", "8", "-j", "2", "-M", "prepared", "-T", String(Math.ceil(seconds)), "-f", file];
  const result = spawnSync("pgbench", [...options, url], { encoding: "utf8" });
  rmSync(folder, { recursive: true });
  const [, perSecond] = /tps = ([\d.]+)/.exec(result.stdout) ?? [];
  if (perSecond === undefined) throw new Error(`pgbench failed: ${result.stderr}`);
  return Number(perSecond);
}
