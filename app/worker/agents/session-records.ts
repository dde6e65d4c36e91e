import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { readPlain } from "../base/read-plain";
import { beginAnew } from "./begin-anew";
import type { AgentTurn, TurnOutput } from "./driver";
import { jsonOf } from "./line-turn";

/**
 * Tools record each model answer with its counts. Unlike their output, the record always has cached tokens and the
 * model, however a turn ended.
 */

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
