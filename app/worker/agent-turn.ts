import { basename } from "node:path";
import { anyAgent, driverFor } from "./agents/catalog";
import {
  type AgentEnd,
  type AgentSink,
  type AgentTurn,
  type Allowance,
  allowances,
  type Usage,
} from "./agents/driver";
import { runAgent } from "./agents/run-agent";
import type { Assignment } from "./assignment";
import type { Attempt, Outcome } from "./attempt";
import type { ContextFiles } from "./context-files";
import { personsVariables } from "./environment";
import { logFileOf } from "./log-file";
import { type AgentWish, secretsOf } from "./options";
import { messageOf, WorkerProblem } from "./problems";
import { askable, type CommandResult, readResult } from "./result-file";
import { keepConversations, knownConversations } from "./sessions";
import { noteUsageSoFar, tellUsage } from "./tell-usage";
import { openTurnNote } from "./unsaid-usage";

/** Lets the agent of this worker do one assignment, in the conversation that it began for it before. */
export async function runAgentTurn(
  attempt: Attempt,
  wish: AgentWish,
  assignment: Assignment,
  files: ContextFiles,
  place: { folder: string; environment: Record<string, string> },
): Promise<Outcome> {
  const { job, heartbeat, folder: home, journal } = attempt;
  const driver = await driverFor(wish.agent, attempt.rules.agent, personsVariables());
  if (wish.agent === anyAgent) journal.say(`${driver.title} does it`);
  const tool = await driver.find(personsVariables());
  if (tool === null) throw new WorkerProblem(`${driver.title} is not installed: ${driver.install}`);
  // A verifier forms a view of its own: it does not go on with the conversation in which the work was done.
  const task = job.phase === "verify" ? `verify ${job.attempt}` : (assignment.taskCode ?? "job");
  const conversations = (await knownConversations(home.sessions, job.id, attempt.options)) ?? {
    agent: wish.agent,
    folder: basename(place.folder),
    sessions: {},
    costs: {},
  };
  const known = conversations.sessions[task];
  let kept = Promise.resolve();
  /** One after the other, so that the last one written is the last one known. */
  const remember = (): Promise<void> => {
    kept = kept
      .catch(() => undefined)
      .then(() => keepConversations(home.sessions, job.id, conversations));
    return kept;
  };
  /** Kept at once: whoever comes after a kill finds it. */
  const keep = (): void => {
    remember().catch((error: unknown) => journal.say(messageOf(error)));
  };
  const used: Usage[] = [];
  const noted = {
    ...{ agent: driver.name, job_id: job.id, attempt: job.attempt },
    ...{ since: new Date().toISOString(), after_seq: attempt.soFar.after_seq },
    subscription: attempt.options.subscription,
  };
  const turnNote = openTurnNote(files.pid, journal);
  let soFar: readonly Usage[] = [];
  const noteTurn = (): void =>
    turnNote.note({ ...noted, session_id: attempt.sessionId, so_far: [...soFar] });
  const turn: AgentTurn = {
    folder: place.folder,
    promptFile: files.prompt,
    environment: { ...personsVariables(), ...place.environment },
    allow: narrower(wish.allow, attempt.rules.allow),
    model: wish.model,
    mostCost: mostCostOf(attempt),
    resume:
      known === undefined
        ? undefined
        : {
            sessionId: known,
            promptFile: files.continuation,
            cost: conversations.costs[task],
          },
    answers: job.questions.flatMap(({ question, effective_answer }) =>
      effective_answer === null ? [] : { question, answer: effective_answer },
    ),
    signal: heartbeat.signal,
    silenceSeconds: wish.silenceMinutes * 60,
    secrets: secretsOf(attempt.options),
    pidFile: files.pid,
    logFile: logFileOf(attempt),
  };
  const sink: AgentSink = {
    entry: (entry) => attempt.output.add(entry),
    usage: (usage) => used.push(usage),
    usageSoFar: (usages) => {
      noteUsageSoFar(attempt, usages);
      soFar = usages;
      noteTurn();
    },
    session: (id) => {
      if (id !== known) delete conversations.costs[task];
      conversations.sessions[task] = id;
      attempt.sessionId = id;
      keep();
      noteTurn();
    },
    sessionCost: (cost) => {
      conversations.costs[task] = cost;
      keep();
    },
  };
  try {
    const end = await runAgent(tool, turn, sink);
    if (end.kind === "limit" && end.isBudget) {
      // The service knows at once what was used, and says what becomes of the job.
      await tellUsage(attempt, used.splice(0));
      await heartbeat.confirm();
    }
    if (end.kind === "failed" && end.cause === "sign-in") throw new WorkerProblem(end.reason);
    // Whoever begins anew does not go on with a conversation that broke.
    if (end.kind === "failed" && end.cause !== "killed") {
      delete conversations.sessions[task];
      delete conversations.costs[task];
      await remember();
    }
    if (end.denied.length > 0) journal.say(`Not allowed: ${end.denied.join(", ")}`);
    return outcomeOf(end, await readResult(files.result, attempt.clean), job.attempt);
  } finally {
    await tellUsage(attempt, used);
    await turnNote.forget();
  }
}

/** What a subscription pays costs nothing. */
function mostCostOf({ job, options }: Attempt): number | undefined {
  const left = job.budget_left?.find(({ unit }) => unit === "USD")?.amount;
  return options.subscription || left === undefined || left <= 0 ? undefined : left;
}

/** A repository may ask for less than the worker allows, never for more. */
function narrower(given: Allowance, asked: Allowance | undefined): Allowance {
  if (asked === undefined) return given;
  return allowances.indexOf(asked) < allowances.indexOf(given) ? asked : given;
}

/** How an agent's turn ended, as the rest of the worker knows it from commands. A model does not know what it took itself. */
export function outcomeOf(end: AgentEnd, told: CommandResult, attempt: number): Outcome {
  const summary = told.summary ?? (end.words || undefined);
  const { verify_result, failure_class, failure_reason, resets_at, question, evidence } = told;
  const said: CommandResult = { summary, verify_result, evidence };
  const command = { exitCode: 0, output: end.words, answer: end.words, timedOut: false };
  const outcome = (result: CommandResult): Outcome => ({
    end: command,
    result: { ...said, ...result },
    denied: end.denied,
  });
  if (end.kind === "question") return outcome({ question: askable(end.question) });
  if (end.kind === "limit") {
    return outcome({
      failure_class: "rate_limited",
      failure_reason: end.reason,
      resets_at: end.resetsAt ?? afterGrowingPause(attempt),
    });
  }
  if (end.kind === "failed" && end.cause === "killed" && attempt <= mostKilled) {
    const resets_at = afterGrowingPause(attempt);
    return outcome({ failure_class: "rate_limited", failure_reason: end.reason, resets_at });
  }
  if (end.kind === "failed") {
    return outcome({ failure_class: "agent_error", failure_reason: end.reason });
  }
  return outcome({ failure_class, failure_reason, resets_at, question });
}

/** A tool that is killed is no fault of the work: it is tried again, unless every attempt so far has come to nothing. */
const mostKilled = 3;

/** A limit that does not say when it ends is tried again after one minute, two, four, and at most an hour. */
function afterGrowingPause(attempt: number): string {
  const minutes = Math.min(60, 2 ** Math.min(attempt - 1, 6));
  return new Date(Date.now() + minutes * 60_000).toISOString();
}
