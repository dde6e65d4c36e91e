import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { RevalidationSchedule } from "~/live/live-provider";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function start(isSubmitting = () => false) {
  const revalidate = vi.fn();
  return { revalidate, schedule: new RevalidationSchedule(revalidate, isSubmitting) };
}

describe("when a page reads its data again", () => {
  it("changes that come together are one revalidation", () => {
    const { revalidate, schedule } = start();
    for (let i = 0; i < 5; i++) schedule.ask();
    vi.advanceTimersByTime(200);
    expect(revalidate).toHaveBeenCalledTimes(1);
  });

  it("a steady flow of changes does not put it off for ever", () => {
    const { revalidate, schedule } = start();
    for (let passed = 0; passed < 1100; passed += 100) {
      schedule.ask();
      vi.advanceTimersByTime(100);
    }
    expect(revalidate).toHaveBeenCalledTimes(1);
  });

  it("it waits for a submission to end", () => {
    const { revalidate, schedule } = start();
    schedule.update({ isIdle: false, isVisible: true });
    schedule.ask();
    vi.advanceTimersByTime(5000);
    expect(revalidate).not.toHaveBeenCalled();
    schedule.update({ isIdle: true, isVisible: true });
    vi.advanceTimersByTime(200);
    expect(revalidate).toHaveBeenCalledTimes(1);
  });

  it("it does not begin once a form has left, although the page has not been told yet", () => {
    let isSubmitting = true;
    const { revalidate, schedule } = start(() => isSubmitting);
    schedule.ask();
    vi.advanceTimersByTime(5000);
    expect(revalidate).not.toHaveBeenCalled();
    isSubmitting = false;
    vi.advanceTimersByTime(200);
    expect(revalidate).toHaveBeenCalledTimes(1);
  });

  it("a hidden tab catches up when it is shown", () => {
    const { revalidate, schedule } = start();
    schedule.update({ isIdle: true, isVisible: false });
    schedule.ask();
    vi.advanceTimersByTime(60_000);
    expect(revalidate).not.toHaveBeenCalled();
    schedule.update({ isIdle: true, isVisible: true });
    vi.advanceTimersByTime(200);
    expect(revalidate).toHaveBeenCalledTimes(1);
  });

  it("nothing happens after the page is left", () => {
    const { revalidate, schedule } = start();
    schedule.ask();
    schedule.stop();
    vi.advanceTimersByTime(5000);
    expect(revalidate).not.toHaveBeenCalled();
  });
});
