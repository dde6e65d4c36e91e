import { useFetcher } from "@remix-run/react";
import { type ActionAnswer, ActionForm } from "~/components/action-form";
import { AmountFields } from "~/components/budgets/amount-fields";
import { BudgetList } from "~/components/budgets/budget-list";
import { Button, SubmitButton } from "~/components/button";
import { Section } from "~/components/card";
import { SelectField, TextField } from "~/components/field";
import { ServerForm, useServerForm } from "~/components/server-form";
import { WriteFields } from "~/components/write-access";
import type { BudgetSettings, BudgetList as Budgets } from "~/contract/budget";

const periods = [
  { value: "day", label: "a day" },
  { value: "week", label: "a week" },
  { value: "month", label: "a month" },
];

const reporting = [
  { value: "allow", label: "May work, with a badge" },
  { value: "refuse", label: "Get no work under a budget" },
];

/** What the product may cost in a day, week or month, and what holds for all its budgets. */
export function ProductBudgets({
  budgets: { product_id, budgets, settings, may_set },
}: {
  budgets: Budgets;
}) {
  if (budgets.length === 0 && !may_set) return null;
  return (
    <Section
      title="Budgets"
      about="Work stops at the sum that you set, keeps what was done, and asks you. Sprints and runs have budgets on their own pages."
    >
      <div className="grid gap-5">
        {budgets.length > 0 ? <BudgetList budgets={budgets} maySet={may_set} showName /> : null}
        {may_set ? (
          <>
            <ActionForm aria-label="Set a budget of the product">
              <WriteFields quiet className="flex flex-wrap items-end gap-2">
                <input type="hidden" name="intent" value="set-budget" />
                <input type="hidden" name="scope" value="product" />
                <AmountFields label="Stop at" id="product-budget" />
                <SelectField label="Every" name="period" id="budget-period" options={periods} />
                <Button type="submit">Set budget</Button>
              </WriteFields>
            </ActionForm>
            <Settings productId={product_id} settings={settings} />
          </>
        ) : null}
      </div>
    </Section>
  );
}

function Settings({ productId, settings }: { productId: string; settings: BudgetSettings }) {
  const fetcher = useFetcher<ActionAnswer>({ key: `budget-settings-${productId}` });
  const form = useServerForm<"time_zone" | "unreported" | "expected_tokens" | "expected_cost">({
    lastResult: fetcher.data,
    defaultValue: {
      time_zone: settings.time_zone,
      unreported: settings.unreported,
      expected_tokens: String(settings.expected_tokens),
      expected_cost: String(settings.expected_cost),
    },
  });
  return (
    <details>
      <summary className="text-sm text-accent underline underline-offset-2 hover:decoration-2">
        What holds for all budgets
      </summary>
      <ServerForm form={form} fetcher={fetcher} className="mt-3">
        <WriteFields quiet className="grid gap-4">
          <input type="hidden" name="intent" value="budget-settings" />
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Time zone"
              description="Where its day, week and month begin, such as Europe/Paris."
              {...form.field("time_zone")}
            />
            <SelectField
              label="Agents that report no usage"
              options={reporting}
              {...form.field("unreported")}
            />
            <TextField
              label="Tokens that a task usually needs"
              description="Until three have finished."
              inputMode="numeric"
              {...form.field("expected_tokens")}
            />
            <TextField
              label="Money that a task usually needs"
              description="In the budget's own currency, until three have finished."
              inputMode="decimal"
              {...form.field("expected_cost")}
            />
          </div>
          <div>
            <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Saving…">
              Save
            </SubmitButton>
          </div>
        </WriteFields>
      </ServerForm>
    </details>
  );
}
