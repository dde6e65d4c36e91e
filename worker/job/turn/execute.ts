import { appendFile, open, writeFile } from "node:fs/promises";
import type { PersonMessage } from "~/wire/comments/contract";
import { readClaudeStream } from "../../agents/claude/stream";
import { readCodexLines } from "../../agents/codex/jsonl";
import { describeMessages } from "../../agents/describe-messages";
import type { AgentEnd, TurnOutput, Usage } from "../../agents/driver";
import { type LineReader, signalOf } from "../../agents/line-turn";
import { notesOf, readPlain } from "../../base/files";
import { type ExecOptions, secretsOf } from "../../base/options";
import { WorkerProblem } from "../../base/problems";
import { createRedactor } from "../../base/redact";
import { sendable } from "../../base/sendable";
import { openTranscript } from "../../base/transcript";
import { type Attempt, type Failure, type JobLocation, logFileOf } from "../attempt";
import { type CommandEnd, type Outcome, runCommand } from "../commands";
import type { Evidence } from "../proof/inspect";
import { reportUsage } from "../report/usage";
import { mostKilled, outcomeOf, runAgentTurn } from "./agent-turn";
import type { Assignment } from "./assignment";
import { type ContextFiles, environmentOf, writeContextFiles } from "./context-files";
import { mostBytes, readResult } from "./result-file";

/** Runs one assignment in a folder, with the agent or the command. */
export async function execute(
  attempt: Attempt,
  { folder, rules, sandbox }: JobLocation,
  assignment: Assignment,
  extra: Record<string, string>,
): Promise<Outcome> {
  const { job, options, heartbeat } = attempt;
  const notes = notesOf(attempt.folder.worktrees, `${job.id}-${job.attempt}`);
  const { work } = options;
  const reader = "agents" in work ? "agent" : "command";
  const files = await writeContextFiles(folder, notes, assignment, reader);
  const demo: Record<string, string> = options.demoAsk ? { BACKLOOM_DEMO_ASK: "1" } : {};
  const environment = { ...rules.env, ...environmentOf(assignment, files, { ...extra, ...demo }) };
  const location = { folder, rules, sandbox, environment };
  const turn = async (isAlive: () => void) => {
    const outcome =
      "agents" in work
        ? await runAgentTurn(attempt, work, assignment, files, { ...location, isAlive })
        : await runExecTurn(attempt, work, files, location);
    heartbeat.signal.throwIfAborted();
    return outcome;
  };
  // A command reads messages from a file while it runs.
  const messages = "agents" in work ? attempt.messages : undefined;
  // What the agent put in the place of the files must not lead the worker's writes elsewhere.
  const renew = async () => {
    const written = await readPlain(files.result, mostBytes);
    await writeContextFiles(folder, notes, assignment, reader);
    if (written !== null) await writeFile(files.result, written, { flag: "wx" });
  };
  let outcome = await turn(await promptWith(messages, files));
  if (outcome.fault !== undefined && isWorking(outcome)) {
    await renew();
    outcome = await askAgain(outcome, files, turn);
  }
  // Messages that came too late for a turn get another one in the same conversation.
  while (messages?.hasWaiting() && isWorking(outcome)) {
    await renew();
    outcome = await turn(await promptWith(messages, files, "alone"));
  }
  return outcome;
}

