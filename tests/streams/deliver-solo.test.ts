import { describe, expect, it } from "vitest";
import type { ChangeEvent } from "~/contract/events";
import { deliverSolo, soloPayload } from "~/realtime/deliver-solo";
import { base, solo, story, task } from "./sample-events";

const moved = { changed_fields: ["assignee_id"] };

describe("the filter of the solo stream", () => {
  const cases: [string, ChangeEvent, { send: boolean; follow?: string }][] = [
    ["my task in the active sprint", task(), { send: true }],
    ["a task of another product", task({ product_id: "q" }), { send: false }],
    ["a task outside the active sprint", task({ sprint_id: "old" }), { send: false }],
    ["a task without a sprint", task({ sprint_id: null }), { send: false }],
    ["another user's task", task({ assignee_id: "you" }), { send: false }],
    ["a task of an unassigned story", task({ assignee_id: null }), { send: false }],
    [
      "a task moved away from my story",
      task({ assignee_id: "you", old_assignee_id: "me", old_sprint_id: "active" }),
      { send: false, follow: "refresh" },
    ],
    ["my deleted task", task({ op: "D" }), { send: true }],
    ["my story", story(), { send: true }],
    ["a story awaiting assignment", story({ assignee_id: null }), { send: true }],
    ["another user's story", story({ assignee_id: "you" }), { send: false }],
    ["a story outside the active sprint", story({ sprint_id: null }), { send: false }],
    [
      "a story that is given to me",
      story({ ...moved, old_assignee_id: null, old_sprint_id: "active" }),
      { send: true, follow: "refresh" },
    ],
    [
      "a story that is taken from me",
      story({ ...moved, assignee_id: "you", old_assignee_id: "me", old_sprint_id: "active" }),
      { send: false, follow: "refresh" },
    ],
    [
      "a story that passes between others",
      story({ ...moved, assignee_id: "you", old_assignee_id: "they", old_sprint_id: "active" }),
      { send: false },
    ],
    [
      "my story that leaves the sprint",
      story({
        sprint_id: null,
        old_sprint_id: "active",
        old_assignee_id: "me",
        changed_fields: ["sprint_id"],
      }),
      { send: false, follow: "refresh" },
    ],
    [
      "another active sprint",
      { ...base, entity: "sprint", active_changed: true },
      { send: false, follow: "refresh" },
    ],
    ["a sprint's new goal", { ...base, entity: "sprint", active_changed: false }, { send: false }],
    ["a job", { ...base, entity: "job" }, { send: true }],
    ["a worker", { ...base, entity: "worker" }, { send: true }],
    ["a PBI", { ...base, entity: "pbi" }, { send: false }],
    ["a story log entry", { ...base, entity: "story_log" }, { send: false }],
    ["a question", { ...base, entity: "question" }, { send: false }],
    ["an unknown entity", { ...base, entity: "spaceship" }, { send: false }],
    [
      "my removal",
      { ...base, op: "D", entity: "member", user_id: "me" },
      { send: false, follow: "end" },
    ],
    ["another's removal", { ...base, op: "D", entity: "member", user_id: "you" }, { send: false }],
    ["my new role", { ...base, op: "U", entity: "member", user_id: "me" }, { send: false }],
    [
      "the archived product",
      { ...base, entity: "product", archived: true },
      { send: false, follow: "end" },
    ],
    ["the renamed product", { ...base, entity: "product", archived: false }, { send: false }],
    [
      "the deleted product",
      { ...base, op: "D", entity: "product", archived: false },
      { send: false, follow: "end" },
    ],
    [
      "my ended session",
      { ...base, op: "D", entity: "session", id: "my-session", product_id: null },
      { send: false, follow: "end" },
    ],
    [
      "my session that ends sooner",
      { ...base, op: "U", entity: "session", id: "my-session", product_id: null },
      { send: false, follow: "refresh" },
    ],
    ["another session of mine", { ...base, op: "D", entity: "session", id: "s2" }, { send: false }],
    ["another token of mine", { ...base, op: "D", entity: "api_token", id: "k" }, { send: false }],
  ];

  it.each(cases)("%s", (_name, event, expected) => {
    expect(deliverSolo(event, solo, true)).toEqual(expected);
  });

  it("lets no task or story through without an active sprint", () => {
    const idle = { ...solo, sprintId: null };
    expect(deliverSolo(task({ sprint_id: null }), idle, true)).toEqual({ send: false });
    expect(deliverSolo(story({ sprint_id: null }), idle, true)).toEqual({ send: false });
  });

  it("ends the stream of a revoked token", () => {
    const holder = { ...solo, sessionId: null, tokenId: "k" };
    const event: ChangeEvent = { ...base, op: "D", entity: "api_token", id: "k", product_id: null };
    expect(deliverSolo(event, holder, false)).toEqual({ send: false, follow: "end" });
  });

  it("sends the fields of the contract and none of those that only the filter needs", () => {
    const event = task({
      story_id: "s",
      pbi_id: "b",
      old_sprint_id: "old",
      task_status: "REVIEW",
      task_title: "Weave",
      task_sort_order: 3,
      changed_fields: ["status"],
    });
    expect(soloPayload(event)).toEqual({
      op: "U",
      entity: "task",
      id: "x",
      story_id: "s",
      product_id: "p",
      sprint_id: "active",
      assignee_id: "me",
      task_status: "REVIEW",
      task_title: "Weave",
      task_sort_order: 3,
      changed_fields: ["status"],
    });
  });

  it("keeps the fields of stories and tasks apart, and null for a story awaiting assignment", () => {
    const event = story({
      op: "I",
      assignee_id: null,
      pbi_id: "b",
      story_status: "IN_SPRINT",
      story_title: "Cloth",
      story_code: "ST-001",
      story_sort_order: 1,
      task_title: "no",
    });
    expect(soloPayload(event)).toEqual({
      op: "I",
      entity: "story",
      id: "x",
      product_id: "p",
      sprint_id: "active",
      assignee_id: null,
      story_status: "IN_SPRINT",
      story_title: "Cloth",
      story_code: "ST-001",
      story_sort_order: 1,
    });
  });
});
