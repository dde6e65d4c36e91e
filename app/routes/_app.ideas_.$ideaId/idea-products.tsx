import type { Idea } from "~/nouns/ideas/contract";
import { PressForm, WriteForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { Section } from "~/ui/card";
import { SelectField } from "~/ui/field";
import { WriteFields } from "~/ui/write-access";

/** Other products the idea concerns. */
export function IdeaProducts({
  idea,
  products,
}: {
  idea: Idea;
  products: readonly { id: string; name: string }[];
}) {
  const linked = products.filter(({ id }) => idea.secondary_product_ids.includes(id));
  const others = products.filter(
    ({ id }) => id !== idea.product_id && !idea.secondary_product_ids.includes(id),
  );
  return (
    <Section title="Products">
      <ul className="grid gap-1.5 text-sm">
        <li>{products.find(({ id }) => id === idea.product_id)?.name ?? "Main product"}</li>
        {linked.map((product) => (
          <li key={product.id} className="flex items-center justify-between gap-2">
            {product.name}
            <WriteFields quiet>
              <PressForm
                fields={{ intent: "unlink" }}
                size="sm"
                tone="quiet"
                name="product_id"
                value={product.id}
              >
                Remove<span className="sr-only"> {product.name}</span>
              </PressForm>
            </WriteFields>
          </li>
        ))}
      </ul>
      {others.length > 0 ? (
        <WriteForm className="mt-3 flex items-end gap-2" fields={{ intent: "link" }}>
          <div className="min-w-0 flex-1">
            <SelectField
              name="product_id"
              label="Also affects"
              options={others.map(({ id, name }) => ({ value: id, label: name }))}
            />
          </div>
          <Button type="submit">Add</Button>
        </WriteForm>
      ) : null}
    </Section>
  );
}
