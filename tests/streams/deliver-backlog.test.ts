import { describe, expect, it } from "vitest";
import type { ChangeEvent } from "~/contract/events";
import { backlogPayload, deliverBacklog } from "~/realtime/deliver-backlog";
import { base, reader, story, task } from "./sample-events";

describe("the filter of the backlog stream", () => {
  const viewer = { ...reader, productId: "p", isLive: false };
  const cases: [string, ChangeEvent, boolean, { send: boolean; follow?: string }][] = [
    ["a PBI", { ...base, entity: "pbi" }, true, { send: true }],
    ["anyone's story", story({ assignee_id: "you" }), true, { send: true }],
    ["anyone's task", task({ sprint_id: null }), true, { send: true }],
    ["a story log entry", { ...base, entity: "story_log" }, true, { send: true }],
    ["an entity of the future", { ...base, entity: "spaceship" }, true, { send: true }],
    ["another product", task({ product_id: "q" }), true, { send: false }],
    ["a question", { ...base, entity: "question" }, false, { send: false }],
    ["my inbox", { ...base, entity: "inbox" }, true, { send: false }],
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

  it.each(["job_output", "evidence", "waiver", "comment", "file", "pull"])(
    "sends %s only to readers that ask for it, so that others do not read their backlog again",
    (entity) => {
      const event = { ...base, entity };
      expect(deliverBacklog(event, viewer, true).send).toBe(false);
      expect(deliverBacklog(event, { ...viewer, isLive: true }, true).send).toBe(true);
    },
  );

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
