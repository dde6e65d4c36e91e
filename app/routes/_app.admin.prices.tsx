import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { setModelPriceInput } from "~/contract/insight";
import { listModelPrices, setModelPrice } from "~/domain/insights/operations.server";
import { done, runForm, runIntent, textOf } from "~/http/form-action.server";
import { pageAction, pageLoader, requireWriter } from "~/http/page-guards.server";
import { requireAdmin } from "~/http/require-admin.server";
import { ActionForm } from "~/ui/action-form";
import { useActionResult } from "~/ui/action-result";
import { Button, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { HiddenFields, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/rare/server-form";
import { Cell, Table } from "~/ui/rare/table";
import { WriteFields } from "~/ui/write-access";

const here = "/admin/prices";

/** What a million tokens cost per model (specification: Model price); the cost pages count with it. */
export const loader = pageLoader(async ({ request, context }) => {
  const { actor } = await requireAdmin(request, context);
  return json(await listModelPrices(actor));
});

export const action = pageAction(async ({ request, context }) => {
  const { actor } = await requireWriter(request, context);
  const form = await request.formData();
  return runIntent(form, {
    set: () =>
      runForm(form, setModelPriceInput, async (price) => {
        await setModelPrice(actor, price);
        return done(form, here, "Price saved");
      }),
    remove: async () => {
      await setModelPrice(actor, { model_id: textOf(form, "model_id") });
      return done(form, here, "Price removed");
    },
  });
});

export const meta: MetaFunction = () => [{ title: "Model prices · Backloom" }];

const head = [
  "Model",
  { label: "Input", numeric: true },
  { label: "Output", numeric: true },
  { label: "Cache read", numeric: true },
  { label: "Cache write", numeric: true },
  "Currency",
  "",
] as const;

export default function PricesPage() {
  const { prices } = useLoaderData<typeof loader>();
  return (
    <div className="grid gap-5">
      <PriceForm />
      <Section title="Prices" about="Per one million tokens." flush>
        {prices.length === 0 ? (
          <EmptyState title="No prices yet" compact>
            The cost of a model without a price is unknown.
          </EmptyState>
        ) : (
          <Table caption="Prices per one million tokens" head={head}>
            {prices.map((price) => (
              <tr key={price.model_id}>
                <Cell className="font-mono text-xs">{price.model_id}</Cell>
                <Cell numeric>{price.input_per_million}</Cell>
                <Cell numeric>{price.output_per_million}</Cell>
                <Cell numeric>{price.cache_read_per_million}</Cell>
                <Cell numeric>{price.cache_write_per_million}</Cell>
                <Cell>{price.currency}</Cell>
                <Cell className="text-end">
                  <ActionForm>
                    <HiddenFields fields={{ intent: "remove", model_id: price.model_id }} />
                    <Button type="submit" size="sm" tone="quiet">
                      Remove
                    </Button>
                  </ActionForm>
                </Cell>
              </tr>
            ))}
          </Table>
        )}
      </Section>
    </div>
  );
}

type PriceField =
  | "model_id"
  | "input_per_million"
  | "output_per_million"
  | "cache_read_per_million"
  | "cache_write_per_million"
  | "currency";

/** Sets the price of a model; saving a known one again changes it. */
function PriceForm() {
  const form = useServerForm<PriceField>({
    lastResult: useActionResult(),
    defaultValue: { currency: "USD" },
  });
  const amount = { type: "number", min: 0, step: "any", required: true } as const;
  return (
    <Section
      title="Set a price"
      about="Per one million tokens. This replaces the price of a listed model."
    >
      <ServerForm form={form}>
        <input type="hidden" name="intent" value="set" />
        <WriteFields quiet className="grid gap-4 sm:grid-cols-3">
          <TextField label="Model" mono required {...form.field("model_id")} />
          <TextField label="Input" {...amount} {...form.field("input_per_million")} />
          <TextField label="Output" {...amount} {...form.field("output_per_million")} />
          <TextField label="Cache read" {...amount} {...form.field("cache_read_per_million")} />
          <TextField label="Cache write" {...amount} {...form.field("cache_write_per_million")} />
          <TextField label="Currency" maxLength={3} required {...form.field("currency")} />
          <div>
            <SubmitButton pendingLabel="Saving…">Save price</SubmitButton>
          </div>
        </WriteFields>
      </ServerForm>
    </Section>
  );
}
