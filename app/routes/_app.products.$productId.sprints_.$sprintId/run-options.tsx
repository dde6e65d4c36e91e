import { AmountFields } from "~/features/budgets/amount-fields";
import { ForecastLine } from "~/features/budgets/forecast-line";
import { PlanReviewField } from "~/features/runs/plan-review-field";
import { BeginsFrom, StartOver } from "~/features/runs/start-over";
import type { Forecast } from "~/nouns/budgets/forecast";
import type { Preflight } from "~/nouns/sprint-runs/contract";
import { WriteFields } from "~/ui/write-access";

/** What a run starts from, its forecast, and a budget for it: the menu beside *Start run*. */
export function RunOptions({
  preflight,
  forecast,
}: {
  preflight: Preflight;
  forecast: Forecast | null;
}) {
  const { begins_from, warnings } = preflight;
  return (
    <>
      {begins_from.length > 0 ? (
        <div className="grid justify-items-start gap-2">
          <BeginsFrom from={begins_from} />
          <StartOver whose={preflight.sprint_code} />
        </div>
      ) : null}
      {forecast ? <ForecastLine forecast={forecast} /> : null}
      {warnings.map(({ budget_id, message }) => (
        <p key={budget_id} className="text-waiting">
          {message}
        </p>
      ))}
      <WriteFields quiet>
        <PlanReviewField form="start-run" />
      </WriteFields>
      <WriteFields quiet className="grid gap-1">
        <p className="font-medium">Set a budget</p>
        <AmountFields label="Limit" id="run-budget" required={false} form="start-run" />
        <p className="text-xs text-muted">
          The run pauses when it is reached, and you decide what happens next. Finished work is
          kept.
        </p>
      </WriteFields>
    </>
  );
}
