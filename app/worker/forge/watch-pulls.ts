import { setTimeout as wait } from "node:timers/promises";
import { ZodError } from "zod";
import { type ObservedPull, observedSchema } from "~/contract/pull";
import { openRepositoryOf } from "../git/repository";
import { readRulesOf } from "../git/rules";
import type { WorkFolder } from "../git/work-folder";
import { mainOf } from "../git/worktree";
import { isOwnBranch } from "../job/heard-claim";
import { interruptible } from "../job/interruption";
import type { WorkerOptions } from "../options";
import type { Journal } from "../service/journal";
import { messageOf } from "../service/problems";
import type { ServedProduct } from "../service/served-product";
import type { Service } from "../service/service";
import type { Forge, ListedPull } from "./forge";
import { openForge } from "./open-forge";

interface Watch {
  options: WorkerOptions;
  service: Service;
  journal: Journal;
  folder: WorkFolder;
  product: ServedProduct | null;
}

/** What was seen last, so that what stays as it is is not asked for, nor handed in, again. */
interface Known {
  version: string;
  headSha: string;
  isSettled: boolean;
  inspectedAt: number;
}

/** What moves without the pull request changing, such as whether it merges, is looked at again after this time. */
const restMilliseconds = 600_000;
/** Of very many only some are looked at in one go: the others come next. */
const mostInspected = 20;
const mostOfMany = 2;
const many = 50;

/**
 * Looks at the pull requests of the product that the worker serves, beside its work, and hands in what it sees: what follows is the
 * service's to decide. Ends when the worker is asked to end.
 */
export async function watchPulls(watch: Watch, stop: AbortSignal): Promise<void> {
  const { options, product, journal } = watch;
  if (!options.opensPulls || product === null) return;
  const known = new Map<number, Known>();
  while (!stop.aborted) {
    try {
      await interruptible(stop, () => lookOnce(watch, product, known));
    } catch (error) {
      if (stop.aborted) return;
      const words =
        error instanceof ZodError
          ? "the code host answered something else than expected"
          : messageOf(error);
      journal.sayOnce(`Pull requests cannot be looked at: ${words}`);
    }
    await wait(options.forgePollSeconds * 1_000, undefined, { signal: stop }).catch(
      () => undefined,
    );
  }
}

async function lookOnce(
  { options, service, folder }: Watch,
  product: ServedProduct,
  known: Map<number, Known>,
): Promise<void> {
  const wish = { product, repo_url: product.repo_url };
  const repository = await openRepositoryOf(wish, options, folder);
  const rules = await readRulesOf(repository.folder, await mainOf(repository));
  const forge = await openForge(repository, rules, options);
  const listed = (await forge.listRecent()).filter(({ branch }) => isOwnBranch(branch));
  const due = listed.filter((pull) => isDue(pull, known.get(pull.number))).sort(byAge(known));
  const pulls: { pull: ListedPull; seen: ObservedPull }[] = [];
  for (const pull of due.slice(0, listed.length > many ? mostOfMany : mostInspected)) {
    pulls.push({ pull, seen: await observe(forge, pull) });
  }
  if (pulls.length === 0) return;
  const body = { product_id: product.id, pulls: pulls.map(({ seen }) => seen) };
  const { again } = await service.put("/api/pulls/observed", body, observedSchema);
  for (const { pull, seen } of pulls) {
    const { isSettled, ...now } = knownOf(pull, seen);
    known.set(pull.number, { ...now, isSettled: isSettled && !again.includes(pull.number) });
  }
}

function isDue({ version, headSha, state }: ListedPull, before: Known | undefined): boolean {
  if (before === undefined || before.version !== version || before.headSha !== headSha) return true;
  if (state !== "open") return false;
  return !before.isSettled || performance.now() - before.inspectedAt > restMilliseconds;
}

function byAge(known: ReadonlyMap<number, Known>) {
  const age = ({ number }: ListedPull) => known.get(number)?.inspectedAt ?? 0;
  return (one: ListedPull, other: ListedPull) => age(one) - age(other);
}

/** Of one that is no longer open there is nothing more to be seen. */
async function observe(forge: Forge, pull: ListedPull): Promise<ObservedPull> {
  const { number, url, branch, headSha, state, isDraft } = pull;
  const observed_at = new Date().toISOString();
  const seen = { number, url, branch, head_sha: headSha, state, draft: isDraft, observed_at };
  return state === "open" ? { ...seen, ...(await forge.inspect(pull)) } : seen;
}

/** CI that has not ended, or not begun, is asked for each time. */
function knownOf({ version, headSha }: ListedPull, { state, ci, mergeable }: ObservedPull): Known {
  const isSettled = state !== "open" || (ci?.state === "passed" && mergeable === true);
  return { version, headSha, isSettled, inspectedAt: performance.now() };
}
