import { appendFile } from "node:fs/promises";
import type { AgentTurn, TurnOutput } from "./driver";

/**
 * For a session that cannot be resumed: notes it in the transcript and adds what is known of the earlier conversation
 * to the new prompt.
 */
export async function beginAnew(
  title: string,
  { resume, promptFile }: AgentTurn,
  { transcript }: TurnOutput,
  reason: string,
): Promise<void> {
  if (resume === undefined) return;
  const earlier = (await resume.recall?.().catch(() => "")) ?? "";
  const next =
    earlier === ""
      ? "It starts a new one."
      : "It starts a new one, which is told what was said before.";
  const text = `${title} could not resume its earlier conversation (${reason}). ${next}`;
  transcript.add({ kind: "note", text });
  if (earlier !== "") await appendFile(promptFile, section(earlier));
}

function section(earlier: string): string {
  return `\n## What was said before\n\nYou worked on this in an earlier conversation, which is lost. This is how it ended; look at the folder to see what is there.\n\n${earlier}\n`;
}
