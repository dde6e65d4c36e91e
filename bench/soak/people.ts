import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { jsonRequest } from "../worker-tools";
import { askUntilAnswered } from "./asking";
import { settings } from "./settings";
import type { Team } from "./world";

/** What one person was told that is kept. */
export interface Kept {
  /** Their own task, and the number of the last change of its plan. */
  taskId: string;
  plan: number;
  /** Entries of the log, by the number that is in them. */
  entries: Map<number, string>;
}

/** A person changes a task, as often as the settings say, and writes into the log of a story every second time, until it is over. */
export async function beAtWork(
  origin: string,
  { token, storyId }: Team,
  kept: Kept,
  isOver: () => boolean,
): Promise<void> {
  const between = settings.changeSeconds * 1_000;
  await pause(Math.random() * between);
  for (let round = 1; !isOver(); round++) {
    const due = performance.now() + between;
    const status = round % 2 === 0 ? "todo" : "in_progress";
    const change = { status, title: `Change ${round}`, implementation_plan: `Change ${round}` };
    const changed = await askUntilAnswered(`${origin}/api/tasks/${kept.taskId}`, jsonRequest(token, "PATCH", change));
    if (changed.status !== 200) throw new Error(`A change: ${changed.status} ${changed.text}`);
    kept.plan = round;
    if (round % 2 === 0) {
      const entry = { type: "IMPLEMENTATION_PLAN", content: `${kept.taskId} ${round}` };
      const request = jsonRequest(token, "POST", entry);
      const logged = await askUntilAnswered(`${origin}/api/stories/${storyId}/log`, {
        ...request,
        headers: { ...request.headers, "idempotency-key": randomUUID() },
      });
      if (logged.status !== 201) throw new Error(`An entry: ${logged.status} ${logged.text}`);
      kept.entries.set(round, z.object({ id: z.string() }).parse(JSON.parse(logged.text)).id);
    }
    await pause(Math.max(0, due - performance.now()));
  }
}
