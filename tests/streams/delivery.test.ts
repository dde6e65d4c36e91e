import { describe, expect, it } from "vitest";
import type { ChangeEvent } from "~/contract/events";
import { backlogPayload, deliverBacklog } from "~/realtime/deliver-backlog";
import { deliverNotifications, notificationsPayload } from "~/realtime/deliver-notifications";
import { deliverPairing, pairingPayload } from "~/realtime/deliver-pairing";
import { deliverSolo, soloPayload } from "~/realtime/deliver-solo";

const reader = { userId: "me", sessionId: "my-session", tokenId: null };
const solo = { ...reader, productId: "p", sprintId: "active" };
const base = { seq: 7, op: "U", id: "x", product_id: "p" } as const;

function task(fields: Partial<ChangeEvent> = {}): ChangeEvent {
  return { ...base, entity: "task", sprint_id: "active", assignee_id: "me", ...fields };
}

function story(fields: Partial<ChangeEvent> = {}): ChangeEvent {
  return { ...base, entity: "story", sprint_id: "active", assignee_id: "me", ...fields };
}

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

describe("the filter of the backlog stream", () => {
  const viewer = { ...reader, productId: "p" };
  const cases: [string, ChangeEvent, boolean, { send: boolean; follow?: string }][] = [
    ["a PBI", { ...base, entity: "pbi" }, true, { send: true }],
    ["anyone's story", story({ assignee_id: "you" }), true, { send: true }],
    ["anyone's task", task({ sprint_id: null }), true, { send: true }],
    ["a story log entry", { ...base, entity: "story_log" }, true, { send: true }],
    ["an entity of the future", { ...base, entity: "spaceship" }, true, { send: true }],
    ["another product", task({ product_id: "q" }), true, { send: false }],
    ["a question", { ...base, entity: "question" }, false, { send: false }],
    ["my idea for this product", { ...base, entity: "idea" }, false, { send: true }],
    ["a new member", { ...base, op: "I", entity: "member" }, true, { send: true }],
    ["the same on my own topic", { ...base, op: "I", entity: "member" }, false, { send: false }],
    [
      "my removal",
      { ...base, op: "D", entity: "member", user_id: "me" },
      false,
      { send: false, follow: "end" },
    ],
    [
      "the archived product",
      { ...base, entity: "product", archived: true },
      true,
      { send: false, follow: "end" },
    ],
  ];

  it.each(cases)("%s", (_name, event, isProductTopic, expected) => {
    expect(deliverBacklog(event, viewer, isProductTopic)).toEqual(expected);
  });

  it("sends the place of the row, and after a move the place it left", () => {
    const event = story({
      pbi_id: "b",
      sprint_id: null,
      old_pbi_id: "a",
      old_sprint_id: null,
      old_assignee_id: "me",
      story_title: "no",
      changed_fields: ["pbi_id"],
    });
    expect(backlogPayload(event)).toEqual({
      op: "U",
      entity: "story",
      id: "x",
      product_id: "p",
      pbi_id: "b",
      old_pbi_id: "a",
      changed_fields: ["pbi_id"],
    });
  });

  it("sends a story log entry as the contract has it", () => {
    const event: ChangeEvent = {
      ...base,
      op: "I",
      entity: "story_log",
      story_id: "s",
      idea_id: null,
    };
    expect(backlogPayload(event)).toEqual({
      op: "I",
      entity: "story_log",
      id: "x",
      story_id: "s",
      product_id: "p",
      idea_id: null,
    });
  });
});

describe("the filter of the notifications stream", () => {
  const cases: [string, ChangeEvent, { send: boolean; follow?: string }][] = [
    ["a question", { ...base, entity: "question", status: "open" }, { send: true }],
    ["a task", task(), { send: false }],
    ["a story", story(), { send: false }],
    ["an idea", { ...base, entity: "idea" }, { send: false }],
    [
      "a membership that begins",
      { ...base, op: "I", entity: "member", user_id: "me" },
      { send: false, follow: "refresh" },
    ],
    [
      "a membership that ends",
      { ...base, op: "D", entity: "member", user_id: "me" },
      { send: false, follow: "refresh" },
    ],
    [
      "an archived product",
      { ...base, entity: "product", archived: true },
      { send: false, follow: "refresh" },
    ],
    [
      "my ended session",
      { ...base, op: "D", entity: "session", id: "my-session" },
      { send: false, follow: "end" },
    ],
  ];

  it.each(cases)("%s", (_name, event, expected) => {
    expect(deliverNotifications(event, reader)).toEqual(expected);
  });

  it("sends exactly the fields of the contract", () => {
    const event: ChangeEvent = {
      ...base,
      entity: "question",
      story_id: "s",
      idea_id: null,
      task_id: null,
      assignee_id: null,
      status: "open",
      changed_fields: ["status"],
    };
    expect(notificationsPayload(event)).toEqual({
      op: "U",
      entity: "question",
      id: "x",
      product_id: "p",
      story_id: "s",
      idea_id: null,
      task_id: null,
      assignee_id: null,
      status: "open",
    });
  });
});

describe("the filter of the pairing stream", () => {
  const pairing = (status: string, op: ChangeEvent["op"] = "U"): ChangeEvent => ({
    ...base,
    op,
    entity: "pairing",
    product_id: null,
    pairing_id: "x",
    status,
  });

  it.each([
    ["approved", pairing("approved"), { send: true }],
    ["consumed", pairing("consumed"), { send: true, follow: "end" }],
    ["cancelled", pairing("cancelled"), { send: true, follow: "end" }],
    ["removed", pairing("cancelled", "D"), { send: false, follow: "end" }],
  ])("%s", (_name, event, expected) => {
    expect(deliverPairing(event, "x")).toEqual(expected);
    expect(deliverPairing(event, "y")).toEqual({ send: false });
  });

  it("sends operation, pairing and status", () => {
    expect(pairingPayload(pairing("approved"))).toEqual({
      op: "U",
      pairing_id: "x",
      status: "approved",
    });
  });
});
