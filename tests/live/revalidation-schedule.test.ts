import { afterEach, beforeEach, expect, it, vi } from "vitest";
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

it("Changes that come together make a page read its data once", () => {
  const { revalidate, schedule } = start();
  for (let i = 0; i < 5; i++) schedule.ask();
  vi.advanceTimersByTime(200);
  expect(revalidate).toHaveBeenCalledTimes(1);
});

it("A steady flow of changes does not postpone a page's read of its data forever", () => {
  const { revalidate, schedule } = start();
  for (let passed = 0; passed < 1100; passed += 100) {
    schedule.ask();
    vi.advanceTimersByTime(100);
  }
  expect(revalidate).toHaveBeenCalledTimes(1);
});

it("A page waits for a submission to end before it reads its data again", () => {
  const { revalidate, schedule } = start();
  schedule.update({ isIdle: false, isVisible: true });
  schedule.ask();
  vi.advanceTimersByTime(5000);
  expect(revalidate).not.toHaveBeenCalled();
  schedule.update({ isIdle: true, isVisible: true });
  vi.advanceTimersByTime(200);
  expect(revalidate).toHaveBeenCalledTimes(1);
});

it("A page does not read its data while a form is on its way, even before it hears of the form", () => {
  let isSubmitting = true;
  const { revalidate, schedule } = start(() => isSubmitting);
  schedule.ask();
  vi.advanceTimersByTime(5000);
  expect(revalidate).not.toHaveBeenCalled();
  isSubmitting = false;
  vi.advanceTimersByTime(200);
  expect(revalidate).toHaveBeenCalledTimes(1);
});

it("A hidden tab reads its data again when it is shown", () => {
  const { revalidate, schedule } = start();
  schedule.update({ isIdle: true, isVisible: false });
  schedule.ask();
  vi.advanceTimersByTime(60_000);
  expect(revalidate).not.toHaveBeenCalled();
  schedule.update({ isIdle: true, isVisible: true });
  vi.advanceTimersByTime(200);
  expect(revalidate).toHaveBeenCalledTimes(1);
});

it("A page that was left does not read its data again", () => {
  const { revalidate, schedule } = start();
  schedule.ask();
  schedule.stop();
  vi.advanceTimersByTime(5000);
  expect(revalidate).not.toHaveBeenCalled();
});
