import { calendarText } from "~/ui/relative-time";

/** A chart as its page receives it. The server computes the layout, so browsers load no chart library. */
export interface Chart {
  width: number;
  height: number;
  /** From bottom to top layer. */
  shapes: readonly Shape[];
  texts: readonly ChartText[];
  /** Text alternative: says in one sentence what the chart shows. */
  label: string;
  facts: readonly ChartFact[];
  /** Points to step through, one per day or dot, each with its text. */
  stops: readonly { x: number; text: string }[];
  /** The same data as a table. */
  table: { head: readonly string[]; rows: readonly (readonly string[])[] };
}

/** A `path` element. */
type Shape = { d: string; className: string; strokeDasharray?: string | undefined };

/** A `text` element. */
type ChartText = { x: number; y: number; text: string; textAnchor?: "middle" | "end" | undefined };

export const shape = (d: string, className: string, strokeDasharray?: string) => ({ d, className, strokeDasharray });

export const texts = (x: number, y: number, text: string, textAnchor?: "middle" | "end") => ({
  x,
  y,
  text,
  textAnchor,
});

export interface ChartFact {
  term: string;
  value: string;
  /** Highlighted because the plan does not hold. */
  late?: boolean;
}

/** Rounds to a tenth of a unit: finer is invisible and longer to send. */
export const round = (value: number) => Math.round(value * 10) / 10;

export const box = (x: number, y: number, width: number, height: number) =>
  `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;

/** Labels the first and last day below a chart. */
export function daysBelow(days: readonly string[], left: number, right: number, y: number): ChartText[] {
  const last = days.length > 1 ? [texts(right, y, calendarText(days.at(-1) ?? ""), "end")] : [];
  return [texts(left, y, calendarText(days[0] ?? "")), ...last];
}

const oneDay = 86_400_000;

export const isWeekend = (day: string): boolean => [0, 6].includes(new Date(day).getUTCDay());

export function dayAfter(day: string, days = 1): string {
  return new Date(Date.parse(day) + days * oneDay).toISOString().slice(0, 10);
}

/** Returns all days from the first to the last, capped at `most`. */
export function daysBetween(first: string, last: string, most = 200): string[] {
  const count = Math.round((Date.parse(last) - Date.parse(first)) / oneDay) + 1;
  return Array.from({ length: Math.max(0, Math.min(count, most)) }, (_, n) => dayAfter(first, n));
}

/** The days that a chart without an end shows: up to the last, and at most so many. */
export function daysUntil(last: string, first: string, most: number): string[] {
  if (last === "") return [];
  const earliest = dayAfter(last, 1 - most);
  return daysBetween(first > earliest ? first : earliest, last);
}

/** Returns the working day on which `count` working days after `day` are over. */
export function afterWorkingDays(day: string, count: number): string {
  let at = day;
  for (let left = Math.ceil(count); left > 0; ) {
    at = dayAfter(at);
    if (!isWeekend(at)) left -= 1;
  }
  return at;
}
