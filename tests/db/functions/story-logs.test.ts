import { describe, expect, it } from "vitest";
import { z } from "zod";
import { callAs } from "~/db/rpc.server";
import { appendStoryLog, listStoryLogs } from "~/nouns/stories/operations.server";
import { createTestDatabase } from "../../setup/database";
import { statusOf } from "../refusal";

const t = await createTestDatabase();

describe("append_story_log", () => {
  it("keeps each type with its fields and answers id and created_at", async () => {
    const { actor, owner, story } = await t.seedWorld(0);
    const story_id = story.id;
    const metadata = { nested: { list: [1, 2.5, null, "ä"], empty: {} } };
    const receipts = [
      await appendStoryLog(actor, {
        story_id,
        type: "IMPLEMENTATION_PLAN",
        content: "Plan",
        metadata,
      }),
      await appendStoryLog(actor, {
        story_id,
        type: "TEST_RESULT",
        content: "Ran",
        status: "FAILED",
      }),
      await appendStoryLog(actor, {
        story_id,
        type: "COMMIT",
        content: "Done",
        commit_hash: "abc123",
        commit_message: "Do it",
      }),
    ];
    const { items } = await listStoryLogs(actor, { story_id });
    expect(items.map(({ id, created_at }) => ({ id, created_at })).reverse()).toEqual(receipts);
    expect(items.reverse()).toMatchObject([
      {
        type: "IMPLEMENTATION_PLAN",
        content: "Plan",
        status: null,
        metadata,
        username: owner.username,
      },
      { type: "TEST_RESULT", content: "Ran", status: "FAILED", commit_hash: null, metadata: null },
      {
        type: "COMMIT",
        content: "Done",
        status: null,
        commit_hash: "abc123",
        commit_message: "Do it",
      },
    ]);
  });

  it.each([
    { p_type: "NOTE", p_content: "x" },
    { p_type: null, p_content: "x" },
    { p_type: "IMPLEMENTATION_PLAN", p_content: null },
    { p_type: "IMPLEMENTATION_PLAN", p_content: "" },
    { p_type: "IMPLEMENTATION_PLAN", p_content: "x".repeat(100_001) },
    { p_type: "IMPLEMENTATION_PLAN", p_content: "x", p_status: "PASSED" },
    { p_type: "IMPLEMENTATION_PLAN", p_content: "x", p_metadata: [1] },
    { p_type: "TEST_RESULT", p_content: "x" },
    { p_type: "TEST_RESULT", p_content: "x", p_status: "passed" },
    { p_type: "TEST_RESULT", p_content: "x", p_status: "PASSED", p_commit_hash: "a" },
    { p_type: "COMMIT", p_content: "x", p_commit_hash: "a" },
    { p_type: "COMMIT", p_content: "x", p_commit_message: "a" },
    {
      p_type: "COMMIT",
      p_content: "x",
      p_commit_hash: "a",
      p_commit_message: "b",
      p_status: "PASSED",
    },
  ])("refuses entry %# of another shape with 422, also past the routes", async (fields) => {
    const { actor, story } = await t.seedWorld(0);
    const call = callAs(
      actor,
      "append_story_log",
      { p_story_id: story.id, ...fields },
      z.unknown(),
    );
    expect(await statusOf(call)).toBe(422);
    expect((await listStoryLogs(actor, { story_id: story.id })).items).toEqual([]);
  });
});
