import { moneyText, tokensText } from "~/components/numbers";
import { calendarText } from "~/components/relative-time";
import { Cell, Table } from "~/components/table";
import type { Insights } from "~/contract/insight";

const width = 560;
const height = 180;
const bottom = 22;
const top = 18;

type Days = Insights["by_day"];

/** One bar a day, a chart a currency; the same numbers as a table behind them. */
export function CostBars({ days }: { days: Days }) {
  const currencies = [...new Set(days.flatMap((day) => day.costs.map((each) => each.currency)))];
  if (days.length === 0)
    return (
      <p className="text-sm text-muted">The first bar appears when a job reports its tokens.</p>
    );
  if (currencies.length === 0)
    return (
      <p className="text-sm text-muted">
        Tokens were reported, and none of their models has a price yet.
      </p>
    );
  return (
    <div className="grid gap-4">
      {currencies.sort().map((currency) => (
        <CurrencyBars key={currency} days={costsIn(days, currency)} currency={currency} />
      ))}
    </div>
  );
}

function costsIn(days: Days, currency: string) {
  return days.map((day) => ({
    ...day,
    cost: day.costs.find((each) => each.currency === currency)?.cost ?? 0,
  }));
}

function CurrencyBars({ days, currency }: { days: ReturnType<typeof costsIn>; currency: string }) {
  const most = Math.max(...days.map((day) => day.cost), 0.000001);
  const slot = (width - 8) / days.length;
  const bar = Math.min(48, slot * 0.7);
  const total = days.reduce((sum, day) => sum + day.cost, 0);
  const first = days[0];
  const last = days.at(-1);
  return (
    <figure className="grid gap-2">
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={`Cost a day, ${moneyText(total, currency)} together`}
        className="w-full"
      >
        <path d={`M4 ${height - bottom}H${width - 4}`} className="stroke-line" />
        <text x="4" y="11" className="fill-muted text-2xs">
          {moneyText(most, currency)}
        </text>
        {days.map((day, index) => {
          const tall = (day.cost / most) * (height - top - bottom);
          return (
            <rect
              key={day.date}
              x={4 + index * slot + (slot - bar) / 2}
              y={height - bottom - tall}
              width={bar}
              height={Math.max(tall, 1)}
              rx="2"
              className="fill-accent"
            >
              <title>{`${calendarText(day.date)}: ${moneyText(day.cost, currency)}`}</title>
            </rect>
          );
        })}
        {first ? (
          <text x="4" y={height - 5} className="fill-muted text-2xs">
            {calendarText(first.date)}
          </text>
        ) : null}
        {last && days.length > 1 ? (
          <text x={width - 4} y={height - 5} textAnchor="end" className="fill-muted text-2xs">
            {calendarText(last.date)}
          </text>
        ) : null}
      </svg>
      <details className="text-sm">
        <summary className="text-muted hover:text-ink">As a table</summary>
        <Table
          caption="Cost by day"
          head={["Day", { label: "Cost", numeric: true }, { label: "Tokens", numeric: true }]}
        >
          {days.map((day) => (
            <tr key={day.date}>
              <Cell>{calendarText(day.date)}</Cell>
              <Cell numeric>{moneyText(day.cost, currency)}</Cell>
              <Cell numeric>
                {tokensText(
                  day.input_tokens +
                    day.output_tokens +
                    day.cache_read_tokens +
                    day.cache_write_tokens,
                )}
              </Cell>
            </tr>
          ))}
        </Table>
      </details>
    </figure>
  );
}
