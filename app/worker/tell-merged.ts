import type { AwaitedHead } from "~/contract/agent-job";
import { mergedJobSchema } from "~/contract/merged-job";
import type { Journal } from "./journal";
import type { MergeLooks } from "./merge-looks";
import { isOnMain } from "./on-main";
import type { WorkerOptions } from "./options";
import { messageOf, Refusal } from "./problems";
import { fetchAll } from "./remote";
import { openRepositoryOf } from "./repository";
import type { Service } from "./service";
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
  for (const address of new Set(heads.map(({ repo_url }) => repo_url))) {
    try {
      await lookIn(
        heads.filter(({ repo_url }) => repo_url === address),
        place,
      );
    } catch (error) {
      place.journal.sayOnce(
        `Whether the main branch has what others wait for cannot be seen: ${messageOf(error)}`,
      );
    }
  }
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
    if (await isOnMain(repository.folder, main, head.head_sha)) await tell(head, place);
    else missed.push(head);
  }
  place.looks.note(repo_url, missed, main);
}

async function tell({ job_id, head_sha, task_code }: AwaitedHead, { service, journal }: Place) {
  try {
    await service.post(`/api/jobs/${job_id}/merged`, { head_sha }, mergedJobSchema);
    journal.say(`The main branch has the work of ${task_code}`);
  } catch (error) {
    // Work that has changed meanwhile is looked for again as it is then.
    if (!(error instanceof Refusal)) throw error;
    journal.sayOnce(`That the main branch has ${task_code} was not taken: ${error.message}`);
  }
}
