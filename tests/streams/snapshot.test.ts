import { expect, it } from "vitest";
import { Snapshot } from "~/realtime/snapshot";

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
