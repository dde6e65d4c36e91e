import { type AwaitedHead, mergedJobSchema } from "~/wire/agent-jobs/contract";
import { RepositoryNotAllowed } from "../../base/allowed-repositories";
import type { Journal } from "../../base/journal";
import type { WorkerOptions } from "../../base/options";
import { messageOf, Refusal } from "../../base/problems";
import type { WorkFolder } from "../../base/work-folder";
import { isOnMain } from "../../git/on-main";
import { fetchAll } from "../../git/remote";
import { openRepositoryOf } from "../../git/repository";
import { mainOf } from "../../git/worktree";
import type { Service } from "../../service/service";

interface MergeContext {
  options: WorkerOptions;
  service: Service;
  journal: Journal;
  folder: WorkFolder;
  checks: MergeChecks;
}

/** Checks whether main branches have the commits that other work waits for, and reports those found. */
export async function reportMerged(heads: readonly AwaitedHead[], context: MergeContext): Promise<void> {
  for (const group of byRepository(heads)) {
    try {
      await checkIn(group, context);
    } catch (error) {
      if (error instanceof RepositoryNotAllowed) {
        if (context.checks.isFirstRefusal(error.address)) context.journal.say(error.message);
        continue;
      }
      context.journal.sayOnce(`Could not check whether the main branch has awaited work: ${messageOf(error)}`);
    }
  }
}

/** Groups by both addresses: the same one may come from one product's owner and another product's member. */
function byRepository(heads: readonly AwaitedHead[]): AwaitedHead[][] {
  const groups = new Map<string, AwaitedHead[]>();
  for (const head of heads) {
    const key = JSON.stringify([head.product_repo_url, head.repo_url]);
    groups.set(key, [...(groups.get(key) ?? []), head]);
  }
  return [...groups.values()];
}

async function checkIn(heads: readonly AwaitedHead[], context: MergeContext): Promise<void> {
  const [first] = heads;
  if (first === undefined) return;
  const { repo_url, product_repo_url } = first;
  const request = { product: { repo_url: product_repo_url }, repo_url };
  const isDue = context.checks.isDue(repo_url, heads);
  const repository = await openRepositoryOf(request, context.options, context.folder);
  if (isDue) await fetchAll(repository);
  const main = await mainOf(repository);
  if (!isDue && !context.checks.isNew(repo_url, heads, main)) return;
  const missed: AwaitedHead[] = [];
  for (const head of heads) {
    if (await isOnMain(repository.folder, main, head.head_sha)) await reportOnMain(head, context);
    else missed.push(head);
  }
  context.checks.note(repo_url, missed, main);
}

/** Reports that the main branch has a job's work. */
export async function reportOnMain(
  { job_id, head_sha, task_code }: Pick<AwaitedHead, "job_id" | "head_sha" | "task_code">,
  { service, journal }: Pick<MergeContext, "service" | "journal">,
): Promise<void> {
  try {
    await service.post(`/api/jobs/${job_id}/merged`, { head_sha }, mergedJobSchema);
    journal.say(`The main branch has the work of ${task_code}`);
  } catch (error) {
    // Work that has changed is checked again later.
    if (!(error instanceof Refusal)) throw error;
    journal.sayOnce(`That the main branch has ${task_code} was not taken: ${error.message}`);
  }
}

/** Pause before a remote is asked again: 30 seconds, doubling, up to 5 minutes. */
const firstPause = 30_000;
const longestPause = 300_000;

type MergeCheck = { missed: ReadonlySet<string>; main: string; pause: number; again: number };

/** Remembers what main branches lacked. An idle worker polls often, and this limits calls to remotes. */
interface MergeChecks {
  /** True if the remote should be asked: its pause is over, or a head is new. */
  isDue(address: string, heads: readonly AwaitedHead[]): boolean;
  /** True if there is something to look for at this commit of main. */
  isNew(address: string, heads: readonly AwaitedHead[], main: string): boolean;
  /** Notes heads that are not there. */
  note(address: string, missed: readonly AwaitedHead[], main: string): void;
  /** True the first time a person is to be told that this worker may not look there. */
  isFirstRefusal(address: string): boolean;
}

export function openMergeChecks(): MergeChecks {
  const checks = new Map<string, MergeCheck>();
  const refused = new Set<string>();
  const hasAll = (check: MergeCheck, heads: readonly AwaitedHead[]) =>
    heads.every((head) => check.missed.has(nameOf(head)));
  return {
    isDue(address, heads) {
      const check = checks.get(address);
      return check === undefined || !hasAll(check, heads) || performance.now() >= check.again;
    },
    isNew(address, heads, main) {
      const check = checks.get(address);
      return check === undefined || !hasAll(check, heads) || check.main !== main;
    },
    note(address, missed, main) {
      const earlier = checks.get(address);
      const isSame = earlier !== undefined && hasAll(earlier, missed);
      const pause = isSame ? Math.min(longestPause, earlier.pause * 2) : firstPause;
      const again = performance.now() + pause;
      checks.set(address, { missed: new Set(missed.map(nameOf)), main, pause, again });
    },
    isFirstRefusal(address) {
      const isFirst = !refused.has(address);
      refused.add(address);
      return isFirst;
    },
  };
}

function nameOf({ job_id, head_sha }: AwaitedHead): string {
  return `${job_id} ${head_sha}`;
}
