import { amountText, countText } from "~/ui/numbers";
import { durationText } from "~/ui/relative-time";
import type { Forecast } from "~/wire/budgets/contract";

type Shown = Pick<Forecast, "tasks" | "finished" | "too_few" | "seconds" | "tokens" | "costs">;

/** Time and cost forecast of the open tasks, as a range from 20 to 80 %. */
export function ForecastLine({ forecast }: { forecast: Shown }) {
  const { tasks, finished, too_few, seconds, tokens, costs } = forecast;
  if (too_few || seconds === null) {
    return <p className="text-muted">Not enough data for a forecast yet: {finished} of 5 finished tasks.</p>;
  }
  const sums = costs.length > 0 || tokens === null ? costs : [{ ...tokens, currency: "tokens" }];
  const parts = [
    `${durationText(seconds.low * 1000)} to ${durationText(seconds.high * 1000)} of agent time`,
    ...sums.map(({ low, high, currency }) => `${amountText(low, currency)} to ${amountText(high, currency)}`),
  ];
  return (
    <p>
      {countText(tasks, "task")}: {parts.join(", ")}.{" "}
      <span className="text-muted">60% likely, based on {countText(finished, "finished task")}.</span>
    </p>
  );
}
