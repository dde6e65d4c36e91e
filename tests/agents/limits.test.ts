import { describe, expect, it } from "vitest";
import { limitIn } from "../../worker/agents/limits";

it.each([
  "Selected model is at capacity. Please try a different model.",
  "Policy-restricted capacity is unavailable. Please try again later.",
  "Flex capacity unavailable.",
  "We're currently experiencing high demand, which may cause temporary errors.",
  "Codex is currently experiencing high load.",
  "Quota exceeded. Check your plan and billing details.",
  "Repeated 529 Overloaded errors",
  "Opus is experiencing high load, please use /model to switch to Sonnet",
  "Server is temporarily limiting requests (not your usage limit)",
  "Request rejected (429): this may be a temporary capacity issue.",
  "You have exhausted your capacity on this model.",
  "You have exhausted your daily quota on this model.",
  "No capacity available for model gemini-2.5-pro on the server",
  "The model is currently at capacity",
  "Too Many Requests",
  "Provider is overloaded",
])("A model's service without room counts as a limit that passes: %s", (words) => {
  expect(limitIn(words)).toMatchObject({ reason: words, resetsAt: null });
});

it.each([
  "The model does not exist",
  "If your context window is near capacity, try using /compress.",
  "Your access token could not be refreshed",
])("Another failure of a model's service does not count as a limit that passes: %s", (words) => {
  expect(limitIn(words)).toBeNull();
});

describe("the time of a clock that a limit ends at", () => {
  const at = (hours: number, minutes: number, seconds = 0) => new Date(2026, 10, 23, hours, minutes, seconds);
  const ends = (words: string, now: Date) => limitIn(`rate limit, ${words}`, null, now)?.resetsAt;

  it.each([
    ["in the minute that it names", at(11, 57, 32)],
    ["less than a minute ahead", at(11, 56, 30)],
    ["just after it has passed", at(11, 59, 10)],
  ])("The time at which a limit ends is unknown %s", (_when, now) => {
    expect(ends("try again at 11:57 AM.", now)).toBeNull();
  });

  it("The time at which a limit ends is the next such time on the clock", () => {
    expect(ends("resets 3pm", at(11, 57))).toBe(at(15, 0).toISOString());
    expect(ends("try again at 9:30 AM.", at(11, 57))).toBe(new Date(2026, 10, 24, 9, 30).toISOString());
  });
});

describe("a stated time", () => {
  const now = new Date("2026-11-23T12:00:00Z");
  const ends = (words: string) => limitIn(`rate limit, ${words}`, null, now)?.resetsAt;

  it.each([
    "resetsAt: 1577836800",
    '"resets_at":1577836800000',
    "resets at 2020-01-01T00:00:00Z",
    "try again in 20 seconds",
  ])("A limit's stated time is unknown when it is over or less than a minute ahead: %s", (words) => {
    expect(ends(words)).toBeNull();
  });

  it("A limit's stated time may be a number of seconds or milliseconds", () => {
    expect(ends("resetsAt: 1795438800")).toBe("2026-11-23T13:00:00.000Z");
    expect(ends("resetsAt: 1795438800000")).toBe("2026-11-23T13:00:00.000Z");
  });
});
