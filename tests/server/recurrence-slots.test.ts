import { expect, it } from "vitest";
import { dueSlot, nextSlots } from "~/nouns/recurrences/recurrences.server";

const berlin = (cron: string) => ({ cron, zone: "Europe/Berlin" });

/** The slots that a process decides which looks every 20 seconds. */
function decided(cron: string, from: string, to: string): string[] {
  const schedule = berlin(cron);
  const slots: string[] = [];
  let due = nextSlots(schedule, 1, new Date(from))?.[0];
  for (let now = Date.parse(from); now < Date.parse(to); now += 20_000) {
    if (!due || due.getTime() > now) continue;
    const { slot, isLate, next } = dueSlot(schedule, due, new Date(now));
    expect(isLate).toBe(false);
    slots.push(slot.toISOString());
    due = next ?? undefined;
  }
  return slots;
}

it("A daily story recurs once a day when summer time begins, also in the hour left out", () => {
  const [from, to] = ["2026-03-27T12:00:00Z", "2026-03-31T12:00:00Z"];
  expect(decided("30 2 * * *", from, to)).toEqual(
    "2026-03-28T01:30:00.000Z 2026-03-29T01:00:00.000Z 2026-03-30T00:30:00.000Z 2026-03-31T00:30:00.000Z".split(" "),
  );
  expect(decided("0 9 * * *", from, to).map((slot) => slot.slice(8, 13))).toEqual(["28T08", "29T07", "30T07", "31T07"]);
});

it("A daily story recurs once a day when summer time ends, also in the hour that comes twice", () => {
  const [from, to] = ["2026-10-23T12:00:00Z", "2026-10-27T12:00:00Z"];
  expect(decided("30 2 * * *", from, to)).toEqual(
    "2026-10-24T00:30:00.000Z 2026-10-25T00:30:00.000Z 2026-10-26T01:30:00.000Z 2026-10-27T01:30:00.000Z".split(" "),
  );
});

it("An hourly story recurs once for each hour that passes when the clocks change", () => {
  expect(decided("0 * * * *", "2026-03-28T23:30:00Z", "2026-03-29T02:30:00Z")).toHaveLength(3);
  expect(decided("0 * * * *", "2026-10-24T22:30:00Z", "2026-10-25T02:30:00Z")).toHaveLength(4);
});

it("After a night off only the last missed slot is made, which is late after ten minutes", () => {
  const schedule = berlin("0 * * * *");
  const due = new Date("2026-10-24T20:00:00Z");
  const inTime = dueSlot(schedule, due, new Date("2026-10-25T06:09:59Z"));
  expect(inTime).toMatchObject({ slot: new Date("2026-10-25T06:00:00Z"), isLate: false });
  const late = dueSlot(schedule, due, new Date("2026-10-25T06:11:00Z"));
  expect(late).toEqual({
    slot: new Date("2026-10-25T06:00:00Z"),
    isLate: true,
    next: new Date("2026-10-25T07:00:00Z"),
  });
});
