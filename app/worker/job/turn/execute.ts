import { appendFile, open, writeFile } from "node:fs/promises";
import type { PersonMessage } from "~/nouns/comments/contract";
import { readClaudeStream } from "../../agents/claude/stream";
import { readCodexLines } from "../../agents/codex/jsonl";
import type { AgentEnd, TurnOutput, Usage } from "../../agents/driver";
import { type LineReader, signalOf } from "../../agents/line-turn";
import { wordsOfMessages } from "../../agents/message-words";
import { notesOf } from "../../base/files";
import { type ExecWish, secretsOf } from "../../base/options";
import { WorkerProblem } from "../../base/problems";
import { createRedactor } from "../../base/redact";
import { sendable } from "../../base/sendable";
import { openTranscript } from "../../base/transcript";
import { type Attempt, type Failure, logFileOf, type Place } from "../attempt";
import { type CommandEnd, type Outcome, runCommand } from "../commands";
import type { Evidence } from "../proof/inspect";
import { reportUsage } from "../report/usage";
import { mostKilled, outcomeOf, runAgentTurn } from "./agent-turn";
import type { Assignment } from "./assignment";
import { type ContextFiles, environmentOf, writeContextFiles } from "./context-files";
import { readResult } from "./result-file";

/** Runs one assignment in a folder, with the agent or the command. */
export async function execute(
  attempt: Attempt,
  { folder, rules, sandbox }: Place,
  assignment: Assignment,
  extra: Record<string, string>,
): Promise<Outcome> {
  const { job, options, heartbeat } = attempt;
  const notes = notesOf(attempt.folder.worktrees, `${job.id}-${job.attempt}`);
  const files = await writeContextFiles(folder, notes, assignment);
  const demo: Record<string, string> = options.demoAsk ? { BACKLOOM_DEMO_ASK: "1" } : {};
  const environment = {
    ...rules.env,
    ...environmentOf(assignment, files, { ...extra, ...demo }),
  };
  const place = { folder, rules, sandbox, environment };
  const { work } = options;
  if (!("agents" in work)) {
    const outcome = await runExecTurn(attempt, work, files, place);
    heartbeat.signal.throwIfAborted();
    return outcome;
  }
  const turn = async (own: ContextFiles, isAlive: () => void) => {
    const outcome = await runAgentTurn(attempt, work, assignment, own, { ...place, isAlive });
    heartbeat.signal.throwIfAborted();
    return outcome;
  };
  let outcome = await turn(files, await promptWith(attempt.messages, files));
  // Messages that came too late for a turn get another one in the same conversation.
  while (attempt.messages.hasWaiting() && isWorking(outcome)) {
    outcome = await turn(files, await promptWith(attempt.messages, files, "alone"));
  }
  return outcome;
}

/** True if the agent ended normally and can take another turn. */
function isWorking(outcome: Outcome): boolean {
  return failureOf(outcome) === undefined && outcome.result.question === undefined;
}

/** Empty work with denied actions is a failure, not work that was already there. */
export function deniedFailure(
  { denied }: Outcome,
  { verifyResult }: Pick<Evidence, "verifyResult">,
  verifyOnly: boolean | undefined,
): Failure | undefined {
  if (verifyResult !== "EMPTY" || denied.length === 0 || verifyOnly) return undefined;
  const what = [...new Set(denied)].join(", ");
  const failure_reason = sendable(
    `The agent changed nothing, because it was not allowed to use its tools: ${what}. Start the worker with a wider --allow.`,
    4_000,
  );
  return { failure_class: "agent_error", failure_reason };
}

/** Returns the failure an outcome reports, or what it waits for, if any. */
export function failureOf({ end, result, waits }: Outcome): Failure | undefined {
  if (waits !== undefined && result.failure_class === undefined) return { failure_reason: waits };
  if (result.failure_class !== undefined) {
    return {
      failure_class: result.failure_class,
      failure_reason: result.failure_reason ?? result.summary ?? "The command gave no reason",
      resets_at: result.resets_at,
    };
  }
  if (end.exitCode === 0) return undefined;
  if (end.exitCode === 126 || end.exitCode === 127) {
    const advice = /argument list too long/i.test(end.output)
      ? ' Hand the prompt over on standard input: … < "$BACKLOOM_PROMPT_FILE".'
      : "";
    throw new WorkerProblem(
      `This machine cannot run the command, so the job returns to the queue: ${end.output.slice(-500)}${advice}`,
    );
  }
  const how = end.timedOut ? "timed out" : `ended with ${end.exitCode}`;
  const failure_reason = `The command ${how}.\n${end.output}`.trim().slice(-4_000);
  return { failure_class: "agent_error", failure_reason };
}

