import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { claimedConflictSchema } from "~/wire/agent-jobs/job-conflict";
import { confinementSchema } from "~/wire/workers/confinement";
import { writeWhole } from "../../base/files";
import { WorkerProblem } from "../../base/problems";
import { isRunning, takeLock } from "../../base/work-folder";
import { noteOf, takenEnd } from "../../git/worktree";
import { receivedJobSchema } from "../../service/received-claim";

const takenSchema = z.object({
  job: receivedJobSchema,
  /** The folder of the worker whose conversations belong to it. */
  home: z.string(),
  /** The process that keeps the lease (`markOf`). */
  keeper: z.string(),
  repo: z.string().optional(),
  /** For give: the shell in which the person works gets no token. */
  service: z.object({ url: z.string(), token: z.string() }).optional(),
  /** The sandbox that the service has noted. */
  confinement: confinementSchema,
  agent: z.string().nullable(),
  sessionId: z.string().nullable(),
  since: z.coerce.date(),
  /** Records of the conversation that its person has in their own home; null if they were there before. */
  lent: z.array(z.string()).nullable().default(null),
  worktree: z.object({
    folder: z.string(),
    branch: z.string(),
    checkout: z.string(),
    branchTip: z.string().nullable(),
    start: z.string(),
    main: z.string(),
  }),
  work: z.object({ name: z.string(), base: z.string() }),
  resolution: z
    .object({ conflict: claimedConflictSchema, theirs: z.string(), files: z.array(z.string()), base: z.string() })
    .nullable(),
});
export type Taken = z.output<typeof takenSchema>;

export async function writeTaken(taken: Taken): Promise<void> {
  await writeWhole(`${taken.worktree.folder}${takenEnd}`, JSON.stringify(taken), 0o600);
}

/** The job that a person has in a worktree; null if none. */
export async function readTaken(folder: string): Promise<Taken | null> {
  const text = await readFile(`${folder}${takenEnd}`, "utf8").catch(() => null);
  if (text === null) return null;
  return takenSchema.parse(JSON.parse(text));
}

/** Whether a person has a worktree now: `take` prepares it, their terminal keeps the lease, or `give` hands it in. */
export async function isTakenNow(folder: string): Promise<boolean> {
  const maker = (await noteOf(folder))?.maker ?? "";
  const taken = await readTaken(folder).catch(() => null);
  const locked = taken === null ? "" : await readFile(lockOf(taken), "utf8").catch(() => "");
  const marks = [maker, taken?.keeper ?? "", locked].map(isRunning);
  return (await Promise.all(marks)).includes(true);
}

/** Runs what one process at a time may do with a taken job: of two, both would write. The note is read again. */
export async function aloneWith<T>(found: Taken, work: (taken: Taken) => Promise<T>): Promise<T> {
  const code = found.job.task?.code;
  const lock = lockOf(found);
  await mkdir(join(found.home, "takes"), { recursive: true });
  if (!(await takeLock(lock))) {
    throw new WorkerProblem(`Another give or take works on ${code} now: wait until it has ended`);
  }
  try {
    const taken = await readTaken(found.worktree.folder);
    if (taken === null) throw new WorkerProblem(`${code} was just handed in or returned`);
    return await work(taken);
  } finally {
    await rm(lock, { force: true });
  }
}

const lockOf = ({ home, job }: Taken): string => join(home, "takes", `${job.id}.pid`);

/** The folders of the workers of this machine. */
export async function workerHomes(workDir: string): Promise<string[]> {
  const workers = join(workDir, "workers");
  const entries = await readdir(workers, { withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isDirectory() ? [join(workers, entry.name)] : []));
}

/** What people have on this machine. */
export async function listTaken(workDir: string): Promise<Taken[]> {
  const lists = (await workerHomes(workDir)).map(async (home) => {
    const worktrees = join(home, "worktrees");
    const names = await readdir(worktrees).catch(() => []);
    const folders = names.filter((name) => name.endsWith(takenEnd));
    const all = folders.map((name) => readTaken(join(worktrees, name.slice(0, -takenEnd.length))));
    return (await Promise.all(all)).flatMap((taken) => taken ?? []);
  });
  return (await Promise.all(lists)).flat();
}