/** A fault of form is none of the work: one more turn for the result file, with nothing else asked. */
async function askAgain(
  first: Outcome,
  files: ContextFiles,
  turn: (isAlive: () => void) => Promise<Outcome>,
): Promise<Outcome> {
  const request = `${first.fault}. Your work is as you left it. Write $BACKLOOM_RESULT_FILE again and end your turn.`;
  await addToPrompts(files, "Your result file", request, "alone");
  const again = await turn(() => undefined);
  const { fault: failure_reason, result, end } = again;
  if (failure_reason !== undefined && isWorking(again)) {
    return { ...again, result: { ...result, failure_class: "agent_error", failure_reason } };
  }
  const summary = result.summary === end.answer ? first.result.summary : result.summary;
  return { ...again, result: { ...result, summary } };
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
  { exec, output: format }: ExecOptions,
  files: ContextFiles,
  location: JobLocation & { environment: Record<string, string> },
): Promise<Outcome> {
  const { options, heartbeat } = attempt;
  const redactor = createRedactor(secretsOf(options));
  const transcript = openTranscript(redactor, (entry) => attempt.output.add(entry));
  const complaints = openTranscript(redactor, (entry) =>
    attempt.output.add({ ...entry, kind: "note", title: "stderr" }),
  );
  const used: Usage[] = [];
  const denied: string[] = [];
  const turnOutput: TurnOutput = {
    transcript,
    usage: (usage) => used.push(usage),
    usageSoFar: (usages) => attempt.tally.noteSoFar(usages),
    session: (id) => {
      attempt.tally.sessionId = id;
    },
    sessionCost: () => undefined,
    denied: (what) => denied.push(redactor.clean(what)),
    alive: () => undefined,
  };
  const reader = readerOf(format, location.folder, turnOutput);
  const growing = await openGrowing(files.messages, attempt.messages);
  try {
    // What comes after its end is for no command: no one would read it.
    const end = await runCommand({
      command: exec === "demo" ? attempt.demoCommand : exec,
      folder: location.folder,
      environment: { ...location.environment, BACKLOOM_MESSAGES: files.messages },
      sandbox: location.sandbox,
      logFile: logFileOf(attempt),
      timeoutMinutes: options.timeoutMinutes,
      pidFile: files.pid,
      signal: heartbeat.signal,
      takeLine: reader.take,
      takeComplaint: (piece) => complaints.say("text", piece),
      clean: attempt.clean,
    }).finally(growing.close);
    const { result, ...slips } = await readResult(files.result, attempt);
    if (format === "text" || end.timedOut) {
      attempt.tally.add(result);
      return { end, result, denied, waits: reasonIfKilled(end, attempt.job), ...slips };
    }
    const read = reader.end({ code: end.exitCode, signal: null, complaints: end.output });
    const whole: AgentEnd = { ...read, words: transcript.lastWords(), sessionId: attempt.tally.sessionId, denied };
    return outcomeOf(whole, { result, ...slips }, attempt.job.attempt);
  } finally {
    transcript.flush();
    complaints.flush();
    await reportUsage(attempt, used);
  }
}

/** A killed command is retried like a killed agent, unless it says itself how it failed. */
function reasonIfKilled({ exitCode, output, timedOut }: CommandEnd, { attempt }: Attempt["job"]): string | undefined {
  const signal = signalOf(exitCode);
  if (signal === null || timedOut || attempt > mostKilled) return undefined;
  return `The command was ended by ${signal}.\n${output}`.trim().slice(0, 4_000);
}

/** Opened before the command starts, so that it cannot redirect writes by replacing the file. */
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

function readerOf(format: ExecOptions["output"], folder: string, output: TurnOutput): LineReader {
  if (format === "claude-stream-json") return readClaudeStream(folder, output);
  if (format === "codex-jsonl") return readCodexLines(folder, output, null);
  return { take: (line) => output.transcript.say("text", `${line}\n`), end: () => ({ kind: "done" }) };
}

/** Adds waiting messages to the prompts. Call the returned function at the agent's first sign of life. */
async function promptWith(
  messages: Attempt["messages"] | undefined,
  files: ContextFiles,
  alone?: "alone",
): Promise<() => void> {
  const taken = messages?.takeWaiting() ?? [];
  if (taken.length === 0) return () => undefined;
  await addToPrompts(files, "What people wrote to you", describeMessages(taken), alone);
  const ids = taken.map(({ id }) => id);
  return () => messages?.seen(ids);
}

/** With `alone`, the words are the whole prompt of the conversation. */
async function addToPrompts(
  { prompt, continuation }: ContextFiles,
  heading: string,
  words: string,
  alone?: "alone",
): Promise<void> {
  const section = `\n## ${heading}\n\n${words}\n`;
  await appendFile(prompt, section);
  if (alone) await writeFile(continuation, `${words}\n`);
  else await appendFile(continuation, section);
}
