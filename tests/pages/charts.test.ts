import { describe, expect, it } from "vitest";
import { afterWorkingDays, type Chart, daysBetween } from "~/features/charts/chart";
import { burnNumbers, drawBurndown } from "~/features/charts/draw-burndown.server";
import { drawCosts } from "~/features/charts/draw-costs.server";
import { drawCycleTimes } from "~/features/charts/draw-cycle-times.server";

/** From Monday 2 November 2026 on; the numbers are what is left. */
function record(left: number[], total = 10) {
  const days = daysBetween("2026-11-02", "2026-12-31");
  return left.map((remaining, index) => ({ date: days[index] ?? "", remaining, started: 1, total }));
}

const sprint = { status: "active", end_date: "2026-11-13" };
const factsOf = (left: number[], dates = sprint) =>
  Object.fromEntries(drawBurndown(record(left), dates)?.facts.map(({ term, value }) => [term, value]) ?? []);

const wordsOf = (chart: Chart | null) => chart?.texts.map(({ text }) => text);

it("A burndown shows the pace, the required pace and the expected end in working days", () => {
  // Monday to Wednesday: two a day, six left, so the weekend is not reached.
  expect(factsOf([10, 8, 6])).toEqual({
    Scope: "10",
    Done: "4",
    Started: "1",
    Left: "6",
    "Required pace": "0.9 a day",
    Pace: "2.0 a day",
    "At this pace": "Nov 9, 2026, 4 days early",
  });
  expect(afterWorkingDays("2026-11-06", 1)).toBe("2026-11-09");
});

it("A burndown forecasts nothing before the third day, and no end while nothing goes down", () => {
  expect(factsOf([10, 5])).toMatchObject({ Pace: "after 3 days" });
  expect(factsOf([10, 5])).not.toHaveProperty("At this pace");
  expect(factsOf([10, 10, 10])).toMatchObject({ "At this pace": "will not finish" });
  expect(factsOf([9, 9, 8], { ...sprint, end_date: "2026-11-05" })["At this pace"]).toMatch(/days late$/);
});

it("A burndown reports added and removed scope and counts neither as work done", () => {
  const days = [
    ...record([10]),
    { date: "2026-11-03", remaining: 13, started: 0, total: 13 },
    { date: "2026-11-04", remaining: 11, started: 0, total: 12 },
  ];
  expect(burnNumbers(days, null)).toMatchObject({ added: 3, removed: 1, done: 1, pace: 0.5, needed: null });
});

it("A burndown of a sprint that began before its first record says when the record begins", () => {
  const recorded = (start_date: string) =>
    drawBurndown(record([10]), { ...sprint, start_date })?.facts.find(({ term }) => term === "Recorded from")?.value;
  expect(recorded("2026-10-26")).toBe("Nov 2, 2026");
  expect(recorded("2026-11-02")).toBeUndefined();
});

it("A burndown has a slot for each day to its end, tinted weekends, a mark for today and a table", () => {
  const chart = drawBurndown(record([10, 8, 6]), sprint);
  expect(chart?.shapes.filter(({ className }) => className === "fill-sunken")).toHaveLength(2);
  expect(wordsOf(chart)).toContain("today");
  expect(chart?.stops.map(({ text }) => text).at(-1)).toBe("Nov 4, 2026: 6 of 10 left");
  expect(chart?.table.rows).toHaveLength(3);
  const over = drawBurndown(record([10, 8, 0]), { ...sprint, status: "completed" });
  expect(wordsOf(over)).not.toContain("today");
  const first = drawBurndown(record([10]), { ...sprint, end_date: null });
  expect(wordsOf(first), "the first day of a week").toContain("Nov 8, 2026");
  expect(drawBurndown([], sprint)).toBeNull();
});

describe("costs by day", () => {
  const row = (date: string, model_id: string, cost: number, currency = "USD") => ({ date, model_id, cost, currency });

  it("Daily costs stack the models of a currency, costliest first, and include days without costs", () => {
    const charts = drawCosts([
      row("2026-11-02", "small", 1),
      row("2026-11-02", "large", 4),
      row("2026-11-04", "small", 1),
      row("2026-11-04", "other", 2, "EUR"),
    ]);
    expect(charts.map(({ models }) => models.map(({ name, cost }) => `${name} ${cost}`))).toEqual([
      ["other €2.00"],
      ["large $4.00", "small $2.00"],
    ]);
    expect(charts[1]?.chart.stops.map(({ text }) => text)).toEqual([
      "Nov 2, 2026: $5.00",
      "Nov 3, 2026: $0.00",
      "Nov 4, 2026: $1.00",
    ]);
  });

  it("Daily costs and cycle times of a long history show its newest days", () => {
    const [costs] = drawCosts([
      row("2025-11-02", "small", 1),
      row("2026-11-02", "small", 2),
      row("2026-11-04", "small", 4),
    ]);
    expect(costs?.chart.stops.at(-1)?.text).toBe("Nov 4, 2026: $4.00");
    expect(costs?.chart.label).toBe("Cost per day, $6.00 in total.");
    const task = (month: number) => ({
      task_id: String(month),
      code: `T-${month}`,
      title: "",
      started_at: `2026-${month}-01T00:00:00Z`,
      finished_at: `2026-${month}-02T00:00:00Z`,
    });
    const times = drawCycleTimes(
      [10, 11, 12].map(task).toSpliced(0, 0, { ...task(10), finished_at: "2025-10-02T00:00:00Z" }),
    );
    expect(times?.stops.map(({ text }) => text.slice(0, 4))).toEqual(["T-10", "T-11", "T-12"]);
  });

  it("Daily costs give the fifth model and those after it one color", () => {
    const rows = Array.from({ length: 7 }, (_, n) => row("2026-11-02", `m${n}`, 10 - n));
    const names = drawCosts(rows)[0]?.models.map(({ name }) => name);
    expect(names).toEqual(["m0", "m1", "m2", "m3", "3 others"]);
  });
});

it("Cycle times show how long half and most tasks took, from three finished tasks on", () => {
  const task = (hours: number) => ({
    task_id: String(hours),
    code: `T-${hours}`,
    title: "",
    started_at: "2026-11-02T00:00:00Z",
    finished_at: new Date(Date.UTC(2026, 10, 2, hours)).toISOString(),
  });
  expect(drawCycleTimes([task(1), task(2)])).toBeNull();
  const chart = drawCycleTimes([task(1), task(2), task(9)]);
  expect(chart?.facts.map(({ value }) => value)).toEqual(["2 h 00 min", "9 h 00 min", "3 tasks"]);
});
