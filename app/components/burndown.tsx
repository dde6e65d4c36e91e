import { calendarText } from "./relative-time";
import { Cell, Table } from "./table";

export interface BurndownDay {
  date: string;
  remaining: number;
  total: number;
}

const width = 560;
const height = 180;
const left = 28;
const bottom = 22;
const top = 10;

/** What is left, day by day, as recorded: drawn on the server, with the same numbers as a table behind it. */
export function Burndown({ days }: { days: readonly BurndownDay[] }) {
  if (days.length === 0) {
    return (
      <p className="text-sm text-muted">
        The line begins when the sprint starts and its first task moves.
      </p>
    );
  }
  const most = Math.max(1, ...days.map((day) => Math.max(day.total, day.remaining)));
  const x = (index: number) =>
    days.length === 1 ? left : left + (index * (width - left - 8)) / (days.length - 1);
  const y = (count: number) => top + (1 - count / most) * (height - top - bottom);
  const steps = days
    .map((day, index) =>
      index === 0 ? `M${x(0)} ${y(day.remaining)}` : `H${x(index)}V${y(day.remaining)}`,
    )
    .join("");
  const scope = days
    .map((day, index) =>
      index === 0 ? `M${x(0)} ${y(day.total)}` : `H${x(index)}V${y(day.total)}`,
    )
    .join("");
  const first = days[0];
  const last = days.at(-1);
  const summary =
    !first || !last || days.length === 1
      ? `${last?.remaining ?? 0} of ${last?.total ?? 0} tasks left`
      : `From ${first.remaining} to ${last.remaining} of ${last.total} tasks left`;
  return (
    <figure className="grid gap-2">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Burndown. ${summary}`}
        className="w-full"
      >
        {[0, 0.5, 1].map((share) => {
          const count = Math.round(most * share);
          return (
            <g key={share}>
              <path d={`M${left} ${y(count)}H${width - 8}`} className="stroke-line" />
              <text
                x={left - 6}
                y={y(count) + 4}
                textAnchor="end"
                className="fill-muted text-2xs max-sm:text-base"
              >
                {count}
              </text>
            </g>
          );
        })}
        <path d={scope} className="fill-none stroke-line-strong" strokeDasharray="3 3" />
        <path
          d={steps}
          className="fill-none stroke-accent"
          strokeWidth="2.5"
          strokeLinejoin="round"
        />
        {days.map((day, index) => (
          <circle key={day.date} cx={x(index)} cy={y(day.remaining)} r="3" className="fill-accent">
            <title>{`${calendarText(day.date)}: ${day.remaining} of ${day.total} left`}</title>
          </circle>
        ))}
        {first ? (
          <text x={left} y={height - 5} className="fill-muted text-2xs max-sm:text-base">
            {calendarText(first.date)}
          </text>
        ) : null}
        {last && days.length > 1 ? (
          <text
            x={width - 8}
            y={height - 5}
            textAnchor="end"
            className="fill-muted text-2xs max-sm:text-base"
          >
            {calendarText(last.date)}
          </text>
        ) : null}
      </svg>
      <figcaption className="text-xs text-muted">
        {summary}. The dashed line is the whole scope.
      </figcaption>
      <details className="text-sm">
        <summary className="text-muted hover:text-ink">As a table</summary>
        <Table
          caption="Burndown by day"
          head={["Day", { label: "Left", numeric: true }, { label: "Of", numeric: true }]}
        >
          {days.map((day) => (
            <tr key={day.date}>
              <Cell>{calendarText(day.date)}</Cell>
              <Cell numeric>{day.remaining}</Cell>
              <Cell numeric>{day.total}</Cell>
            </tr>
          ))}
        </Table>
      </details>
    </figure>
  );
}
