import { amountText, countText } from "~/ui/numbers";
import type { Ceiling, Forecast } from "~/wire/budgets/contract";

/** What one task usually takes, and the limit that each task of the start gets unless its tick is taken off. */
export function CeilingField({ forecast, form }: { forecast: Pick<Forecast, "estimate" | "ceiling">; form: string }) {
  const { ceiling } = forecast;
  return (
    <div className="grid gap-1">
      <EstimateLine forecast={forecast} />
      <label className="flex items-center gap-2">
        <input type="checkbox" name="ceiling" value={textOf(ceiling)} form={form} defaultChecked className="size-4" />
        Stop each task at{" "}
        {"tokens" in ceiling ? amountText(ceiling.tokens, "tokens") : amountText(ceiling.amount, ceiling.currency)}
      </label>
    </div>
  );
}

export function EstimateLine({ forecast: { estimate } }: { forecast: Pick<Forecast, "estimate"> }) {
  const { cost, tokens, minutes, of, too_few, held, held_of } = estimate;
  if (too_few || minutes === null) {
    return <p className="text-muted">Not enough data for one task yet: {of} of 8 finished tasks.</p>;
  }
  const parts = [`${Math.round(minutes.low)} to ${Math.round(minutes.high)} min`];
  const rough = (one: number) => amountText(Number(one.toPrecision(2)), cost?.currency ?? "");
  if (cost) parts.unshift(`${rough(cost.low)} to ${rough(cost.high)}`);
  else if (tokens) parts.unshift(`${amountText(tokens.low, "tokens")} to ${amountText(tokens.high, "tokens")}`);
  return (
    <p>
      A task usually takes {parts.join(", ")}.{" "}
      <span className="text-muted">
        Of {countText(of, "such task")}
        {held_of > 0 ? `; it was right for ${held} of the last ${held_of}` : ""}.
      </span>
    </p>
  );
}

const textOf = (ceiling: Ceiling) =>
  "tokens" in ceiling ? `${ceiling.tokens} tokens` : `${ceiling.amount} ${ceiling.currency}`;
