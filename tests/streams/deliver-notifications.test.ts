import { describe, expect, it } from "vitest";
import type { ChangeEvent } from "~/contract/events";
import { deliverNotifications, notificationsPayload } from "~/realtime/deliver-notifications";
import { base, reader, story, task } from "./sample-events";

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
    ["something else that waits", { ...base, entity: "inbox" }, { send: true }],
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
