import { open } from "node:fs/promises";
import type { PersonMessage } from "~/nouns/comments/agent-message";
import { readClaudeStream } from "../agents/claude/stream";
import { readCodexLines } from "../agents/codex/jsonl";
import type { AgentEnd, TurnOutput, Usage } from "../agents/driver";
import { type LineReader, signalOf } from "../agents/line-turn";
import { type ExecWish, secretsOf } from "../base/options";
import { createRedactor } from "../base/redact";
import { openTranscript } from "../base/transcript";
import { mostKilled, outcomeOf } from "./agent-turn";
import type { Attempt, Outcome } from "./attempt";
import { logFileOf } from "./attempt";
import type { ContextFiles } from "./context-files";
import { noteUsageSoFar, reportUsage } from "./report-usage";
import { addUsage, type CommandResult, readResult } from "./result-file";
import { type CommandEnd, runCommand } from "./run-command";

/** Runs one assignment with the user's command, and parses its output if the format is known. */
export async function runExecTurn(
  attempt: Attempt,
  { exec, output: format }: ExecWish,
  files: ContextFiles,
  place: { folder: string; environment: Record<string, string> },
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
    usageSoFar: (usages) => noteUsageSoFar(attempt, usages),
    session: (id) => {
      attempt.sessionId = id;
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
      sandbox: attempt.sandbox,
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
      addUsage(attempt.used, told);
      return { end, result: { ...failureIfKilled(end, attempt.job), ...told }, denied };
    }
    const read = reader.end({ code: end.exitCode, signal: null, complaints: end.output });
    const whole: AgentEnd = {
      ...read,
      words: transcript.lastWords(),
      sessionId: attempt.sessionId,
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
function failureIfKilled(
  { exitCode, output, timedOut }: CommandEnd,
  { attempt }: Attempt["job"],
): CommandResult {
  const signal = signalOf(exitCode);
  if (signal === null || timedOut || attempt > mostKilled) return {};
  const failure_reason = `The command was ended by ${signal}.\n${output}`.trim().slice(-4_000);
  return { failure_class: "rate_limited", failure_reason };
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
