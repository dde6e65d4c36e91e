import { basename } from "node:path";
import { type JobOutput, jobOutputSchema } from "~/wire/agent-jobs/job-output";
import type { JobPayload } from "~/wire/workers/contract";
import { anyAgent, driverFor } from "../../agents/catalog";
import type { AgentEnd, AgentTurn, GivenAnswer, Usage } from "../../agents/driver";
import { runAgent } from "../../agents/run-agent";
import { personsVariables } from "../../base/environment";
import { type AgentOptions, type Allowance, allowances, secretsOf } from "../../base/options";
import { WorkerProblem } from "../../base/problems";
import type { Rules } from "../../git/rules";
import type { Attempt, JobLocation } from "../attempt";
import { logFileOf } from "../attempt";
import type { Outcome } from "../commands";
import { noteLimit } from "../open/offers";
import { openTurnNote, reportUsage } from "../report/usage";
import type { Assignment } from "./assignment";
import { assignedAgent } from "./assignment";
import type { ContextFiles } from "./context-files";
import { askable, type CommandResult, type ReadResult, readResult } from "./result-file";
import { type Conversation, openConversation } from "./sessions";

interface TurnLocation extends JobLocation {
  environment: Record<string, string>;
  /** Called when the agent says or does something. */
  isAlive: () => void;
}

/** What `requires_opus` asks of Claude Code; no other agent has it. */
const opus = "opus";

/** Runs one assignment with the worker's agent, resuming its earlier conversation about it if there is one. */
export async function runAgentTurn(
  attempt: Attempt,
  options: AgentOptions,
  assignment: Assignment,
  files: ContextFiles,
  location: TurnLocation,
): Promise<Outcome> {
  const { job, heartbeat, journal } = attempt;
  const agent = assignedAgent(job, options);
  const { driver, tool } = await findTool(attempt, location.rules, agent);
  // A verifier judges independently, so it does not resume the conversation in which the work was done.
  const task = job.phase === "verify" ? `verify ${job.attempt}` : (assignment.taskCode ?? "job");
  const about = { agent, task, folder: basename(location.folder) };
  const conversation = await openConversation(attempt, about);
  const used: Usage[] = [];
  const note = noteTurn(attempt, driver.name, files);
  const model = modelOf(job, options, assignment, driver.name);
  const reads = assignment.references?.map(({ folder }) => folder);
  const thinks = { model, effort: assignment.effort ?? undefined, reads };
  const turn = turnOf(attempt, options, thinks, files, location, conversation);
  let running = 0;
  try {
    const end = await runAgent(tool, turn, {
      entry: (entry) => {
        location.isAlive();
        attempt.output.add(entry);
        if (entry.status === undefined) return;
        running = Math.max(0, running + (entry.status === "running" ? 1 : -1));
        heartbeat.setBusy(running > 0);
      },
      usage: (usage) => used.push(usage),
      usageSoFar: (usages) => {
        attempt.tally.noteSoFar(usages);
        note.write(usages);
      },
      session: (id) => {
        conversation.begin(id);
        attempt.tally.sessionId = id;
        note.write();
      },
      sessionCost: conversation.noteCost,
    });
    if (end.kind === "done") location.isAlive();
    if (end.kind === "limit" && !end.isBudget) noteLimit(agent, end.resetsAt);
    if (end.kind === "limit" && end.isBudget) {
      // Reports the usage at once; the service then decides what becomes of the job.
      await reportUsage(attempt, used.splice(0));
      await heartbeat.confirm();
    }
    if (end.kind === "failed" && end.cause === "sign-in") throw new WorkerProblem(end.reason);
    // A broken conversation is not resumed by the next attempt.
    if (end.kind === "failed" && end.cause !== "killed") await conversation.forget();
    if (end.denied.length > 0) journal.say(`Not allowed: ${end.denied.join(", ")}`);
    return outcomeOf(end, await readResult(files.result, attempt), job.attempt);
  } finally {
    heartbeat.setBusy(false);
    await reportUsage(attempt, used);
    await note.forget();
  }
}

async function findTool({ journal }: Attempt, rules: Rules, agent: string) {
  const driver = await driverFor(agent, rules.agent, personsVariables());
  if (agent === anyAgent) journal.say(`Using ${driver.title}`);
  const tool = await driver.find(personsVariables());
  if (tool === null) throw new WorkerProblem(`${driver.title} is not installed: ${driver.install}`);
  return { driver, tool };
}

/** A record of this turn that the worker's next start reads if this one is killed. */
function noteTurn(attempt: Attempt, agent: string, { pid }: ContextFiles) {
  const { job, options, tally, journal } = attempt;
  const note = openTurnNote(pid, journal);
  const turn = {
    agent,
    job_id: job.id,
    attempt: job.attempt,
    subscription: options.subscription,
    since: new Date().toISOString(),
    after_seq: tally.soFar.after_seq,
  };
  let used: readonly Usage[] = [];
  return {
    write(usages = used): void {
      used = usages;
      note.note({ ...turn, session_id: tally.sessionId, so_far: [...used] });
    },
    forget: note.forget,
  };
}

