import { calendarText, durationText } from "~/ui/relative-time";
import type { Insights } from "~/wire/insights/contract";
import { type Chart, daysBelow, daysUntil, round, shape, texts } from "./chart";

const width = 560;
const height = 180;
const bottom = 22;
const top = 14;
const fewest = 3;

/** Draws each task's time from first start to end as a dot, and the 50% and 85% marks. Null if too few. */
export function drawCycleTimes(tasks: Insights["cycle_times"]): Chart | null {
  const finished = tasks.map((task) => ({
    ...task,
    day: task.finished_at.slice(0, 10),
    time: Date.parse(task.finished_at) - Date.parse(task.started_at),
  }));
  const days = daysUntil(finished.at(-1)?.day ?? "", finished[0]?.day ?? "", 100);
  const taken = finished.filter(({ day }) => days.includes(day));
  if (taken.length < fewest) return null;
  const times = taken.map(({ time }) => time).sort((one, other) => one - other);
  const half = share(times, 0.5);
  const most85 = share(times, 0.85);
  const most = Math.max(1, times.at(-1) ?? 1);
  const slot = (width - 16) / days.length;
  const x = (day: string) => round(8 + (days.indexOf(day) + 0.5) * slot);
  // Values range from minutes to days; the square root keeps the short ones apart.
  const y = (time: number) => round(height - bottom - Math.sqrt(time / most) * (height - top - bottom));
  const marks = half === most85 ? [] : [{ time: half, name: "50% within" }];
  marks.push({ time: most85, name: "85% within" });
  return {
    width,
    height,
    shapes: [
      shape(`M8 ${height - bottom}H${width - 8}`, "stroke-line"),
      ...marks.map(({ time }) => shape(`M8 ${y(time)}H${width - 8}`, "stroke-line-strong", "3 3")),
      // A zero-length line with round caps is a dot.
      ...taken.map(({ day, time }) =>
        shape(`M${x(day)} ${y(time)}h0`, "stroke-accent stroke-[7] opacity-70 [stroke-linecap:round]"),
      ),
    ],
    texts: [
      ...marks.map(({ time, name }) => texts(width - 8, y(time) - 3, `${name} ${durationText(time)}`, "end")),
      ...daysBelow(days, 8, width - 8, height - 5),
    ],
    label: `Time from start to done of ${taken.length} tasks: 50% within ${durationText(half)}, 85% within ${durationText(most85)}.`,
    facts: [
      { term: "50% within", value: durationText(half) },
      { term: "85% within", value: durationText(most85) },
      { term: "From", value: `${taken.length} tasks` },
    ],
    stops: taken.map(({ day, code, time }) => ({
      x: x(day),
      text: `${code}: ${durationText(time)}, done ${calendarText(day)}`,
    })),
    table: {
      head: ["Task", "Took", "Done"],
      rows: taken.map(({ code, time, day }) => [code, durationText(time), calendarText(day)]),
    },
  };
}

function share(sorted: readonly number[], part: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * part) - 1)] ?? 0;
}
