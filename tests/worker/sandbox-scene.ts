import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { isolation } from "../../worker/sandbox/probe";
import { at } from "../setup/world";
import { openStage, startRun } from "./fixture";
import { flags } from "./flags";
import { startWorker, workerFile } from "./worker-process";

/** Why the tests of the sandbox are left out here; null where bubblewrap works. */
export const sandboxProblem = (() => {
  if (process.env.WORKER_PLATFORM === "darwin") return "workers find no Linux here";
  const args = [...isolation, "--ro-bind", "/", "/", "--proc", "/proc", "true"];
  const { error, status, stderr } = spawnSync("bwrap", args, { encoding: "utf8" });
  if (status === 0) return null;
  return error?.message ?? stderr.trim();
})();

if (sandboxProblem !== null) console.log(`Left out, bwrap does not work: ${sandboxProblem}`);

/** A stage whose person has secrets at home, and a worker that works in a sandbox. */
export async function openSandboxScene(uid?: number) {
  const stage = await openStage();
  const { t, app, ada, token, home: root, repo, git } = stage;
  const actor = t.actorOf(ada);
  const home = join(root, "person");
  const put = (path: string, text: string): string => {
    const file = join(root, path);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, text);
    return file;
  };
  for (const name of [".ssh/id_ed25519", ".aws/credentials", ".backloom/token", ".netrc"]) {
    put(`person/${name}`, "secret of the person\n");
  }
  put("person/.gitconfig", "[user]\n\tname = Grace\n\temail = grace@example.com\n");
  const own = join(root, "backloom-worker.mjs");
  copyFileSync(workerFile, own);
  chmodSync(root, 0o755);
  let scenes = 0;

  /** Lets a script do the one task of a run. */
  const begin = async (
    script: string,
    args: string[] = [],
    environment = {},
    may_reach: string[] = [],
    /** What the name of its file begins with: the tool that the command names. */
    tool = "",
  ) => {
    scenes += 1;
    const code = `BOX${scenes}`;
    const started = await startRun(t, ada, { code, product: { may_reach } });
    const file = put(`scripts/${tool}${code}.sh`, script);
    if (uid !== undefined) execFileSync("chown", ["-R", `${uid}:${uid}`, root]);
    const worker = startWorker(
      [
        ...flags({ url: app.origin, token, "work-dir": join(root, "work"), once: true, repo, product: code }),
        ...flags({ name: `worker-${code}`, heartbeat: "1", exec: `sh ${file}`, sandbox: "bwrap" }),
        ...args,
      ],
      { HOME: home, ...environment },
      { program: own, ...(uid === undefined ? {} : { uid }) },
    );
    const end = async () => {
      const exitCode = await worker.ended;
      const job = await getAgentJob(actor, { job_id: at((await started.read()).jobs, 0).id });
      const read = (name: string) => git("-c", "safe.directory=*", "show", `${job.branch}:${name}`).trim();
      return { job, read, output: worker.output(), exitCode, code };
    };
    return { worker, end };
  };
  /** The same to its end: the job, the worker's words and the files of the branch. */
  const run = async (...options: Parameters<typeof begin>) => (await begin(...options)).end();
  return { ...stage, home, root, put, begin, run };
}
