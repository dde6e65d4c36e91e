import { afterWorkingDays, daysBetween, isWeekend } from "./working-days";

export interface BurndownDay {
  date: string;
  remaining: number;
  /** Remaining tasks that are in progress or in review. */
  started: number;
  total: number;
}

export interface BurnNumbers {
  done: number;
  started: number;
  remaining: number;
  /** Tasks added since the first day. */
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
  const forecast =
    needs !== null && needs <= longestForecast ? afterWorkingDays(last.date, needs) : null;
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
