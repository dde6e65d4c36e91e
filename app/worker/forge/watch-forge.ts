import { setTimeout as wait } from "node:timers/promises";
import { ZodError } from "zod";
import { interruptible } from "../base/interruption";
import { messageOf } from "../base/problems";
import type { WorkFolder } from "../base/work-folder";
import { openRepositoryOf } from "../git/repository";
import { readRulesOf } from "../git/rules";
import { mainOf } from "../git/worktree";
import type { ServedProduct } from "../service/served-product";
import type { PullTools } from "./bring-pull";
import { pullKeeping } from "./keep-pulls";
import { issueLook } from "./look-at-issues";
import { pullLook } from "./look-at-pulls";
import { openForge } from "./open-forge";
import { fileKeeping } from "./upkeep/keep-files";

interface Watch extends Pick<PullTools, "options" | "service" | "journal"> {
  folder: WorkFolder;
  product: ServedProduct | null;
}

/**
 * Polls pull requests and issues of the worker's product, in parallel to its jobs, and reports them; the service
 * decides what follows. Runs until the worker stops.
 */
export async function watchForge(watch: Watch, stop: AbortSignal): Promise<void> {
  const { options, service, product, journal } = watch;
  if (!options.opensPulls || product === null) return;
  const open = () => openToolsOf(watch, product);
  const openHost = async () => {
    const { repository, rules } = await open();
    return openForge(repository, rules, options);
  };
  const lookAtPulls = pullLook(watch, product.id);
  const keepPulls = pullKeeping(service, product.id);
  const { workerName, worktrees } = watch.folder;
  const place = { service, journal, productId: product.id, workerName };
  const lookAtIssues = issueLook(place);
  const keepFiles = fileKeeping({ ...place, worktrees });
  const looks = [
    { what: "Pull requests cannot be looked at", look: () => lookAtPulls(openHost) },
    { what: "Pull requests cannot be brought up to date", look: () => keepPulls(open) },
    { what: "Issues cannot be looked at", look: () => lookAtIssues(openHost) },
    { what: "Files cannot be brought up to date", look: () => keepFiles(open) },
  ];
  /** The last problem of each, which is said when it begins. */
  const said = new Map<string, string>();
  while (!stop.aborted) {
    for (const { what, look } of looks) {
      try {
        await interruptible(stop, look);
        said.delete(what);
      } catch (error) {
        if (stop.aborted) return;
        const words =
          error instanceof ZodError
            ? "the Git host answered something else than expected"
            : messageOf(error);
        const sentence = `${what}: ${words}`;
        if (said.get(what) !== sentence) journal.say(sentence);
        said.set(what, sentence);
      }
    }
    await wait(options.forgePollSeconds * 1_000, undefined, { signal: stop }).catch(
      () => undefined,
    );
  }
}

async function openToolsOf(watch: Watch, product: ServedProduct): Promise<PullTools> {
  const { options, folder, service, journal } = watch;
  const wish = { product, repo_url: product.repo_url };
  const repository = await openRepositoryOf(wish, options, folder);
  const rules = await readRulesOf(repository.folder, await mainOf(repository));
  return { options, service, journal, repository, rules };
}
