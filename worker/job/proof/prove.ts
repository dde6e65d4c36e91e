import { agentJobSchema } from "~/wire/agent-jobs/contract";
import { type ClaimedCriterion, excerptBytes, type ReportedEvidence, storyProofSchema } from "~/wire/proof/contract";
import { driverFor } from "../../agents/catalog";
import { personsVariables } from "../../base/environment";
import { Refusal } from "../../base/problems";
import { sendable, sendableEnd } from "../../base/sendable";
import { git } from "../../git/git";
import { noSandbox } from "../../sandbox/sandbox";
import type { Attempt, JobLocation, Workspace } from "../attempt";
import { type Outcome, runShown } from "../commands";
import { isAllowedAsProof } from "../open/permission";
import type { Assignment } from "../turn/assignment";
import { assignedAgent } from "../turn/assignment";
import type { CommandResult } from "../turn/result-file";
import { type Evidence, testOf } from "./inspect";
import { compareWithBase, type Observed } from "./prove-on-base";
import { uploadMade } from "./upload-made";

type Claim = NonNullable<CommandResult["evidence"]>[number];

/** Limits for proof: number of commands, minutes per command, minutes in total. */
const mostCommands = 30;
const commandMinutes = 10;
const allMinutes = 30;

interface Observation {
  exitCode: number | null;
  output: string;
  /** Start time in milliseconds. */
  begun: number;
}

/** Runs the commands the agent names as proof at the head of its work, and reports the evidence. */
export async function prove(
  attempt: Attempt,
  workspace: Workspace,
  { criteria, verifyOnly }: Pick<Assignment, "criteria" | "verifyOnly">,
  outcome: Outcome,
  evidence: Pick<Evidence, "headSha" | "details">,
): Promise<void> {
  const deadline = Date.now() + allMinutes * 60_000;
  const observed = await observe(attempt, workspace, criteria, outcome, evidence, deadline);
  await git(workspace.folder, "reset", "--quiet", "--hard", evidence.headSha);
  // A verify-only task changes nothing, so there is no earlier state.
  const lines = verifyOnly
    ? observed.map(({ line }) => line)
    : await compareWithBase(attempt, workspace, observed, { minutes: minutesOf(attempt), deadline });
  await handIn(attempt, lines);
}

/** Evidence for each criterion. Without a command that may run here, it stays the agent's claim. */
export async function observe(
  attempt: Attempt,
  workspace: Workspace,
  criteria: readonly ClaimedCriterion[],
  { result }: Outcome,
  evidence: Pick<Evidence, "headSha" | "details">,
  deadline = Date.now() + allMinutes * 60_000,
): Promise<Observed[]> {
  const run = observer(attempt, workspace, evidence, deadline);
  const observed: Observed[] = [];
  for (const criterion of criteria) {
    const claims = claimsOf(criterion, result, workspace.testCommand);
    for (const claim of claims) {
      const seen = claim.command === undefined ? undefined : await run(claim.command, claim.file !== undefined);
      const ran = seen && claim.command?.trim();
      const isAboutTheWork = !(claim.guards && criterion.kind === "definition_of_done");
      const line = lineOf(criterion, claim, seen, evidence.headSha);
      const file =
        seen?.exitCode === 0 && claim.file !== undefined
          ? await uploadMade(attempt, { folder: workspace.folder, path: claim.file, since: seen.begun, criterion })
          : undefined;
      const path = file && claim.file;
      observed.push({ line: { ...line, file }, ran, path, isAboutTheWork });
    }
  }
  return observed;
}

/**
 * The agent's claims about a criterion. A definition-of-done line about tests is proven by the worker's own test run.
 */
function claimsOf(
  { id, text, kind }: ClaimedCriterion,
  { evidence = [] }: CommandResult,
  testCommand: string | undefined,
): Claim[] {
  const claims = evidence.filter(({ criterion }) => criterion === id || criterion === text);
  const isOwnTest = ({ command }: Claim) => command !== undefined && command.trim() === testCommand?.trim();
  const isTest = kind === "definition_of_done" && /\btest(s|ed|ing)?\b/i.test(text);
  if (claims.length > 0 || !isTest || testCommand === undefined) {
    return claims.map((claim) => ({ ...claim, guards: claim.guards || isOwnTest(claim) }));
  }
  return [{ criterion: id, command: testCommand, guards: true }];
}

