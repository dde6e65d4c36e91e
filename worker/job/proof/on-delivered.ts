import { uninterrupted } from "../../base/interruption";
import { messageOf } from "../../base/problems";
import { git } from "../../git/git";
import { withoutExtras } from "../../git/set-aside";
import { addTreeAt, baseEnd } from "../../git/worktree";
import type { Attempt, Failure, Workspace } from "../attempt";
import { setUp } from "../commands";
import { deniedFailure } from "../turn/execute";
import { gatherEvidence, type Inspection, type InspectionOptions, inspect } from "./inspect";
import { prove } from "./prove";

interface Examination extends Inspection {
  /** Why the work failed although its agent ended well. */
  denied: Failure | undefined;
}

/** A clean checkout. If no rule sets it up, only the agent installed what tests need: its worktree without extras. */
export async function examineDelivered(
  attempt: Attempt,
  workspace: Workspace,
  options: InspectionOptions,
): Promise<Examination> {
  const { folder, checkout } = workspace;
  if (!runsSomething(workspace, options)) return examineIn(attempt, workspace, options, undefined);
  const commit = await git(folder, "rev-parse", "HEAD");
  const examination = await examineAt(attempt, workspace, options, commit);
  // A test may have committed something, or moved the branch.
  if ((await git(folder, "rev-parse", "HEAD")) !== commit) {
    await git(folder, "checkout", "--quiet", "--force", "-B", checkout, commit);
  }
  return examination;
}

async function examineAt(
  attempt: Attempt,
  workspace: Workspace,
  options: InspectionOptions,
  commit: string,
): Promise<Examination> {
  const { folder, main, rules } = workspace;
  const examine = (location: Workspace, checkout: Checkout) => examineIn(attempt, location, options, checkout);
  if (attempt.options.provesInPlace) return examine(workspace, "in_place");
  if (rules.setup === undefined) {
    return withoutExtras(folder, main, () => examine(workspace, "worktree"));
  }
  return onCleanCheckout(attempt, workspace, { ...options, commit }, (location) => examine(location, "clean"));
}

type Checkout = "clean" | "worktree" | "in_place";

function runsSomething({ testCommand }: Workspace, { outcome }: InspectionOptions): boolean {
  const { evidence = [] } = outcome.result;
  return testCommand !== undefined || evidence.some(({ command }) => command !== undefined);
}

async function onCleanCheckout(
  attempt: Attempt,
  workspace: Workspace,
  { commit, ...options }: InspectionOptions & { commit: string },
  work: (location: Workspace) => Promise<Examination>,
): Promise<Examination> {
  const { job, folder, heartbeat, journal } = attempt;
  const { repository } = workspace;
  const name = `${job.id}-${job.attempt}.head${baseEnd}`;
  const tree = await addTreeAt({ repository, parent: folder.worktrees, name, commit });
  const location = { ...workspace, folder: tree.folder };
  try {
    const problem = await setUp(attempt, location).then(
      () => null,
      (error: unknown) => messageOf(error),
    );
    heartbeat.signal.throwIfAborted();
    if (problem === null) return await work(location);
    journal.say("The setup failed on a clean checkout of the work");
    const failure_reason = `On a clean checkout of ${commit.slice(0, 8)}: ${problem}`.slice(0, 4_000);
    const evidence = await gatherEvidence(workspace, options.since, commit, options.outcome.result, undefined);
    return {
      evidence: { ...evidence, verifyResult: "DIVERGENT" },
      isSeen: true,
      denied: undefined,
      failure: { failure_class: "verification_failed", failure_reason },
    };
  } finally {
    await uninterrupted(tree.remove);
  }
}

async function examineIn(
  attempt: Attempt,
  location: Workspace,
  options: InspectionOptions,
  checkout: Checkout | undefined,
): Promise<Examination> {
  const { assignment, outcome } = options;
  const inspection = await inspect(attempt, location, options);
  const { evidence, failure } = inspection;
  if (checkout !== undefined) evidence.details.checkout = checkout;
  const denied = deniedFailure(outcome, evidence, assignment.verifyOnly);
  if (denied === undefined && failure === undefined) {
    await prove(attempt, location, assignment, outcome, evidence);
  }
  return { ...inspection, denied };
}
