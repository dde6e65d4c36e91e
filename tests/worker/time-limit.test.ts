import { once } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, expect, it } from "vitest";
import { limitTime } from "../../worker/base/interruption";

let collections: NodeJS.Timeout;
beforeAll(() => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  collections = setInterval(() => collect(), 10);
});
afterAll(() => {
  clearInterval(collections);
  setFlagsFromString("--no-expose-gc");
});

it("A time limit comes although garbage is collected", async () => {
  const limit = limitTime(200, new AbortController().signal);
  await once(limit.signal, "abort");
  expect(limit.isOver()).toBe(true);
  expect(limit.signal.reason).toMatchObject({ name: "TimeoutError" });
});

it("A time limit aborts with the signal of the caller, and is not over then", async () => {
  const wanted = new AbortController();
  const limit = limitTime(60_000, wanted.signal);
  wanted.abort(new Error("cancelled"));
  expect(limit.signal.reason).toMatchObject({ message: "cancelled" });
  expect(limit.isOver()).toBe(false);
  expect(limitTime(60_000, wanted.signal).signal.aborted).toBe(true);
});
