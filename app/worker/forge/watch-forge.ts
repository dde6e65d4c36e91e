import { setTimeout as wait } from "node:timers/promises";
import { ZodError } from "zod";
import { openRepositoryOf } from "../git/repository";
import { readRulesOf } from "../git/rules";
import type { WorkFolder } from "../git/work-folder";
import { mainOf } from "../git/worktree";
import { interruptible } from "../job/interruption";
import type { WorkerOptions } from "../options";
import type { Journal } from "../service/journal";
import { messageOf } from "../service/problems";
import type { ServedProduct } from "../service/served-product";
import type { Service } from "../service/service";
import type { Forge } from "./forge";
import { issueLook } from "./look-at-issues";
import { pullLook } from "./look-at-pulls";
import { openForge } from "./open-forge";

interface Watch {
  options: WorkerOptions;
  service: Service;
  journal: Journal;
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
  const looks = [
    { what: "Pull requests", look: pullLook(service, product.id) },
    {
      what: "Issues",
      look: issueLook({
        service,
        journal,
        productId: product.id,
        workerName: watch.folder.workerName,
      }),
    },
  ];
  /** The last problem of each, which is said when it begins. */
  const said = new Map<string, string>();
  while (!stop.aborted) {
    for (const { what, look } of looks) {
      try {
        await interruptible(stop, () => look(() => openForgeOf(watch, product)));
        said.delete(what);
      } catch (error) {
        if (stop.aborted) return;
        const words =
          error instanceof ZodError
            ? "the code host answered something else than expected"
            : messageOf(error);
        const sentence = `${what} cannot be looked at: ${words}`;
        if (said.get(what) !== sentence) journal.say(sentence);
        said.set(what, sentence);
      }
    }
    await wait(options.forgePollSeconds * 1_000, undefined, { signal: stop }).catch(
      () => undefined,
    );
  }
}

async function openForgeOf({ options, folder }: Watch, product: ServedProduct): Promise<Forge> {
  const wish = { product, repo_url: product.repo_url };
  const repository = await openRepositoryOf(wish, options, folder);
  const rules = await readRulesOf(repository.folder, await mainOf(repository));
  return openForge(repository, rules, options);
}
