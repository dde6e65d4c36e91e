import { appendFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { readPlain } from "../base/files";
import type { AgentTurn, TurnOutput } from "./driver";
import { jsonOf } from "./line-turn";

/** Unlike a tool's output, its record always has cached tokens and the model, however a turn ended. */

/** Drops a conversation without a record from the turn, because the tool would fail to resume it. */
export async function resumable(
  title: string,
  turn: AgentTurn,
  output: TurnOutput,
  folder: string,
): Promise<AgentTurn> {
  if (turn.resume === undefined) return turn;
  const lines = await linesOfSession(folder, turn.resume.sessionId);
  if (lines !== null) return turn;
  await beginAnew(title, turn, output, "it has no record of it");
  return { ...turn, resume: undefined };
}

/** Parsed lines of the files whose name ends with the session's; null if there are none. */
export async function linesOfSession(folder: string, name: string): Promise<unknown[] | null> {
  const entries = await readdir(folder, { recursive: true }).catch(() => []);
  const files = entries.filter((entry) => entry.endsWith(`${name}.jsonl`));
  const read = await Promise.all(files.map((file) => readPlain(join(folder, file), mostBytes)));
  const texts = read.filter((text) => text !== null);
  return texts.length === 0 ? null : texts.flatMap((text) => text.split("\n")).map(jsonOf);
}

/** Far more than a long conversation, less than the longest string. */
const mostBytes = 256 * 1024 ** 2;

/** For a session that cannot be resumed: adds what is known of the conversation to the new prompt, and says so. */
export async function beginAnew(
  title: string,
  { resume, promptFile }: AgentTurn,
  { transcript }: TurnOutput,
  reason: string,
): Promise<void> {
  if (resume === undefined) return;
  const earlier = (await resume.recall?.().catch(() => "")) ?? "";
  const next = earlier === "" ? "It starts a new one." : "It starts a new one, which is told what was said before.";
  const text = `${title} could not resume its earlier conversation (${reason}). ${next}`;
  transcript.add({ kind: "note", text });
  if (earlier !== "") await appendFile(promptFile, section(earlier));
}

function section(earlier: string): string {
  return `\n## What was said before\n\nYour earlier conversation about this is lost. This is how it ended; check the folder for what is there.\n\n${earlier}\n`;
}