/** Runs one assignment with the user's command, and parses its output if the format is known. */
async function runExecTurn(
  attempt: Attempt,
  { exec, output: format }: ExecWish,
  files: ContextFiles,
  place: Place & { environment: Record<string, string> },
): Promise<Outcome> {
  const { options, heartbeat } = attempt;
  const redactor = createRedactor(secretsOf(options));
  const transcript = openTranscript(redactor, (entry) => attempt.output.add(entry));
  const complaints = openTranscript(redactor, (entry) =>
    attempt.output.add({ ...entry, kind: "note", title: "stderr" }),
  );
  const used: Usage[] = [];
  const denied: string[] = [];
  const heard: TurnOutput = {
    transcript,
    usage: (usage) => used.push(usage),
    usageSoFar: (usages) => attempt.tally.noteSoFar(usages),
    session: (id) => {
      attempt.tally.sessionId = id;
    },
    sessionCost: () => undefined,
    denied: (what) => denied.push(redactor.clean(what)),
    heard: () => undefined,
  };
  const reader = readerOf(format, place.folder, heard);
  const growing = await openGrowing(files.messages, attempt.messages);
  try {
    // What comes after its end is for no command: no one would read it.
    const end = await runCommand({
      command: exec === "demo" ? attempt.demoCommand : exec,
      folder: place.folder,
      environment: { ...place.environment, BACKLOOM_MESSAGES: files.messages },
      sandbox: place.sandbox,
      logFile: logFileOf(attempt),
      timeoutMinutes: options.timeoutMinutes,
      pidFile: files.pid,
      signal: heartbeat.signal,
      takeLine: reader.take,
      takeComplaint: (piece) => complaints.say("text", piece),
      clean: attempt.clean,
    }).finally(growing.close);
    const told = await readResult(files.result, attempt.clean);
    if (format === "text" || end.timedOut) {
      attempt.tally.add(told);
      return { end, result: told, denied, waits: reasonIfKilled(end, attempt.job) };
    }
    const read = reader.end({ code: end.exitCode, signal: null, complaints: end.output });
    const whole: AgentEnd = {
      ...read,
      words: transcript.lastWords(),
      sessionId: attempt.tally.sessionId,
      denied,
    };
    return outcomeOf(whole, told, attempt.job.attempt);
  } finally {
    transcript.flush();
    complaints.flush();
    await reportUsage(attempt, used);
  }
}

/** A killed command is retried like a killed agent, unless it says itself how it failed. */
function reasonIfKilled(
  { exitCode, output, timedOut }: CommandEnd,
  { attempt }: Attempt["job"],
): string | undefined {
  const signal = signalOf(exitCode);
  if (signal === null || timedOut || attempt > mostKilled) return undefined;
  return `The command was ended by ${signal}.\n${output}`.trim().slice(0, 4_000);
}

/**
 * Appends each message to a file while the command runs and may read it. Opened before the command starts, so that the
 * command cannot redirect writes by replacing the file.
 */
async function openGrowing(path: string, messages: Attempt["messages"]) {
  const file = await open(path, "wx");
  let writing: Promise<void> = Promise.resolve();
  const write = (message: PersonMessage): void => {
    writing = writing
      .then(() => file.appendFile(`${JSON.stringify(message)}\n`))
      .then(() => messages.seen([message.id]))
      .catch(() => undefined);
  };
  // A later command of a batch also gets the earlier messages.
  const known = messages.all().filter(({ id }) => !messages.isWaiting(id));
  for (const message of known) await file.appendFile(`${JSON.stringify(message)}\n`);
  const leave = messages.follow(write);
  return {
    async close() {
      await writing;
      leave();
      await file.close();
    },
  };
}

function readerOf(format: ExecWish["output"], folder: string, output: TurnOutput): LineReader {
  if (format === "claude-stream-json") return readClaudeStream(folder, output);
  if (format === "codex-jsonl") return readCodexLines(folder, output, null);
  return {
    take: (line) => output.transcript.say("text", `${line}\n`),
    end: () => ({ kind: "done" }),
  };
}

/**
 * Adds waiting messages to the prompts; with `alone`, they are the whole continuation prompt. Call the returned
 * function at the agent's first sign of life.
 */
async function promptWith(
  messages: Attempt["messages"],
  { prompt, continuation }: ContextFiles,
  alone?: "alone",
): Promise<() => void> {
  const taken = messages.takeWaiting();
  if (taken.length === 0) return () => undefined;
  const words = wordsOfMessages(taken);
  const section = `\n## What people wrote to you\n\n${words}\n`;
  await appendFile(prompt, section);
  if (alone) await writeFile(continuation, `${words}\n`);
  else await appendFile(continuation, section);
  const ids = taken.map(({ id }) => id);
  return () => messages.seen(ids);
}
