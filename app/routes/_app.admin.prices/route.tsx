import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { ActionForm } from "~/components/action-form";
import { Button } from "~/components/button";
import { Section } from "~/components/card";
import { EmptyState } from "~/components/empty-state";
import { Cell, Table } from "~/components/table";
import { setModelPriceInput } from "~/contract/insight";
import { listModelPrices, setModelPrice } from "~/domain/insights/operations.server";
import { done, runForm, runIntent, textOf } from "~/http/form-action.server";
import { pageAction, pageLoader, requireWriter } from "~/http/page-guards.server";
import { requireAdmin } from "~/http/require-admin.server";
import { PriceForm } from "./price-form";

export { shouldRevalidate } from "~/live/unreachable";

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
            Work of a model without a price counts as cost unknown.
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
                    <input type="hidden" name="intent" value="remove" />
                    <input type="hidden" name="model_id" value={price.model_id} />
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
