import { Link, useFetcher } from "@remix-run/react";
import { useRef } from "react";
import { EnhancedField, FormResult } from "~/ui/action-form";
import type { ActionResult } from "~/ui/action-result";
import { Button } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { useEarlierChoices } from "~/ui/use-earlier-choices";
import type { Label } from "~/wire/labels/contract";
import { LabelChips } from "./label-chips";

interface LabelsPropertyProps {
  labels: readonly Label[] | undefined;
  all: readonly Label[];
  fields: Readonly<Record<string, string>>;
  productId: string;
}

/** The labels of a story or task: chips that open a checkbox for each label of the product. */
export function LabelsProperty({ labels, all, fields, productId }: LabelsPropertyProps) {
  const fetcher = useFetcher<ActionResult>({ key: `labels ${Object.values(fields).join(" ")}` });
  const form = useRef<HTMLFormElement>(null);
  useEarlierChoices(form);
  const own = labels ?? [];
  const state = own.map(({ id }) => id).join(" ");
  return (
    <div className="property">
      <span className="property-label">Labels</span>
      <details className="min-w-0 pl-1.5">
        <summary className="flex min-w-0 flex-wrap items-center gap-1 rounded">
          {own.length === 0 ? <span className="text-muted">None</span> : <LabelChips labels={own} />}
          <span className="text-xs text-accent underline underline-offset-2 hover:decoration-2">
            Change<span className="sr-only"> labels</span>
          </span>
        </summary>
        <fetcher.Form key={state} ref={form} method="post" autoComplete="off" className="mt-2 grid gap-1.5">
          <EnhancedField />
          <HiddenFields fields={fields} />
          {all.map(({ id, name }) => (
            <label key={id} className="flex items-center gap-2 text-sm pointer-coarse:min-h-10">
              <input
                type="checkbox"
                name="label"
                value={id}
                defaultChecked={own.some((label) => label.id === id)}
                className="size-4"
              />
              {name}
            </label>
          ))}
          <div className="flex flex-wrap items-center gap-3">
            {all.length > 0 ? (
              <Button type="submit" size="sm">
                Save labels
              </Button>
            ) : null}
            <Link
              to={`/products/${productId}/settings#labels`}
              className="text-xs text-accent underline underline-offset-2 hover:decoration-2"
            >
              Edit the product's labels
            </Link>
          </div>
          <FormResult answer={fetcher.data} fetcher={fetcher} />
        </fetcher.Form>
      </details>
    </div>
  );
}
