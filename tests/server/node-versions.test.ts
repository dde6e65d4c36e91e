import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { getSprintRun } from "~/nouns/sprint-runs/operations.server";
import { projectRoot } from "../../supabase/embedded/project-root";
import { ownDataDir } from "../embedded/own-stack";
import { makeRepository } from "../worker/fixture";
import { flags } from "../worker/flags";
import { workerFile } from "../worker/worker-process";
import { openOwnDatabase, startService } from "./own-service";

/** Node of another major version, as npm packs it; null where it cannot be had here. */
function nodeOf(version: number): string | null {
  if (process.version.startsWith(`v${version}.`)) return process.execPath;
  const folder = join(projectRoot, `node_modules/.cache/node-${version}`);
  const program = join(folder, "node_modules/node/bin/node");
  if (!existsSync(program)) {
    mkdirSync(folder, { recursive: true });
    const words = ["install", "--no-save", "--no-package-lock", "--prefix", folder, `node@${version}`];
    spawnSync("npm", words, { cwd: folder, encoding: "utf8" });
  }
  const { status, stdout } = spawnSync(program, ["--version"], { encoding: "utf8" });
  if (status === 0 && stdout.startsWith(`v${version}.`)) return program;
  console.log(`Left out: Node ${version} cannot be installed here`);
  return null;
}

const programs = [20, 22, 24].flatMap((version) => {
  const program = nodeOf(version);
  return program === null ? [] : [[version, program] as const];
});

describe.each(programs)("on Node %i", (_version, node) => {
  it("On each supported Node, the service starts with its database, and a worker does a job", async () => {
    const dataDir = await ownDataDir();
    const service = await startService(dataDir, { node });
    const store = await openOwnDatabase(dataDir);
    const { owner, actor, product, start } = await store.seedSprint({ stories: [1] });
    const token = await store.createToken(owner);
    const run = await start();
    const repo = join(dataDir, "repository");
    makeRepository(repo);
    const worker = spawn(
      node,
      [
        workerFile,
        ...flags({ url: service.origin, token, product: product.id, exec: "demo", repo, "until-idle": true }),
        ...flags({ sandbox: "off", "work-dir": join(dataDir, "work") }),
      ],
      { stdio: ["ignore", "pipe", "pipe"] },
    );
    let said = "";
    for (const stream of [worker.stdout, worker.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        said += chunk.toString();
      });
    }
    const [code] = await once(worker, "exit");
    expect(code, said).toBe(0);
    const { jobs } = await getSprintRun(actor, { sprint_run_id: run.id });
    expect(jobs.map(({ status }) => status)).toEqual(["done"]);
    await store.close();
    await service.end("SIGTERM");
    expect(service.process.exitCode).toBe(0);
  }, 180_000);
});
