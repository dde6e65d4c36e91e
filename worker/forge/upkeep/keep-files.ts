import { nextUpkeepSchema, reportedUpkeepSchema, type Upkeep, type UpkeepReport } from "~/wire/upkeep/contract";
import { interruptible } from "../../base/interruption";
import { messageOf, PeoplesWords } from "../../base/problems";
import { sendable } from "../../base/sendable";
import { commitTexts, type TextFile } from "../../git/commit-texts";
import { gitEnd, isAncestor } from "../../git/git";
import { fetchAll, mainNameOf, moveForward, tipOf } from "../../git/remote";
import type { Repository } from "../../git/repository";
import { baseEnd, mainOf } from "../../git/worktree";
import { decorate, openOnce, type PullTools } from "../bring-pull";
import { type Forge, NoGitHost, type Pull } from "../forge";
import { whileDue } from "../leased";
import { openForge } from "../open-forge";
import { changesOf } from "./changes";

interface Keeping extends Pick<PullTools, "service" | "journal"> {
  productId: string;
  workerName: string;
  worktrees: string;
}

/** There is one row a kind of file. */
const mostInOneGo = 2;

/** Files of the repository that follow the backlog: by one open pull request each, or without a host on a branch. */
export function fileKeeping(keeping: Keeping) {
  return (open: () => Promise<PullTools>): Promise<void> =>
    whileDue(mostInOneGo, (own) => keepNext(keeping, open, own));
}

async function keepNext(keeping: Keeping, open: () => Promise<PullTools>, own: AbortSignal): Promise<boolean> {
  const { service, journal, productId, workerName } = keeping;
  const path = `/api/products/${productId}/upkeeps`;
  const { upkeep } = await service.post(path, { worker: workerName }, nextUpkeepSchema);
  if (upkeep === null) return false;
  const report = await interruptible(own, async () => bringFile(await open(), keeping, upkeep)).catch(
    (error: unknown): UpkeepReport => {
      if (own.aborted) throw error;
      return { state: "put_off", words: sendable(messageOf(error), 900) };
    },
  );
  const { id, lease, digest } = upkeep;
  await service.put(`/api/upkeeps/${id}`, { lease, digest, ...report }, reportedUpkeepSchema);
  journal.sayOnce(sentenceOf(upkeep, report));
  return true;
}

const titles = { agents_md: "Update the lessons in AGENTS.md", spec_boxes: "Tick the boxes of done tasks" } as const;

function sentenceOf({ kind, branch }: Upkeep, { state, url, words }: UpkeepReport): string {
  const ends = {
    open: `pull request ${url}`,
    merged: "the main branch has it",
    closed: "its pull request was closed without being merged",
    branch: `on branch ${branch}, as there is nowhere to open a pull request`,
    conflict: words,
    put_off: `tried again later: ${words}`,
  };
  return `${titles[kind]}: ${ends[state]}`;
}

async function bringFile(tools: PullTools, keeping: Keeping, upkeep: Upkeep): Promise<UpkeepReport> {
  const { repository, rules, options } = tools;
  await fetchAll(repository);
  const forge = await openForge(repository, rules, options).catch((error: unknown) => {
    if (error instanceof NoGitHost) return null;
    throw error;
  });
  const open = (await forge?.findOpen(upkeep.branch)) ?? null;
  const url = open === null ? {} : { url: open.url };
  try {
    const isThere = await bringBranch(tools, keeping.worktrees, upkeep, open);
    if (isThere !== null) return { ...url, ...isThere };
  } catch (error) {
    if (!(error instanceof PeoplesWords)) throw error;
    return { state: "conflict", words: sendable(error.message, 900), ...url };
  }
  if (forge === null) return { state: "branch" };
  const pull = open ?? (await openPull(tools, keeping, forge, upkeep));
  return { state: "open", url: pull.url };
}

/** Moves the branch to what the file should be. Returns a report if no pull request is to be opened. */
async function bringBranch(
  { repository }: PullTools,
  worktrees: string,
  upkeep: Upkeep,
  open: Pull | null,
): Promise<UpkeepReport | null> {
  const { branch, open_url } = upkeep;
  const { folder } = repository;
  const [main, tip] = [await mainOf(repository), await tipOf(repository, branch)];
  const changes = (tree: string) => changesOf(folder, tree, upkeep);
  const isOnMain = (await changes(main)).length === 0;
  // An open pull request of earlier content would bring that back.
  if (isOnMain && (open === null || tip === null || (await changes(tip)).length === 0)) {
    return { state: "merged" };
  }
  if (open === null && open_url !== null) return { state: "closed", url: open_url };
  const name = `${upkeep.id}-1`;
  const target = { repository, worktrees, name, branch, message: titles[upkeep.kind] };
  const head = await headWith(target, main, tip, changes);
  if (head !== tip) await moveForward(repository, branch, tip, head);
  return null;
}

async function openPull(
  tools: PullTools,
  { productId }: Keeping,
  forge: Forge,
  { kind, branch }: Upkeep,
): Promise<Pull> {
  const link = new URL(`/products/${productId}/lessons`, tools.options.url).href;
  const bodies = {
    agents_md: `The lessons that the team [accepted in Backloom](${link}), in the block of AGENTS.md between two comments. Nothing else changes.`,
    spec_boxes: `The boxes of tasks that [are done in Backloom](${link}). Nothing else changes.`,
  };
  const base = (await mainNameOf(tools.repository)) ?? (await forge.defaultBranch());
  const texts = { title: titles[kind], body: bodies[kind], isDraft: false };
  const pull = await openOnce(forge, { branch, base, ...texts });
  await decorate(tools, forge, pull);
  return pull;
}

type BranchTarget = { repository: Repository; worktrees: string; name: string; branch: string; message: string };

/** Main with the changes, on top of what the branch has: it only moves forward, and what people pushed stays. */
async function headWith(
  target: BranchTarget,
  main: string,
  tip: string | null,
  changes: (tree: string) => Promise<TextFile[]>,
): Promise<string> {
  const { repository, worktrees, message } = target;
  const { folder } = repository;
  const isNew = tip === null || (await isAncestor(folder, tip, main));
  const hasMain = !isNew && (await isAncestor(folder, main, tip));
  const parents = isNew ? [main] : hasMain ? [tip] : [tip, main];
  const tree = isNew ? main : hasMain ? tip : await mergedTree(target, main, tip);
  if (!isNew && (await changes(tip)).length === 0) return tip;
  const files = await changes(tree);
  const name = `${target.name}${baseEnd}`;
  return commitTexts({ repository, parent: worktrees, name, tree, files, parents, message });
}

async function mergedTree({ repository, branch }: BranchTarget, main: string, tip: string) {
  const args = ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", tip, main];
  const end = await gitEnd(repository.folder, ...args);
  const [tree = "", ...files] = end.output.split("\0").filter((part) => part !== "");
  if (end.code === 0) return tree;
  if (end.code !== 1) throw new Error(`git merge-tree failed: ${end.problem}`);
  throw new PeoplesWords(
    `Branch ${branch} does not merge with the main branch (${files.join(", ").slice(0, 300)}). Resolve it there, or close its pull request and delete the branch.`,
  );
}
