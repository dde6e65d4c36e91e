import { setTimeout as wait } from "node:timers/promises";
import { ZodError } from "zod";
import { pullTextsSchema } from "~/wire/pulls/contract";
import { interruptible } from "../base/interruption";
import type { WorkerOptions } from "../base/options";
import { messageOf } from "../base/problems";
import type { WorkFolder } from "../base/work-folder";
import { openRepositoryOf } from "../git/repository";
import { readRulesOf } from "../git/rules";
import { mainOf } from "../git/worktree";
import type { ServedProduct } from "../service/served-product";
import type { Service } from "../service/service";
import { bringPull, type PullTools } from "./bring-pull";
import { openForge } from "./open-forge";
import { openIssueSync } from "./sync-issues";
import { isOfOne, openPullSync } from "./sync-pulls";
import { fileKeeping } from "./upkeep/keep-files";

interface Watch extends Pick<PullTools, "options" | "service" | "journal"> {
  folder: WorkFolder;
  product: ServedProduct | null;
}

/** In parallel to the worker's jobs, until it stops; the service decides what follows. */
export async function watchForge(watch: Watch, stop: AbortSignal): Promise<void> {
  const { options, service, product, journal } = watch;
  if (!options.opensPulls || product === null) return;
  const open = () => openToolsOf(watch, product);
  const openHost = async () => {
    const { repository, rules } = await open();
    return openForge(repository, rules, options);
  };
  const syncPulls = openPullSync(watch, product.id);
  const keepPulls = pullKeeping(service, product.id);
  const { workerName, worktrees } = watch.folder;
  const tools = { service, journal, productId: product.id, workerName };
  const syncIssues = openIssueSync(tools);
  const keepFiles = fileKeeping({ ...tools, worktrees });
  const steps = [
    { what: "Pull requests cannot be looked at", run: () => syncPulls(openHost) },
    { what: "Pull requests cannot be brought up to date", run: () => keepPulls(open) },
    { what: "Issues cannot be looked at", run: () => syncIssues(openHost) },
    { what: "Files cannot be brought up to date", run: () => keepFiles(open) },
  ];
  /** The last problem of each, which is said when it begins. */
  const reported = new Map<string, string>();
  while (!stop.aborted) {
    for (const { what, run } of steps) {
      try {
        await interruptible(stop, run);
        reported.delete(what);
      } catch (error) {
        if (stop.aborted) return;
        const problem =
          error instanceof ZodError ? "the Git host answered something else than expected" : messageOf(error);
        const sentence = `${what}: ${problem}`;
        if (reported.get(what) !== sentence) journal.say(sentence);
        reported.set(what, sentence);
      }
    }
    await wait(options.forgePollSeconds * 1_000, undefined, { signal: stop }).catch(() => undefined);
  }
}

async function openToolsOf(watch: Watch, product: ServedProduct): Promise<PullTools> {
  const { options, folder, service, journal } = watch;
  const request = { product, repo_url: product.repo_url };
  const repository = await openRepositoryOf(request, options, folder);
  const rules = await readRulesOf(repository.folder, await mainOf(repository));
  return { options, service, journal, repository, rules };
}

/** What was last written for a branch, or when it is tried again. */
type Kept = { digest: string; failures: number; notBefore: number };

const mostBrought = 20;
const shortestPause = 60_000;
const longestPause = 1_800_000;

/** Opens those that could not be opened, and brings up to date those whose work was proven after its last push. */
function pullKeeping(service: PullTools["service"], productId: string) {
  const kept = new Map<string, Kept>();
  return async (open: () => Promise<PullTools>): Promise<void> => {
    const path = `/api/products/${productId}/pull-texts`;
    const { draft, branches } = await service.read(path, pullTextsSchema);
    const due = branches.filter(({ branch, digest }) => isDue(kept.get(branch), digest, performance.now()));
    if (due.length === 0) return;
    const tools = await open();
    for (const { digest, ...wanted } of due.slice(0, mostBrought)) {
      const failures = await bringPull(tools, { ...wanted, isDraftFirst: draft })
        .then(() => 0)
        .catch((error: unknown) => {
          if (!isOfOne(error)) throw error;
          tools.journal.sayOnce(`${wanted.branch} has no pull request: ${messageOf(error)}`);
          return (kept.get(wanted.branch)?.failures ?? 0) + 1;
        });
      const pause = Math.min(longestPause, shortestPause * 2 ** failures);
      kept.set(wanted.branch, { digest, failures, notBefore: performance.now() + pause });
    }
  };
}

function isDue(before: Kept | undefined, digest: string, now: number): boolean {
  if (before === undefined) return true;
  return before.failures === 0 ? before.digest !== digest : before.notBefore <= now;
}

/** What will happen with pull requests, for the worker's first lines; null without `--pr`. */
export async function describePulls(
  { opensPulls, pullRequestCommand }: WorkerOptions,
  product: ServedProduct | null,
  service: Service,
): Promise<string | null> {
  if (!opensPulls && pullRequestCommand === undefined) return null;
  if (product === null) return "Opens pull requests for the products whose settings ask for them.";
  const path = `/api/products/${product.id}/pull-texts`;
  const { wanted, draft } = await service.read(path, pullTextsSchema);
  if (wanted === false) {
    return `Opens no pull requests: ${product.code} is set to "Do not open pull requests". Its owner can change this under Settings, Git host.`;
  }
  return draft
    ? "Opens pull requests as drafts until every criterion is proven."
    : "Opens pull requests ready for review.";
}
