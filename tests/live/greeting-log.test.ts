import { describe, expect, it } from "vitest";
import { GreetingLog } from "~/live/greeting-log";
import { needsFullResync } from "~/live/known-entities";
import type { Signal } from "~/live/signal";

const live: Signal = { type: "status", status: "live" };
const ready: Signal = { type: "named", name: "ready", data: { product_id: "p" } };
const change = (id: number): Signal => ({ type: "change", data: { id } });

describe("what a tab hears that joins a running stream", () => {
  it("is the status, the last greeting and the changes since", () => {
    const log = new GreetingLog();
    for (const signal of [ready, change(1), live, ready, change(2)]) log.add(signal);
    expect(log.replay()).toEqual([live, ready, change(2)]);
  });

  it("is nothing when too much happened since, until the next greeting", () => {
    const log = new GreetingLog();
    log.add(ready);
    for (let id = 0; id < 600; id++) log.add(change(id));
    expect(log.replay()).toBeUndefined();
    log.add(ready);
    expect(log.replay()).toHaveLength(2);
  });
});

describe("an entity on the backlog stream", () => {
  it.each(["pbi", "story", "task", "story_log", "job", "worker", "question"])(
    "%s is known",
    (entity) => {
      expect(needsFullResync(entity)).toBe(false);
    },
  );

  it("that is unknown makes the page read everything again", () => {
    expect(needsFullResync("spaceship")).toBe(true);
  });
});
