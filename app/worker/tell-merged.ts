import type { AwaitedHead } from "~/contract/agent-job";
import { mergedJobSchema } from "~/contract/agent-job";
import { commitOf, git, gitEnd, gitPaths, isAncestor } from "./git";
import type { Journal } from "./journal";
import type { WorkerOptions } from "./options";
import { messageOf, Refusal } from "./problems";
import { fetchAll } from "./remote";
import { openRepositoryOf, type Repository } from "./repository";
import type { Service } from "./service";
import type { WorkFolder } from "./work-folder";
import { mainOf } from "./worktree";

/** How many of the newest changes of a file are looked at, each by a merge that is only tried. */
const mostLooks = 20;

interface Place {
  options: WorkerOptions;
  service: Service;
  journal: Journal;
  folder: WorkFolder;
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
  const repository = await openRepositoryOf(wish, place.options, place.folder);
  await fetchAll(repository);
  const main = await mainOf(repository);
  for (const head of heads)
    if (await holds(repository, main, head.head_sha)) await tell(head, place);
}

/**
 * As this commit, or as others with the same change: merging it into the main branch, or into where that stood after one of its
 * newest changes of the same file, brings nothing new.
 */
async function holds({ folder }: Repository, main: string, sha: string): Promise<boolean> {
  const commit = await commitOf(folder, sha);
  if (commit === null) return false;
  if (await isAncestor(folder, commit, main)) return true;
  const base = await git(folder, "merge-base", main, commit).catch(() => null);
  if (base === null) return false;
  const [path] = await gitPaths(folder, "diff", "--name-only", base, commit);
  if (path === undefined) return true;
  const newest = ["rev-list", "--first-parent", `--max-count=${mostLooks}`, `${base}..${main}`];
  const touched = (await git(folder, ...newest, "--", path)).split("\n");
  if (touched[0] === "") return false;
  for (const point of [main, ...touched]) if (await hasAll(folder, point, commit)) return true;
  return false;
}

async function hasAll(folder: string, point: string, commit: string): Promise<boolean> {
  const merged = await gitEnd(folder, "merge-tree", "--write-tree", point, commit);
  return merged.code === 0 && merged.output.trim() === (await treeOf(folder, point));
}

function treeOf(folder: string, commit: string): Promise<string> {
  return git(folder, "rev-parse", `${commit}^{tree}`);
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
