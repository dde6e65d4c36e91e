import { type LandingReport, landingSchema, type NextLanding } from "~/wire/landings/contract";
import { uninterrupted } from "../base/interruption";
import { messageOf } from "../base/problems";
import { ForgeProblem } from "../forge/forge";
import { openForge } from "../forge/open-forge";
import { committer, git, gitEnd, isAncestor } from "../git/git";
import { clashWith } from "../git/merge-tree";
import { isOnMain } from "../git/on-main";
import { fetchAll, mainNameOf, tipOf, worktreeOfBranch } from "../git/remote";
import { openRepositoryOf, type Repository } from "../git/repository";
import type { Rules } from "../git/rules";
import { addTreeAt, baseEnd, mainOf } from "../git/worktree";
import type { ServedProduct } from "../service/served-product";
import { readAgreed } from "../setup/agree";
import { type LandingContext, type LandingTools, runTests } from "./run-tests";

/** How often the main branch may move while a branch is tested. */
const mostTries = 5;

/** Tests the merge of both and moves main to it. Starts over if the main branch has moved. */
export async function landOne(
  tools: LandingTools,
  product: ServedProduct,
  landing: NextLanding,
  signal: AbortSignal,
): Promise<LandingReport> {
  const request = { product, repo_url: landing.repo_url };
  const repository = await openRepositoryOf(request, tools.options, tools.folder);
  for (let attempt = 0; attempt < mostTries; attempt += 1) {
    await fetchAll(repository);
    const main = await mainOf(repository);
    const tip = await tipOf(repository, landing.branch);
    if (tip === null) return { state: "refused", words: "The branch is not there any more." };
    // A pull request whose changes are already on the main branch is merged anyway, so that it does not stay open.
    const { folder } = repository;
    const isThere = landing.pull === null ? isOnMain(folder, main, tip) : isAncestor(folder, tip, main);
    if (await isThere) return { state: "landed", head_sha: tip };
    if (tip !== landing.ours_sha && tip !== landing.head_sha) {
      return { state: "refused", words: `Someone has pushed ${tip.slice(0, 8)} to it.` };
    }
    const name = `${landing.id}-1${baseEnd}`;
    const parent = tools.folder.worktrees;
    const tree = await addTreeAt({ repository, parent, name, commit: tip });
    try {
      const report = await landTree({ ...tools, product, landing, repository, main, tip, signal }, tree);
      if (report !== "main_moved") return report;
    } finally {
      await uninterrupted(tree.remove);
    }
  }
  return { state: "put_off", words: "The main branch moves on faster than the tests run." };
}

interface LandingCheckout extends LandingContext {
  tip: string;
}

async function landTree(
  context: LandingCheckout,
  { folder }: { folder: string },
): Promise<LandingReport | "main_moved"> {
  const { landing, main, journal, service } = context;
  const files = await clashWith(folder, main, journal);
  if (files.length > 0) return { state: "conflict", words: bothVersions(files) };
  await mergeBoth(context, folder);
  const head = await git(folder, "rev-parse", "HEAD");
  const { options, repository, sandboxes } = context;
  const isConfined = sandboxes.confinement !== "none";
  const { rules } = await readAgreed(folder, main, { options, repository: repository.folder, isConfined });
  const verdict = await judge(context, folder, head, rules);
  if (verdict !== null) return verdict;
  // Renews the lease before anything moves: a worker that has lost it must not move anything.
  const report = { lease: landing.lease, state: "working", head_sha: head };
  await service.put(`/api/landings/${landing.id}`, report, landingSchema);
  await fetchAll(context.repository);
  if ((await mainOf(context.repository)) !== main) return "main_moved";
  return landing.pull === null ? pushToMain(context, head) : mergePull(context, head, rules);
}

/** Main is merged into a pull request's branch; else it is first parent: each commit main was at has been tested. */
async function mergeBoth({ landing, main, tip }: LandingCheckout, folder: string): Promise<void> {
  const merge = [...committer, "merge", "--quiet", "--no-ff", "-m"];
  if (landing.pull === null) {
    await git(folder, "checkout", "--quiet", "--detach", main);
    await git(folder, ...merge, `Merge ${landing.branch}`, tip);
  } else if (!(await isAncestor(folder, main, "HEAD"))) {
    await git(folder, ...merge, `Merge the main branch into ${landing.branch}`, main);
  }
}

