import { AmountFields } from "~/features/budgets/amount-fields";
import { BudgetList } from "~/features/budgets/budget-list";
import type { BudgetList as Budgets } from "~/nouns/budgets/contract";
import { ActionForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { Section } from "~/ui/card";
import { HiddenFields } from "~/ui/field";
import { WriteFields } from "~/ui/write-access";

/** Budget of a run. Renders nothing if none is set and the viewer may not set one. */
export function RunBudget({
  runId,
  budgets: { budgets, may_set },
  open,
}: {
  runId: string;
  budgets: Budgets;
  /** Whether work may still happen: a finished run needs no new budget. */
  open: boolean;
}) {
  const maySet = may_set && open;
  if (budgets.length === 0 && !maySet) return null;
  const own = budgets.some(({ scope }) => scope === "run");
  return (
    <Section
      title="Budget"
      about={
        budgets.length === 0
          ? "When this run reaches its budget, work pauses and you decide what happens next."
          : undefined
      }
    >
      <div className="grid gap-4">
        {budgets.length > 0 ? <BudgetList budgets={budgets} maySet={maySet} showName /> : null}
        {maySet ? (
          <details>
            <summary className="text-sm text-accent underline underline-offset-2 hover:decoration-2">
              {own ? "Add a budget in another currency or in tokens" : "Set a budget for this run"}
            </summary>
            <ActionForm className="mt-3">
              <WriteFields className="flex flex-wrap items-end gap-2">
                <HiddenFields fields={{ intent: "set-budget", scope: "run", target_id: runId }} />
                <AmountFields label="Limit" id="new-budget" />
                <Button type="submit">Set budget</Button>
              </WriteFields>
            </ActionForm>
          </details>
        ) : null}
      </div>
    </Section>
  );
}
