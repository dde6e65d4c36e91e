import { expect } from "vitest";
import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { callService } from "~/db/rpc.server";
import { addDependency } from "~/nouns/dependencies/operations.server";
import type { TestDatabase } from "../setup/database";

type Named = { id: string; code: string };

/** Lets a task wait for others. */
export async function wait(actor: Actor, task: Named, ...blockers: Named[]): Promise<void> {
  for (const { id } of blockers) {
    await addDependency(actor, { kind: "task", id: task.id, blocked_by: id });
  }
}

/** Lets a story wait for others. */
export async function waitStory(actor: Actor, story: Named, ...blockers: Named[]): Promise<void> {
  for (const { id } of blockers) {
    await addDependency(actor, { kind: "story", id: story.id, blocked_by: id });
  }
}

/** Every counter of an unfinished job is what is counted again. */
export async function expectRightCounters(t: Pick<TestDatabase, "database">): Promise<void> {
  expect(await callService(t.database, "find_wrong_counters", {}, z.array(z.unknown()))).toEqual(
    [],
  );
}