/** Returns null if this commit may land, otherwise why not, or that CI must run first. */
async function judge(
  context: LandingCheckout,
  folder: string,
  head: string,
  rules: Rules,
): Promise<LandingReport | null> {
  const { landing, options } = context;
  const seen = await readCi(context, rules);
  if (seen?.headSha === head && seen.ci === "passed") return null;
  const command = options.testCommand ?? rules.test;
  const hasCi = seen !== null && (seen.ci !== "none" || landing.pull?.expects_ci === true);
  if (command === undefined && !hasCi) {
    const words =
      "Nothing tests it: start the worker with --test, write a test command into .backloom.yml, or set up CI.";
    return { state: "untested", words };
  }
  if (command !== undefined) {
    const problem = await runTests(context, { folder, command, rules });
    if (problem !== null) return { state: "test_failed", words: problem };
  }
  if (!hasCi) return null;
  await pushBranch(context, head);
  return { state: "waiting_ci", head_sha: head };
}

/** CI as this worker sees it: what the service was told by others lets nothing through untested. */
async function readCi({ repository, landing, options }: LandingCheckout, rules: Rules) {
  if (landing.pull === null) return null;
  const forge = await openForge(repository, rules, options);
  const pull = await forge.readListed(landing.pull.number);
  if (pull?.branch !== landing.branch) throw new ForgeProblem("its pull request is not there");
  const { ci } = await forge.inspect(pull);
  return { headSha: pull.headSha, ci: ci.state };
}

/** Pushes the merged state to the branch, so that CI and the pull request cover what will be on the main branch. */
async function pushBranch(context: LandingCheckout, head: string): Promise<void> {
  const { repository, landing, tip, service } = context;
  if (head === tip || repository.remote === null) return;
  const report = { lease: landing.lease, state: "working", head_sha: head };
  await service.put(`/api/landings/${landing.id}`, report, landingSchema);
  const ref = `refs/heads/${landing.branch}`;
  const lease = `--force-with-lease=${ref}:${tip}`;
  await git(repository.folder, "push", "--quiet", lease, repository.remote, `${head}:${ref}`);
}

async function mergePull(context: LandingCheckout, head: string, rules: Rules): Promise<LandingReport | "main_moved"> {
  const { repository, landing, options, journal } = context;
  const { pull } = landing;
  if (pull === null || repository.remote === null) return pushToMain(context, head);
  await pushBranch(context, head);
  const forge = await openForge(repository, rules, options);
  try {
    await forge.merge(pull.number, head);
  } catch (error) {
    if (!(error instanceof ForgeProblem)) throw error;
    // The merge may have succeeded although the request failed.
    await fetchAll(repository);
    if (await isOnMain(repository.folder, await mainOf(repository), head)) {
      return { state: "landed", head_sha: head };
    }
    return { state: "put_off", words: error.message };
  }
  await fetchAll(repository);
  const main = await mainOf(repository);
  if ((await treeOf(repository, main)) !== (await treeOf(repository, head))) {
    journal.say(
      `Someone pushed to the main branch while ${landing.branch} was merged: ${main.slice(0, 8)} was not tested in this state`,
    );
  }
  return { state: "landed", head_sha: head };
}

function treeOf({ folder }: Repository, commit: string): Promise<string> {
  return git(folder, "rev-parse", `${commit}^{tree}`);
}

async function pushToMain(context: LandingCheckout, head: string): Promise<LandingReport | "main_moved"> {
  const { repository, main } = context;
  const { folder, base: remote } = repository;
  const name = await mainNameOf(repository);
  if (name === null) return { state: "refused", words: "The main branch is unknown." };
  const moves = `${head}:refs/heads/${name}`;
  const checkedOut = remote === null ? await worktreeOfBranch(folder, name) : null;
  const end =
    checkedOut === null
      ? await gitEnd(folder, remote === null ? "fetch" : "push", "--quiet", remote ?? ".", moves)
      : await gitEnd(checkedOut, "merge", "--quiet", "--ff-only", head);
  if (end.code === 0) return { state: "landed", head_sha: head };
  await fetchAll(repository);
  if ((await mainOf(repository)) !== main) return "main_moved";
  return { state: "put_off", words: messageOf(end.problem) };
}

function bothVersions(files: Awaited<ReturnType<typeof clashWith>>): string {
  const texts = files.map(({ path, ours, theirs }) =>
    [
      `File ${path}`,
      ...(ours ? [`In this work:\n${ours.trimEnd()}`] : []),
      ...(theirs ? [`On the main branch:\n${theirs.trimEnd()}`] : []),
    ].join("\n"),
  );
  return texts.join("\n\n");
}
