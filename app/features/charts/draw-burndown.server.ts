import { calendarText } from "~/ui/relative-time";
import {
  afterWorkingDays,
  box,
  type Chart,
  type ChartFact,
  dayAfter,
  daysBelow,
  daysBetween,
  isWeekend,
  round,
  shape,
  texts,
} from "./chart";

const width = 560;
const height = 200;
const left = 28;
const right = 8;
const bottom = 22;
const top = 14;
/** Shown of a sprint without an end, so that its first days are steps and not a box. */
const leastDays = 7;

type SprintDates = { status: string; start_date?: string | null; end_date: string | null };

/** One slot per day to the sprint's planned end, and a forecast if the data supports one. Null before the first day. */
export function drawBurndown(
  days: readonly BurndownDay[],
  { status, start_date: start, end_date: end }: SprintDates,
): Chart | null {
  const first = days[0];
  const last = days.at(-1);
  const numbers = burnNumbers(days, end);
  if (!first || !last || !numbers) return null;
  const isOpen = status === "active";
  const ahead = isOpen ? [nearForecast(numbers, end), end ?? dayAfter(first.date, leastDays - 1)] : [];
  const lastSlot = [last.date, end ?? "", ...ahead].sort().at(-1);
  const slots = daysBetween(first.date, lastSlot ?? last.date);
  const slot = (width - left - right) / slots.length;
  const most = Math.max(1, ...days.map(({ total, remaining }) => Math.max(total, remaining)));
  /** The end of a day: its recorded values hold from here on. */
  const edge = (index: number) => round(left + (index + 1) * slot);
  const y = (count: number) => round(top + (1 - count / most) * (height - top - bottom));
  const steps = (of: (day: BurndownDay) => number) =>
    days
      .map((day, index) => (index === 0 ? `M${left} ${y(of(day))}H${edge(0)}` : `V${y(of(day))}H${edge(index)}`))
      .join("");
  const today = days.length - 1;
  const scale = [...new Set([0, Math.round(most / 2), most])];
  const forecast = isOpen ? slots.indexOf(numbers.forecast ?? "") : -1;
  return {
    width,
    height,
    shapes: [
      ...slots.flatMap((day, index) =>
        isWeekend(day) ? shape(box(left + index * slot, top, slot, height - top - bottom), "fill-sunken") : [],
      ),
      ...scale.map((count) => shape(`M${left} ${y(count)}H${width - right}`, "stroke-line")),
      ...(end ? ideal(slots, first.total, end, y, edge) : []),
      shape(
        steps(({ total }) => total),
        "fill-none stroke-line-strong stroke-[1.5]",
      ),
      ...(isOpen ? [shape(`M${edge(today)} ${top}V${height - bottom}`, "stroke-ink stroke-[0.75]")] : []),
      ...(forecast === -1
        ? []
        : [shape(`M${edge(today)} ${y(last.remaining)}L${edge(forecast)} ${y(0)}`, "fill-none stroke-accent", "5 4")]),
      shape(
        steps(({ remaining }) => remaining),
        "fill-none stroke-accent stroke-[2.5] [stroke-linejoin:round]",
      ),
    ],
    texts: [
      ...scale.map((count) => texts(left - 6, y(count) + 4, String(count), "end")),
      ...(isOpen ? [todayAt(edge(today))] : []),
      ...daysBelow(slots, left, width - right, height - 5),
    ],
    label: `Burndown. ${numbers.remaining} of ${last.total} tasks left.`,
    facts: [
      ...factsOf(numbers, last, isOpen),
      ...(start && start < first.date ? [{ term: "Recorded from", value: calendarText(first.date) }] : []),
    ],
    stops: days.map((day, index) => ({
      x: round(edge(index) - slot / 2),
      text: `${calendarText(day.date)}: ${day.remaining} of ${day.total} left`,
    })),
    table: {
      head: ["Day", "Left", "Of"],
      rows: days.map((day) => [calendarText(day.date), String(day.remaining), String(day.total)]),
    },
  };
}

/** A forecast far beyond the sprint is only stated in words: drawing it would squeeze the recorded days. */
function nearForecast({ forecast }: BurnNumbers, end: string | null): string {
  if (!forecast || !end) return "";
  return daysBetween(end, forecast, 60).length <= 8 ? forecast : "";
}

