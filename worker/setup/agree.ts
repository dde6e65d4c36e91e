import { homedir } from "node:os";
import { join } from "node:path";
import type { WorkerOptions } from "../base/options";
import { messageOf } from "../base/problems";
import { askInTerminal, print } from "../base/terminal";
import type { WorkFolder } from "../base/work-folder";
import { sourceOf } from "../git/included";
import { openRepositoryOf } from "../git/repository";
import { readRulesOf } from "../git/rules";
import { mainOf } from "../git/worktree";
import { keepIn, keptIn } from "../sandbox/kept-permissions";
import { type FoundSetup, readSetup } from "./read-setup";

interface Asking {
  options: Pick<WorkerOptions, "workDir" | "trustsSetup">;
  /** Folder of the repository. */
  repository: string;
  /** True if commands run in a sandbox; a yes for that is none for the machine itself. */
  isConfined: boolean;
  /** Ends the question. Missing where no one may be asked. */
  signal?: AbortSignal;
}

/** Refused by the person while this worker runs. */
const refused = new Set<string>();

/** Whether the worker's person agrees to what files of other tools say: kept for each repository and content. */
async function isAgreed(agreement: FoundSetup["agreement"], asking: Asking): Promise<boolean> {
  if (agreement === null) return true;
  const { options, repository, isConfined, signal } = asking;
  const file = join(options.workDir, "allowed-setups.json");
  const hash = `${agreement.hash}${isConfined ? "" : " without a sandbox"}`;
  if ((await keptIn(file, repository)).includes(hash)) return true;
  const isYes = options.trustsSetup || (signal !== undefined && (await askPerson(agreement.text, hash, asking)));
  if (isYes) await keepIn(file, repository, hash);
  return isYes;
}

interface AtStart extends Pick<Asking, "isConfined"> {
  options: WorkerOptions;
  product: { id: string; repo_url: string };
  folder: WorkFolder;
  signal: AbortSignal;
}

/** The rules of a commit of the main branch, with what its other files set up as far as the person agrees. */
export async function readAgreed(folder: string, commit: string, asking: Asking) {
  const own = await readRulesOf(folder, commit);
  const found = await readSetup(folder, commit, own, await sourceOf(asking.repository));
  const isTaken = await isAgreed(found.agreement, asking);
  return { found, isTaken, rules: isTaken ? found.rules : found.withoutAgreement };
}

/** Asks before the first job, while the person who has started the worker is still there. */
export async function askAtStart({ options, product, folder, isConfined, signal }: AtStart): Promise<void> {
  const onlyChats = options.kinds?.every((kind) => kind === "PLAN_CHAT") ?? false;
  if (!process.stdin.isTTY || onlyChats) return;
  const repository = await openRepositoryOf({ product, repo_url: product.repo_url }, options, folder);
  const commit = await mainOf(repository);
  await readAgreed(repository.folder, commit, { options, repository: repository.folder, isConfined, signal });
}

async function askPerson(text: string, hash: string, { repository, isConfined, signal }: Asking): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stdout.isTTY || signal === undefined || refused.has(hash)) return false;
  const where = isConfined ? "in its sandbox" : "as you, without a sandbox";
  const place = repository.replace(homedir(), "~");
  const question = `The main branch of ${place} has set-up files of other tools. For each job, ${where}, the worker would take:\n${text}\nTake this, until it changes? [y/N] `;
  try {
    const isYes = /^\s*y(es)?\s*$/i.test(await askInTerminal(question, signal));
    if (!isYes) refused.add(hash);
    return isYes;
  } catch (error) {
    if (!signal.aborted) throw error;
    print(`\nNo answer: ${messageOf(signal.reason)}\n`);
    return false;
  }
}
