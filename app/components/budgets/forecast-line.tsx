import type { Forecast } from "~/contract/forecast";
import { countText } from "../numbers";
import { durationText } from "../relative-time";
import { amountText } from "./amount-text";

type Shown = Pick<Forecast, "tasks" | "finished" | "too_few" | "seconds" | "tokens" | "costs">;

/** What the open tasks will take, between the lucky fifth and the unlucky one. */
export function ForecastLine({ forecast }: { forecast: Shown }) {
  const { tasks, finished, too_few, seconds, tokens, costs } = forecast;
  if (too_few || seconds === null) {
    return (
      <p className="text-muted">
        Too few for a forecast: {finished} of the 5 finished tasks that it needs.
      </p>
    );
  }
  const parts = [
    `${durationText(seconds.low * 1000)} to ${durationText(seconds.high * 1000)} of agents’ work`,
  ];
  for (const { low, high, currency } of costs) {
    parts.push(`${amountText(low, currency)} to ${amountText(high, currency)}`);
  }
  if (costs.length === 0 && tokens !== null) {
    parts.push(`${amountText(tokens.low, "tokens")} to ${amountText(tokens.high, "tokens")}`);
  }
  return (
    <p>
      {countText(tasks, "task")}: {parts.join(", ")}.{" "}
      <span className="text-muted">
        Three times in five, from {countText(finished, "finished task")}.
      </span>
    </p>
  );
}
