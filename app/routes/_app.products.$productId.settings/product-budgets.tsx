import { useFetcher } from "@remix-run/react";
import { AmountFields } from "~/features/budgets/amount-fields";
import { BudgetList } from "~/features/budgets/budget-list";
import { ActionForm } from "~/ui/action-form";
import type { ActionResult } from "~/ui/action-result";
import { Button, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { HiddenFields, SelectField, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { WriteFields } from "~/ui/write-access";
import type { BudgetSettings, BudgetList as Budgets } from "~/wire/budgets/contract";

const periods = [
  { value: "day", label: "Day" },
  { value: "week", label: "Week" },
  { value: "month", label: "Month" },
];

const reporting = [
  { value: "allow", label: "Can work, marked with a badge" },
  { value: "refuse", label: "Get no jobs while a budget is set" },
];

/** The product's budgets per day, week or month, and settings for all of its budgets. */
export function ProductBudgets({ budgets: { product_id, budgets, settings, may_set } }: { budgets: Budgets }) {
  if (budgets.length === 0 && !may_set) return null;
  return (
    <Section
      title="Budgets"
      about="When a budget is reached, work pauses and you decide what happens next. Finished work is kept. Set the budget of a run on its own page."
    >
      <div className="grid gap-5">
        {budgets.length > 0 ? <BudgetList budgets={budgets} maySet={may_set} /> : null}
        {may_set ? (
          <>
            <ActionForm aria-label="Set a budget for the product">
              <WriteFields quiet className="flex flex-wrap items-end gap-2">
                <HiddenFields fields={{ intent: "set-budget", scope: "product" }} />
                <AmountFields id="product-budget" />
                <SelectField label="Per" name="period" id="budget-period" options={periods} />
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
  const fetcher = useFetcher<ActionResult>({ key: `budget-settings-${productId}` });
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
      <summary className="text-sm text-accent underline underline-offset-2 hover:decoration-2">Budget settings</summary>
      <ServerForm form={form} fetcher={fetcher} className="mt-3">
        <WriteFields quiet className="grid gap-4">
          <input type="hidden" name="intent" value="budget-settings" />
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              label="Time zone"
              description="Days, weeks and months start at midnight in this time zone, such as Europe/Paris."
              {...form.field("time_zone")}
            />
            <SelectField label="Agents that report no usage" options={reporting} {...form.field("unreported")} />
            <TextField
              label="Expected tokens per task"
              description="Used until three tasks have finished."
              inputMode="numeric"
              {...form.field("expected_tokens")}
            />
            <TextField
              label="Expected cost per task"
              description="In the budget's currency. Used until three tasks have finished."
              inputMode="decimal"
              {...form.field("expected_cost")}
            />
          </div>
          <SubmitButton className="justify-self-start" pending={fetcher.state !== "idle"} pendingLabel="Saving…">
            Save
          </SubmitButton>
        </WriteFields>
      </ServerForm>
    </details>
  );
}