/** Runs each command once. The test command has run already; others need permission to run commands. */
function observer(
  attempt: Attempt,
  workspace: Workspace,
  { details }: Pick<Evidence, "details">,
  deadline: number,
): (command: string, isNew: boolean) => Promise<Observation | undefined> {
  const seen = new Map<string, Observation>();
  const test = testOf({ details });
  const { testCommand } = workspace;
  if (test !== undefined && testCommand !== undefined) {
    seen.set(testCommand.trim(), { exitCode: test.exit_code, output: test.output, begun: 0 });
  }
  let isAllowed: boolean | undefined;
  return async (given, isNew) => {
    const command = given.trim();
    const known = seen.get(command);
    const isOver = seen.size >= mostCommands || Date.now() > deadline;
    // A file counts only if it was made while the command ran, so the command runs again.
    if ((known !== undefined && !(isNew && known.begun === 0)) || isOver) return known;
    isAllowed ??= await mayRunCommands(attempt, workspace);
    if (!isAllowed && !(await isAllowedAsProof(attempt, command))) {
      attempt.journal.say(`Not run for proof: the agent needs permission for it: ${sendable(command, 200)}`);
      return undefined;
    }
    const begun = Date.now();
    const { exitCode, output } = await runShown(attempt, workspace, {
      kind: "test",
      title: `Proof: ${command}`,
      command,
      environment: { BACKLOOM_JOB_ID: attempt.job.id },
      timeoutMinutes: minutesOf(attempt),
    });
    const observation = { exitCode, output, begun };
    seen.set(command, observation);
    return observation;
  };
}

function minutesOf({ options }: Pick<Attempt, "options">): number {
  return Math.min(commandMinutes, options.timeoutMinutes);
}

/** In the sandbox yes; else with `--exec` or if the agent runs unasked. Not if it confines: they would escape it. */
async function mayRunCommands({ job, options: { work } }: Attempt, { rules, sandbox }: JobLocation): Promise<boolean> {
  if (sandbox !== noSandbox || "exec" in work) return true;
  const allowed = [work.allow, rules.allow ?? work.allow];
  if (allowed.includes("edit")) return false;
  if (!allowed.includes("commands")) return true;
  const { confinesCommands = false } = await driverFor(assignedAgent(job, work), rules.agent, personsVariables());
  return !confinesCommands;
}

function lineOf(
  { id, story_id }: ClaimedCriterion,
  claim: Claim,
  seen: Observation | undefined,
  head_sha: string,
): ReportedEvidence {
  const { verdict, kind, url, guards = false } = claim;
  const command = claim.command && sendable(claim.command.trim(), 2_000);
  const line = { criterion: id, story_id, head_sha };
  if (seen === undefined) {
    const claimed = claim.excerpt && withinBytes(sendable(claim.excerpt, excerptBytes));
    return { ...line, verdict, kind, url, command, excerpt: claimed };
  }
  // A stopped command has no exit code and counts as failed.
  const exit_code = seen.exitCode ?? -1;
  const excerpt = withinBytes(sendableEnd(seen.output, excerptBytes)) || undefined;
  const saw = exit_code === 0 ? ("pass" as const) : ("fail" as const);
  const done = { verdict: saw, command, exit_code, excerpt, guards };
  return { ...line, grade: "worker", kind: "command", ...done };
}

function withinBytes(text: string): string {
  let kept = text;
  while (new TextEncoder().encode(kept).length > excerptBytes) kept = kept.slice(-kept.length + 64);
  return kept;
}

/** Reports the evidence. If a criterion was edited, its evidence is dropped. */
async function handIn(attempt: Attempt, lines: ReportedEvidence[]): Promise<void> {
  if (lines.length === 0) return;
  const { job, service } = attempt;
  const send = (evidence: ReportedEvidence[]) =>
    service.call(
      "update_job_status",
      { job_id: job.id, attempt: job.attempt, status: "running", evidence },
      agentJobSchema,
    );
  try {
    await send(lines);
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 422) throw error;
    const current = await currentCriteria(attempt, lines);
    await send(lines.filter(({ criterion, story_id }) => current.has(`${story_id} ${criterion}`)));
  }
}

async function currentCriteria({ service }: Attempt, lines: readonly ReportedEvidence[]) {
  const current = new Set<string>();
  for (const id of new Set(lines.map(({ story_id }) => story_id))) {
    const { criteria } = await service.read(`/api/stories/${id}/evidence`, storyProofSchema);
    for (const criterion of criteria) current.add(`${id} ${criterion.id}`);
  }
  return current;
}
