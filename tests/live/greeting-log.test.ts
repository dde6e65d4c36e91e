import { describe, expect, it } from "vitest";
import { GreetingLog } from "~/live/shared-stream";
import type { Signal } from "~/live/signal";
import { makesOld } from "../../app/live/use-live-stream";

const live: Signal = { type: "status", status: "live" };
const ready: Signal = { type: "named", name: "ready", data: { product_id: "p" } };
const change = (id: number): Signal => ({ type: "change", data: { id } });

it("A tab that joins a running stream hears the status, the last greeting and the changes since", () => {
  const log = new GreetingLog();
  for (const signal of [ready, change(1), live, ready, change(2)]) log.add(signal);
  expect(log.replay()).toEqual([live, ready, change(2)]);
});

it("A tab that joins a stream after too many changes hears nothing until the next greeting", () => {
  const log = new GreetingLog();
  log.add(ready);
  for (let id = 0; id < 600; id++) log.add(change(id));
  expect(log.replay()).toBeUndefined();
  log.add(ready);
  expect(log.replay()).toHaveLength(2);
});

describe("a page reads its data again", () => {
  const about = (entity: string): Signal => ({ type: "change", data: { op: "U", entity, id: "1", product_id: "p" } });

  it("A page reads its data again after a change, also of an entity that only a newer server knows", () => {
    for (const entity of ["pbi", "task", "worker", "question", "inbox", "spaceship"]) {
      expect(makesOld(about(entity))).toBe(true);
    }
  });

  it("A page does not read its data again for an agent's output or for what is not a change", () => {
    expect(makesOld(about("job_output"))).toBe(false);
    expect(makesOld({ type: "change", data: { id: "1" } })).toBe(false);
    expect(makesOld(live)).toBe(false);
    expect(makesOld({ type: "named", name: "workers", data: { count: 1 } })).toBe(false);
  });

  it("A page reads its data again after a gap, unless the missed changes follow", () => {
    expect(makesOld(ready)).toBe(true);
    expect(makesOld({ type: "named", name: "ready", data: { resumed: true } })).toBe(false);
  });
});
