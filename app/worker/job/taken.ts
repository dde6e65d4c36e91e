import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { claimedConflictSchema } from "~/nouns/agent-jobs/job-conflict";
import { confinementSchema } from "~/nouns/workers/confinement";
import { writeWhole } from "../base/whole-file";
import { isAlive } from "../base/work-folder";
import { takenEnd } from "../git/worktree-note";
import { receivedJobSchema } from "../service/received-claim";

/** A job that a person has taken, for give. Stored next to the worktree. */
const takenSchema = z.object({
  job: receivedJobSchema,
  /** The folder of the worker whose conversations belong to it. */
  home: z.string(),
  /** Who keeps the lease. */
  pid: z.int(),
  repo: z.string().optional(),
  /** The sandbox that the service has noted. */
  confinement: confinementSchema,
  agent: z.string().nullable(),
  sessionId: z.string().nullable(),
  since: z.coerce.date(),
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
    .object({
      conflict: claimedConflictSchema,
      theirs: z.string(),
      files: z.array(z.string()),
      base: z.string(),
    })
    .nullable(),
});
export type Taken = z.output<typeof takenSchema>;

export async function writeTaken(taken: Taken): Promise<void> {
  await writeWhole(`${taken.worktree.folder}${takenEnd}`, JSON.stringify(taken));
}

/** The job that a person has in a worktree; null if none. */
export async function readTaken(folder: string): Promise<Taken | null> {
  const text = await readFile(`${folder}${takenEnd}`, "utf8").catch(() => null);
  if (text === null) return null;
  return takenSchema.parse(JSON.parse(text));
}

/** Whether a person has a worktree now: their terminal still keeps the lease. */
export async function isTakenNow(folder: string): Promise<boolean> {
  const taken = await readTaken(folder).catch(() => null);
  return taken !== null && isAlive(taken.pid);
}

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
