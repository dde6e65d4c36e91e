import type { AwaitedHead } from "~/contract/agent-job";
import { mergedJobSchema } from "~/contract/merged-job";
import type { WorkerOptions } from "../options";
import type { Journal } from "../service/journal";
import { messageOf, Refusal } from "../service/problems";
import type { Service } from "../service/service";
import { RepositoryNotAllowed } from "./allowed-repositories";
import type { MergeLooks } from "./merge-looks";
import { isOnMain } from "./on-main";
import { fetchAll } from "./remote";
import { openRepositoryOf } from "./repository";
import type { WorkFolder } from "./work-folder";
import { mainOf } from "./worktree";

interface Place {
  options: WorkerOptions;
  service: Service;
  journal: Journal;
  folder: WorkFolder;
  /** What was looked for before, in vain. */
  looks: MergeLooks;
}

/** Looks whether main branches have the commits that work waits for, and tells the service of those that they have. */
export async function tellMerged(heads: readonly AwaitedHead[], place: Place): Promise<void> {
  for (const group of byRepository(heads)) {
    try {
      await lookIn(group, place);
    } catch (error) {
      if (error instanceof RepositoryNotAllowed) {
        if (place.looks.isFirstRefusal(error.address)) place.journal.say(error.message);
        continue;
      }
      place.journal.sayOnce(
        `Whether the main branch has what others wait for cannot be seen: ${messageOf(error)}`,
      );
    }
  }
}

/** An address is the owner's word for one product and a member's for another: each pair is judged by itself. */
function byRepository(heads: readonly AwaitedHead[]): AwaitedHead[][] {
  const groups = new Map<string, AwaitedHead[]>();
  for (const head of heads) {
    const key = JSON.stringify([head.product_repo_url, head.repo_url]);
    groups.set(key, [...(groups.get(key) ?? []), head]);
  }
  return [...groups.values()];
}

async function lookIn(heads: readonly AwaitedHead[], place: Place): Promise<void> {
  const [first] = heads;
  if (first === undefined) return;
  const { repo_url, product_repo_url } = first;
  const wish = { product: { repo_url: product_repo_url }, repo_url };
  const isDue = place.looks.isDue(repo_url, heads);
  const repository = await openRepositoryOf(wish, place.options, place.folder);
  if (isDue) await fetchAll(repository);
  const main = await mainOf(repository);
  if (!isDue && !place.looks.isNew(repo_url, heads, main)) return;
  const missed: AwaitedHead[] = [];
  for (const head of heads) {
    if (await isOnMain(repository.folder, main, head.head_sha)) await tellOnMain(head, place);
    else missed.push(head);
  }
  place.looks.note(repo_url, missed, main);
}

/** Tells the service that the main branch has the work of a job. */
export async function tellOnMain(
  { job_id, head_sha, task_code }: Pick<AwaitedHead, "job_id" | "head_sha" | "task_code">,
  { service, journal }: Pick<Place, "service" | "journal">,
): Promise<void> {
  try {
    await service.post(`/api/jobs/${job_id}/merged`, { head_sha }, mergedJobSchema);
    journal.say(`The main branch has the work of ${task_code}`);
  } catch (error) {
    // Work that has changed meanwhile is looked for again as it is then.
    if (!(error instanceof Refusal)) throw error;
    journal.sayOnce(`That the main branch has ${task_code} was not taken: ${error.message}`);
  }
}