/** Points of the ideal line: falls to zero over the working days, flat on weekends. */
function ideal(
  slots: readonly string[],
  total: number,
  end: string,
  y: (count: number) => number,
  edge: (index: number) => number,
) {
  const planned = slots.filter((day) => day <= end);
  const working = planned.filter((day) => !isWeekend(day)).length;
  if (working === 0) return [];
  let open = total;
  const points = planned.map((day, index) => {
    if (!isWeekend(day)) open -= total / working;
    return `L${edge(index)} ${y(Math.max(0, open))}`;
  });
  const line = `M${left} ${y(total)}${points.join("")}`;
  return [shape(line, "fill-none stroke-faint [stroke-linecap:round]", "1 4")];
}

/** On the last slots the label ends at the line; centered, it would be cut off. */
const todayAt = (x: number) => texts(x, top - 4, "today", x > width - 2 * left ? "end" : "middle");

function factsOf(numbers: BurnNumbers, last: BurndownDay, isOpen: boolean): ChartFact[] {
  const { added, removed, pace, needed, forecast, daysLate } = numbers;
  const churn = added + removed > 0 ? ` (+${added} −${removed})` : "";
  const facts: ChartFact[] = [
    { term: "Scope", value: `${last.total}${churn}` },
    { term: "Done", value: String(numbers.done) },
    { term: "Started", value: String(numbers.started) },
    { term: "Left", value: String(numbers.remaining) },
  ];
  if (!isOpen) return facts;
  if (needed !== null) {
    facts.push({ term: "Required pace", value: perDay(needed), late: pace !== null && pace < needed });
  }
  facts.push({ term: "Pace", value: pace === null ? "after 3 days" : perDay(pace) });
  if (numbers.remaining > 0 && pace !== null) {
    const late = daysLate !== null && daysLate > 0;
    facts.push({
      term: "At this pace",
      value: forecast ? `${calendarText(forecast)}${lateText(daysLate)}` : "will not finish",
      late: late || forecast === null,
    });
  }
  return facts;
}

const perDay = (pace: number) => `${pace.toFixed(1)} a day`;

function lateText(days: number | null): string {
  if (days === null || days === 0) return "";
  const count = Math.abs(days);
  return `, ${count} ${count === 1 ? "day" : "days"} ${days > 0 ? "late" : "early"}`;
}

type BurndownDay = { date: string; remaining: number; started: number; total: number };

interface BurnNumbers {
  done: number;
  started: number;
  remaining: number;
  added: number;
  removed: number;
  /** Tasks per working day: so far, and needed from now on to finish on time. Null if unknown. */
  pace: number | null;
  needed: number | null;
  /** Day on which nothing is left at this pace. Needs three recorded days and a falling count. */
  forecast: string | null;
  /** Working days after the planned end; negative means early. */
  daysLate: number | null;
}

const fewestDays = 3;
/** No one plans for a date further away. */
const longestForecast = 250;

/** Returns what a sprint's recorded days support; null without any. */
export function burnNumbers(days: readonly BurndownDay[], end: string | null): BurnNumbers | null {
  const first = days[0];
  const last = days.at(-1);
  if (!first || !last) return null;
  const { added, removed } = churn(days);
  const worked = days.slice(1).filter(({ date }) => !isWeekend(date)).length;
  const burnt = last.total - last.remaining - (first.total - first.remaining);
  const pace = days.length >= fewestDays && worked > 0 ? burnt / worked : null;
  const left = end
    ? daysBetween(last.date, end)
        .slice(1)
        .filter((day) => !isWeekend(day)).length
    : 0;
  const isOpen = last.remaining > 0;
  const needs = isOpen && pace !== null && pace > 0 ? last.remaining / pace : null;
  const forecast = needs !== null && needs <= longestForecast ? afterWorkingDays(last.date, needs) : null;
  return {
    done: last.total - last.remaining,
    started: last.started,
    remaining: last.remaining,
    added,
    removed,
    pace,
    needed: isOpen && left > 0 ? last.remaining / left : null,
    forecast,
    daysLate: forecast && end ? lateness(forecast, end) : null,
  };
}

function churn(days: readonly BurndownDay[]) {
  let added = 0;
  let removed = 0;
  for (const [index, day] of days.entries()) {
    const change = day.total - (days[index - 1]?.total ?? day.total);
    if (change > 0) added += change;
    else removed -= change;
  }
  return { added, removed };
}

function lateness(forecast: string, end: string): number {
  const count = (from: string, to: string) =>
    daysBetween(from, to, 1000)
      .slice(1)
      .filter((day) => !isWeekend(day)).length;
  return forecast > end ? count(end, forecast) : -count(forecast, end);
}
