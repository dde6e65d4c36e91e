import clsx from "clsx";
import { ActionForm, PressForm } from "~/ui/action-form";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { isolated } from "~/ui/isolated";
import { amountText, countText } from "~/ui/numbers";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";
import type { Budget } from "~/wire/budgets/contract";

interface BudgetListProps {
  budgets: readonly Budget[];
  maySet: boolean;
  /** A run may have hundreds of tasks, each with its ceiling: if more are far from it, they are one line. */
  mostTasks?: number;
}

/** Budgets and their usage. People who may set budgets can edit them in place. */
export function BudgetList({ budgets, maySet, mostTasks = 5 }: BudgetListProps) {
  const far = budgets.filter(({ scope, state }) => scope === "task" && state === "open");
  const quiet = far.length > mostTasks ? far : [];
  const ceilings = new Set(quiet.map(({ amount, unit }) => amountText(amount, unit)));
  return (
    <ul className="grid gap-4" aria-label="Budgets">
      {quiet.length > 0 ? (
        <li className="text-sm">
          {countText(quiet.length, "task stops", "tasks stop")} at {[...ceilings].slice(0, 3).join(", ")}
          {ceilings.size > 3 ? " and others" : ""}
        </li>
      ) : null}
      {budgets
        .filter((budget) => !quiet.includes(budget))
        .map((budget) => (
          <li key={budget.id} className="grid gap-1.5 text-sm">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <span className="font-medium">{titleOf(budget)}</span>
              <State budget={budget} />
              {budget.unreported_jobs > 0 ? (
                <Badge tone="waiting">{countText(budget.unreported_jobs, "job")} reported no usage</Badge>
              ) : null}
            </div>
            <Bar budget={budget} />
            <p className="text-xs text-muted tabular-nums">{sentenceOf(budget)}</p>
            {budget.until_at ? (
              <p className="text-xs text-muted">
                Resets <RelativeTime at={budget.until_at} />
              </p>
            ) : null}
            {maySet ? <Change budget={budget} /> : null}
          </li>
        ))}
    </ul>
  );
}

const periods = { day: "per day", week: "per week", month: "per month" };

function titleOf({ period, amount, unit, name }: Budget): string {
  const sum = amountText(amount, unit);
  return period === null ? `${sum} for ${isolated(name)}` : `${sum} ${periods[period]} for the product`;
}

function State({ budget: { state } }: { budget: Budget }) {
  if (state === "reached") return <Badge tone="failed">reached</Badge>;
  if (state === "warning") return <Badge tone="waiting">nearly reached</Badge>;
  return null;
}

function sentenceOf({ spent, reserved, left, overshoot, unit }: Budget): string {
  const parts = [`${amountText(spent, unit)} spent`];
  if (reserved > 0) parts.push(`${amountText(reserved, unit)} reserved by running jobs`);
  parts.push(`${amountText(left, unit)} left`);
  if (overshoot > 0) parts.push(`up to ${amountText(overshoot, unit)} over`);
  return parts.join(" · ");
}

function Bar({ budget }: { budget: Budget }) {
  const { spent, reserved, amount, unit } = budget;
  const used = Math.min(100, (100 * spent) / amount);
  const kept = Math.min(100 - used, (100 * reserved) / amount);
  return (
    <svg
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      role="img"
      aria-label={`${amountText(spent, unit)} of ${amountText(amount, unit)} spent`}
      className="h-2 w-full overflow-hidden rounded-sm"
    >
      <rect width="100" height="4" className="fill-line" />
      <rect x={used} width={kept} height="4" className="fill-line-strong" />
      <rect
        width={used}
        height="4"
        className={clsx(
          budget.state === "reached" && "fill-failed",
          budget.state === "warning" && "fill-waiting",
          budget.state === "open" && "fill-accent",
        )}
      />
    </svg>
  );
}

function Change({ budget }: { budget: Budget }) {
  const target = budget.sprint_id ?? budget.sprint_run_id ?? budget.task_id;
  return (
    <WriteFields quiet className="flex flex-wrap items-end gap-2">
      <ActionForm className="flex items-end gap-2" aria-label="Change the budget">
        <HiddenFields fields={{ scope: budget.scope, unit: budget.unit }} />
        {budget.period ? <input type="hidden" name="period" value={budget.period} /> : null}
        {target ? <input type="hidden" name="target_id" value={target} /> : null}
        <label className="grid gap-1 text-xs text-muted">
          Change to
          <input
            name="amount"
            type="number"
            inputMode="decimal"
            min="0.01"
            step="any"
            required
            defaultValue={budget.amount}
            key={budget.amount}
            className="h-8 w-28 rounded border border-line-strong bg-raised px-2 text-sm text-ink pointer-coarse:h-11"
          />
        </label>
        <Button type="submit" size="sm" name="intent" value="set-budget">
          Set
        </Button>
      </ActionForm>
      <PressForm fields={{ intent: "delete-budget" }} size="sm" tone="quiet" name="budget_id" value={budget.id}>
        Remove
        <span className="sr-only"> the budget of {amountText(budget.amount, budget.unit)}</span>
      </PressForm>
    </WriteFields>
  );
}
