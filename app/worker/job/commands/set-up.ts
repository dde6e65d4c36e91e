import { copyAlong } from "../../git/rules";
import type { Worktree } from "../../git/worktree";
import type { Attempt } from "../attempt";
import { runShown } from "./shown-command";

/** Sets up a fresh worktree by the repository's rules. */
export async function setUp(
  attempt: Attempt,
  worktree: Pick<Worktree, "folder" | "repository">,
): Promise<void> {
  const { rules, journal, job } = attempt;
  await copyAlong(worktree, rules);
  if (rules.setup === undefined) return;
  journal.say("Setting up the worktree");
  const end = await runShown(attempt, {
    kind: "command",
    title: `Setup: ${rules.setup}`,
    command: rules.setup,
    folder: worktree.folder,
    environment: { BACKLOOM_JOB_ID: job.id },
  });
  if (end.exitCode === 0) return;
  throw new Error(
    `The setup of .backloom.yml ended with ${end.exitCode}.\n${end.output.slice(-3_000)}`,
  );
}
