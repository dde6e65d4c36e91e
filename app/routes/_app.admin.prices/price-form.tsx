import { SubmitButton } from "~/components/button";
import { Section } from "~/components/card";
import { TextField } from "~/components/field";
import { ServerForm, useServerForm } from "~/components/server-form";
import { useAnswer } from "~/components/use-answer";
import { WriteFields } from "~/components/write-access";

type PriceField =
  | "model_id"
  | "input_per_million"
  | "output_per_million"
  | "cache_read_per_million"
  | "cache_write_per_million"
  | "currency";

/** Sets the price of a model; saving a known one again changes it. */
export function PriceForm() {
  const form = useServerForm<PriceField>({
    lastResult: useAnswer(),
    defaultValue: { currency: "USD" },
  });
  const amount = { type: "number", min: 0, step: "any", required: true } as const;
  return (
    <Section title="Set a price" about="Per one million tokens. A known model gets the new price.">
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
