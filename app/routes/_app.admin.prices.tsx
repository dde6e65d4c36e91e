import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { done, runForm, runIntent, textOf } from "~/http/form-action.server";
import { pageLoader, requireAdmin, writeAction } from "~/http/page-guards.server";
import { listModelPrices, setModelPrice } from "~/nouns/insights/operations.server";
import { PressForm } from "~/ui/action-form";
import { useActionResult } from "~/ui/action-result";
import { Badge } from "~/ui/badge";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { Cell, numeric, Table } from "~/ui/table";
import { WriteFields } from "~/ui/write-access";
import { type ListedPrice, setModelPriceInput } from "~/wire/insights/contract";

const here = "/admin/prices";

/** Prices per million tokens and model (specification: Model price), used for all cost figures. */
export const loader = pageLoader(async ({ request, context }) => {
  const { actor } = await requireAdmin(request, context);
  const { prices } = await listModelPrices(actor);
  const model = new URL(request.url).searchParams.get("model");
  const edited = prices.find(({ model_id }) => model_id === model) ?? null;
  return json({ prices, model, edited });
});

export const action = writeAction(async ({ actor, form }) =>
  runIntent(form, {
    set: () =>
      runForm(form, setModelPriceInput, async (price) => {
        await setModelPrice(actor, price);
        return done(form, here, "Price saved");
      }),
    remove: async () => {
      await setModelPrice(actor, { model_id: textOf(form, "model_id") });
      return done(form, here, "Price removed");
    },
  }),
);

export const meta: MetaFunction = () => [{ title: "Model prices · Backloom" }];

const head = ["Model", ...numeric("Input", "Output", "Cache read", "Cache write"), "Currency", "Source", ""] as const;

export default function PricesPage() {
  const { prices, model, edited } = useLoaderData<typeof loader>();
  return (
    <div className="grid gap-5">
      <PriceForm key={model} model={model} price={edited} />
      <Section
        title="Prices"
        about="Per one million tokens. The shipped list has the public prices of common models; a price that you set replaces it."
        flush
      >
        <Table caption="Prices per one million tokens" head={head}>
          {prices.map((price) => (
            <PriceRow key={price.model_id} price={price} />
          ))}
        </Table>
      </Section>
    </div>
  );
}

function PriceRow({ price }: { price: ListedPrice }) {
  const { model_id, shipped } = price;
  return (
    <tr>
      <Cell className="font-mono text-xs">{model_id}</Cell>
      <Cell numeric>{price.input_per_million}</Cell>
      <Cell numeric>{price.output_per_million}</Cell>
      <Cell numeric>{price.cache_read_per_million}</Cell>
      <Cell numeric>{price.cache_write_per_million}</Cell>
      <Cell>{price.currency}</Cell>
      <Cell>{shipped ? <Badge>{`Shipped ${shipped}`}</Badge> : <Badge tone="accent">Own</Badge>}</Cell>
      <Cell className="text-end">
        <div className="flex items-center justify-end gap-2">
          <Link
            to={`?model=${encodeURIComponent(model_id)}`}
            aria-label={`Edit the price of ${model_id}`}
            className="text-accent underline underline-offset-2 hover:decoration-2"
          >
            Edit
          </Link>
          {shipped ? null : (
            <PressForm fields={{ intent: "remove", model_id }} size="sm" tone="quiet">
              Remove
            </PressForm>
          )}
        </div>
      </Cell>
    </tr>
  );
}

type PriceField =
  | "model_id"
  | "input_per_million"
  | "output_per_million"
  | "cache_read_per_million"
  | "cache_write_per_million"
  | "currency";

/** Sets a model's price. Starts with the model in the address, and its current price if it has one. */
function PriceForm({ model, price }: { model: string | null; price: ListedPrice | null }) {
  const form = useServerForm<PriceField>({
    lastResult: useActionResult(),
    defaultValue: price
      ? {
          model_id: price.model_id,
          input_per_million: String(price.input_per_million),
          output_per_million: String(price.output_per_million),
          cache_read_per_million: String(price.cache_read_per_million),
          cache_write_per_million: String(price.cache_write_per_million),
          currency: price.currency,
        }
      : { model_id: model, currency: "USD" },
  });
  const amount = { type: "number", min: 0, step: "any", required: true } as const;
  return (
    <Section title="Set a price" about="Per one million tokens. This replaces the price of a listed model.">
      <ServerForm form={form} fields={{ intent: "set" }}>
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
