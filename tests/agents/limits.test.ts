import { describe, expect, it } from "vitest";
import { limitIn } from "~/worker/agents/limits";

describe("a model's service that has no room", () => {
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
  ])("is a limit that passes: %s", (words) => {
    expect(limitIn(words)).toMatchObject({ reason: words, resetsAt: null });
  });

  it.each([
    "The model does not exist",
    "If your context window is near capacity, try using /compress.",
    "Your access token could not be refreshed",
  ])("is not one that passes: %s", (words) => {
    expect(limitIn(words)).toBeNull();
  });
});

describe("the time of a clock that a limit ends at", () => {
  const at = (hours: number, minutes: number, seconds = 0) =>
    new Date(2026, 10, 23, hours, minutes, seconds);
  const ends = (words: string, now: Date) => limitIn(`rate limit, ${words}`, null, now)?.resetsAt;

  it("is now in the minute that it names, since nobody says the seconds", () => {
    expect(ends("try again at 11:57 AM.", at(11, 57, 32))).toBe(at(11, 58).toISOString());
    expect(ends("try again at 11:57 PM.", at(23, 57, 0))).toBe(at(23, 58).toISOString());
  });

  it("is over when it has just passed", () => {
    expect(ends("try again at 11:57 AM.", at(11, 59, 10))).toBe(at(11, 59, 10).toISOString());
  });

  it("is the next one on the clock otherwise", () => {
    expect(ends("resets 3pm", at(11, 57))).toBe(at(15, 0).toISOString());
    expect(ends("try again at 9:30 AM.", at(11, 57))).toBe(
      new Date(2026, 10, 24, 9, 30).toISOString(),
    );
  });
});
