import { expect, it } from "vitest";
import { deliverBacklog } from "~/realtime/deliver-backlog";
import { deliverNotifications } from "~/realtime/deliver-notifications";
import { deliverPairing } from "~/realtime/deliver-pairing";
import { deliverSolo } from "~/realtime/deliver-solo";
import { Snapshot } from "~/sse/stream-source";
import type { ChangeEvent } from "~/wire/events";

/** What the tests of the streams themselves do not make happen, as each filter decides it. */
const reader = { userId: "me", sessionId: "my-session", tokenId: null };
const viewer = { ...reader, productId: "p", isLive: false };
const solo = { ...reader, productId: "p", sprintId: "active" };
const base = { seq: 7, op: "U", id: "x", product_id: "p" } as const;
const passes = { send: true };
const stays = { send: false };
const ends = { send: false, follow: "end" };
const asksAgain = { send: false, follow: "refresh" };

/** Of me in the active sprint. */
const mine = (entity: "task" | "story", fields: Partial<ChangeEvent> = {}): ChangeEvent => {
  return { ...base, entity, sprint_id: "active", assignee_id: "me", ...fields };
};
const given = { changed_fields: ["assignee_id"], old_sprint_id: "active" };

it.each<[string, ChangeEvent, object]>([
  ["a task without a sprint", mine("task", { sprint_id: null }), stays],
  ["a task of an unassigned story", mine("task", { assignee_id: null }), stays],
  ["another user's story", mine("story", { assignee_id: "you" }), stays],
  ["a story outside the active sprint", mine("story", { sprint_id: null }), stays],
  [
    "a story that passes between others",
    mine("story", { ...given, assignee_id: "you", old_assignee_id: "they" }),
    stays,
  ],
  ["my story that leaves the sprint", mine("story", { ...given, sprint_id: null, old_assignee_id: "me" }), asksAgain],
  ["a sprint's new goal", { ...base, entity: "sprint", active_changed: false }, stays],
  ["a PBI", { ...base, entity: "pbi" }, stays],
  ["a story log entry", { ...base, entity: "story_log" }, stays],
  ["a question", { ...base, entity: "question" }, stays],
  ["an unknown entity", { ...base, entity: "spaceship" }, stays],
  ["another's removal", { ...base, op: "D", entity: "member", user_id: "you" }, stays],
  ["my new role", { ...base, entity: "member", user_id: "me" }, stays],
  ["the renamed product", { ...base, entity: "product", archived: false }, stays],
  ["the archived product", { ...base, entity: "product", archived: true }, ends],
  ["the deleted product", { ...base, op: "D", entity: "product" }, ends],
  ["my removal", { ...base, op: "D", entity: "member", user_id: "me" }, ends],
  ["my session that ends sooner", { ...base, entity: "session", id: "my-session" }, asksAgain],
  ["another session of mine", { ...base, op: "D", entity: "session", id: "s2" }, stays],
  ["another token of mine", { ...base, op: "D", entity: "api_token", id: "k" }, stays],
])("The solo stream decides what to do with %s", (_name, event, expected) => {
  expect(deliverSolo(event, solo, true)).toEqual(expected);
});

it("The solo stream carries no task or story without an active sprint", () => {
  for (const entity of ["task", "story"] as const) {
    const event = mine(entity, { sprint_id: null });
    expect(deliverSolo(event, { ...solo, sprintId: null }, true)).toEqual(stays);
  }
});

it.each<[string, ChangeEvent, boolean, object]>([
  ["anyone's task", mine("task", { sprint_id: null, assignee_id: "you" }), true, passes],
  ["an entity of the future", { ...base, entity: "spaceship" }, true, passes],
  ["a question", { ...base, entity: "question" }, false, stays],
  ["my inbox", { ...base, entity: "inbox" }, true, stays],
  ["my idea for this product", { ...base, entity: "idea" }, false, passes],
  ["a new member", { ...base, op: "I", entity: "member" }, true, passes],
  ["the same on my own topic", { ...base, op: "I", entity: "member" }, false, stays],
])("The backlog stream decides what to do with %s", (_name, event, isProductTopic, expected) => {
  expect(deliverBacklog(event, viewer, isProductTopic)).toEqual(expected);
});

it.each(["job_output", "evidence", "waiver", "comment", "file", "pull"])(
  "The backlog stream carries %s only to readers that ask for it",
  (entity) => {
    const event = { ...base, entity };
    expect(deliverBacklog(event, viewer, true).send).toBe(false);
    expect(deliverBacklog(event, { ...viewer, isLive: true }, true).send).toBe(true);
  },
);

it.each<[string, ChangeEvent, object]>([
  ["an idea", { ...base, entity: "idea" }, stays],
  ["an archived product", { ...base, entity: "product", archived: true }, asksAgain],
])("The notifications stream decides what to do with %s", (_name, event, expected) => {
  expect(deliverNotifications(event, reader)).toEqual(expected);
});

it("The pairing stream ends for a pairing that is removed, and for no other", () => {
  const removed = { ...base, op: "D", entity: "pairing", pairing_id: "x" } as const;
  expect(deliverPairing({ ...removed, status: "cancelled" }, "x")).toEqual(ends);
  expect(deliverPairing({ ...removed, status: "cancelled" }, "y")).toEqual(stays);
});

const snapshot = new Snapshot("100:110:103,107");

it.each([
  [99, true],
  [100, true],
  [103, false],
  [104, true],
  [107, false],
  [109, true],
  [110, false],
  [111, false],
])("a snapshot shows transaction %i: %s", (transaction, isShown) => {
  expect(snapshot.includes(transaction)).toBe(isShown);
});

it("a snapshot with nothing running shows all that began before it", () => {
  const idle = new Snapshot("200:200:");
  expect(idle.includes(199)).toBe(true);
  expect(idle.includes(200)).toBe(false);
});
