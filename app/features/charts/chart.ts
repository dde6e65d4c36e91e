import { calendarText } from "~/ui/relative-time";

/** A chart as its page receives it: measured out on the server, so that no browser loads what draws it. */
export interface Chart {
  width: number;
  height: number;
  /** From the lowest to the uppermost. */
  shapes: readonly Shape[];
  words: readonly Words[];
  /** What the picture shows, in a sentence for those who do not see it. */
  label: string;
  /** Said above the picture. */
  facts: readonly ChartFact[];
  /** Places to walk through, one a day or dot, with what there is to say about each. */
  stops: readonly { x: number; text: string }[];
  /** The same in numbers. */
  table: { head: readonly string[]; rows: readonly (readonly string[])[] };
}

/** A `path` element. */
interface Shape {
  d: string;
  className: string;
  strokeDasharray?: string | undefined;
}

/** A `text` element. */
interface Words {
  x: number;
  y: number;
  text: string;
  textAnchor?: "middle" | "end" | undefined;
}

export const shape = (d: string, className: string, strokeDasharray?: string): Shape => ({
  d,
  className,
  strokeDasharray,
});

export const words = (
  x: number,
  y: number,
  text: string,
  textAnchor?: "middle" | "end",
): Words => ({
  x,
  y,
  text,
  textAnchor,
});

export interface ChartFact {
  term: string;
  value: string;
  /** Drawn attention to: what was planned does not hold. */
  late?: boolean;
}

/** A tenth of a unit is finer than anybody sees, and short to send. */
export const round = (value: number) => Math.round(value * 10) / 10;

export const box = (x: number, y: number, width: number, height: number) =>
  `M${round(x)} ${round(y)}h${round(width)}v${round(height)}h${round(-width)}z`;

/** The first day and the last one under a picture. */
export function daysBelow(
  days: readonly string[],
  left: number,
  right: number,
  y: number,
): Words[] {
  const last = days.length > 1 ? [words(right, y, calendarText(days.at(-1) ?? ""), "end")] : [];
  return [words(left, y, calendarText(days[0] ?? "")), ...last];
}
