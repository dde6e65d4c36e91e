import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { z } from "zod";
import type { AgentTurn, TurnOutput, Usage } from "../driver";
import { linesOfSession } from "../session-records";
import { disjoint, sumByModel } from "../usage";

const geminiLine = z.looseObject({
  id: z.string(),
  timestamp: z.string(),
  model: z.string().optional(),
  tokens: z.looseObject({
    input: z.number(),
    output: z.number(),
    cached: z.number().nullish(),
    thoughts: z.number().nullish(),
  }),
});

/** Gemini CLI may write an answer several times, each more complete; the last one counts. */
export async function readGeminiRecord(
  home: string,
  sessionId: string,
  since: Date,
): Promise<Usage[] | null> {
  const lines = await linesOfSession(join(home, "tmp"), sessionId.slice(0, 8));
  if (lines === null) return null;
  const answers = new Map<string, Usage>();
  for (const line of lines) {
    const answer = geminiLine.safeParse(line).data;
    if (answer === undefined || new Date(answer.timestamp) < since) continue;
    const { input, output, cached, thoughts } = answer.tokens;
    const counts = {
      input,
      output: output + (thoughts ?? 0),
      cacheRead: cached ?? null,
      cacheWrite: null,
    };
    answers.set(answer.id, disjoint(answer.model ?? null, counts));
  }
  return sumByModel(answers.values());
}

/**
 * Gemini CLI 0.61 names a session's record by its minute and overwrites it if the session is loaded within that minute.
 * Waits until it has passed, so that nothing is lost.
 */
export async function passFirstMinute(turn: AgentTurn, output: TurnOutput, home: string) {
  if (turn.resume === undefined) return;
  const short = turn.resume.sessionId.slice(0, 8);
  const isNew = async (): Promise<boolean> => {
    const minute = new Date().toISOString().slice(0, 16).replace(":", "-");
    const files = await readdir(join(home, "tmp"), { recursive: true }).catch(() => []);
    return files.some((file) => file.includes(`session-${minute}-${short}`));
  };
  while (await isNew()) {
    await wait(1_000, undefined, { signal: turn.signal });
    output.heard();
  }
}
