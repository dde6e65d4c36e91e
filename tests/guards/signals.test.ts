import { expect, it } from "vitest";
import { programs } from "./programs";

const joining = "AbortSignal.any(";
const timed = "AbortSignal.timeout(";

const filesWith = (...wanted: string[]) =>
  programs.filter(({ code }) => wanted.every((part) => code.includes(part))).map(({ file }) => file);

it("A time limit joined with another signal has a timer that no garbage collection removes", () => {
  expect(filesWith(joining).length).toBeGreaterThan(0);
  expect(filesWith(timed).length).toBeGreaterThan(0);
  expect(filesWith(joining, timed)).toEqual([]);
});