function turnOf(
  attempt: Attempt,
  work: AgentOptions,
  thinks: Pick<AgentTurn, "model" | "effort" | "reads">,
  files: ContextFiles,
  { folder, rules, sandbox, environment }: TurnLocation,
  { sessionId, cost }: Conversation,
): AgentTurn {
  const { job, options, heartbeat } = attempt;
  return {
    folder,
    promptFile: files.prompt,
    environment: sandbox.environment({ ...sandbox.variables(), ...environment }),
    confine: sandbox.confine,
    allow: narrower(work.allow, rules.allow),
    ...thinks,
    mostCost: mostCostOf(attempt),
    resume:
      sessionId === undefined
        ? undefined
        : { sessionId, promptFile: files.continuation, cost, recall: () => earlierConversation(attempt) },
    answers: answersFor(job),
    messages: job.phase === "verify" ? undefined : attempt.messages,
    signal: heartbeat.signal,
    silenceSeconds: work.silenceMinutes * 60,
    secrets: secretsOf(options),
    pidFile: files.pid,
    logFile: logFileOf(attempt),
  };
}

/** `--model` is of the first agent: with `auto`, it can be another than the service chose its model for. */
function modelOf(
  job: JobPayload,
  options: AgentOptions,
  { model, requiresOpus }: Assignment,
  agent: string,
): string | undefined {
  const named = requiresOpus && model === opus ? null : model;
  if (named !== null) return named;
  if (requiresOpus && agent === "claude") return opus;
  return assignedAgent(job, options) === options.agents[0] ? options.model : undefined;
}

/** People's answers. A permission counts only if the worker's user gave it. */
function answersFor({ questions, user_id }: JobPayload): GivenAnswer[] {
  return questions.flatMap(({ kind, question, answered_by, effective_answer }) => {
    const isGiven = kind === "question" || (user_id !== undefined && answered_by === user_id);
    return effective_answer !== null && isGiven ? { kind, question, answer: effective_answer } : [];
  });
}

/** A subscription has no cost per turn, so no limit either. */
function mostCostOf({ job, options }: Pick<Attempt, "job" | "options">): number | undefined {
  const left = job.budget_left?.find(({ unit }) => unit === "USD")?.amount;
  return options.subscription || left === undefined || left <= 0 ? undefined : left;
}

/** A repository may narrow the worker's allowance, never widen it. */
function narrower(given: Allowance, requested: Allowance | undefined): Allowance {
  if (requested === undefined) return given;
  return allowances.indexOf(requested) < allowances.indexOf(given) ? requested : given;
}

/** The form that commands have. Token counts in the result file are ignored: a model does not know its usage. */
export function outcomeOf(end: AgentEnd, read: ReadResult, attempt: number): Outcome {
  const { result, ...slips } = read;
  const summary = result.summary ?? (end.words || undefined);
  const { verify_result, failure_class, failure_reason, resets_at, question } = result;
  const { evidence, guide, lessons, follow_ups, implementation_plan } = result;
  const work: CommandResult = { implementation_plan, evidence, guide, lessons, follow_ups };
  const reported: CommandResult = { summary, verify_result, ...work };
  const command = { exitCode: 0, output: end.words, answer: end.words, timedOut: false };
  const outcome = (result: CommandResult): Outcome => ({
    end: command,
    result: { ...reported, ...result },
    denied: end.denied,
    ...slips,
  });
  if (end.kind === "question") return outcome({ question: askable(end.question) });
  if (end.kind === "limit") {
    return outcome({ failure_class: "rate_limited", failure_reason: end.reason, resets_at: end.resetsAt ?? undefined });
  }
  if (end.kind === "failed" && end.cause === "killed" && attempt <= mostKilled) {
    return { ...outcome({}), waits: end.reason };
  }
  if (end.kind === "failed") {
    return outcome({ failure_class: "agent_error", failure_reason: end.reason });
  }
  return outcome({ failure_class, failure_reason, resets_at, question });
}

/** A killed tool is retried, as it is not the work's fault, for this many attempts. */
export const mostKilled = 3;

/** How much of an earlier attempt goes into a prompt. */
const mostEntries = 500;
const mostLetters = 8_000;

/** The end of what the agent said and did in the last attempt that has output, from the service. */
async function earlierConversation({ job, service }: Pick<Attempt, "job" | "service">): Promise<string> {
  for (let attempt = job.attempt - 1; attempt > 0; attempt -= 1) {
    const read = (query: string): Promise<JobOutput> =>
      service.read(`/api/jobs/${job.id}/output?attempt=${attempt}&${query}`, jobOutputSchema, { retry: false });
    const { last_seq } = await read("limit=1");
    if (last_seq === 0) continue;
    const { entries } = await read(`after=${Math.max(0, last_seq - mostEntries)}&limit=${mostEntries}`);
    const conversation = entries.map(textOf).join("").trim();
    if (conversation !== "") return conversation.slice(-mostLetters);
  }
  return "";
}

/** An entry's text; for a finished call, its title and status. */
function textOf({ kind, text, title, status }: JobOutput["entries"][number]): string {
  if (kind === "text") return text;
  const isCall = kind === "command" || kind === "edit" || kind === "tool";
  return isCall && status !== "running" ? `\n[${status ?? "done"}: ${title ?? kind}]\n` : "";
}
