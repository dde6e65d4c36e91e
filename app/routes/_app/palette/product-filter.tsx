import { Form, useLocation, useSubmit } from "@remix-run/react";
import { useRef } from "react";
import { Button } from "~/ui/button";
import { useEarlierChoices } from "~/ui/use-earlier-choices";
import { useShellData } from "../shell-data";

/** Limits a page of the whole service to one product. Part of the address. */
export function ProductFilter({ productId, required = false }: { productId: string | null; required?: boolean }) {
  const shell = useShellData();
  const submit = useSubmit();
  const { pathname } = useLocation();
  const form = useRef<HTMLFormElement>(null);
  useEarlierChoices(form);
  if (required && shell?.products.length === 0) return null;
  return (
    <Form
      ref={form}
      action={pathname}
      className="flex items-center gap-2"
      onChange={(event) => submit(event.currentTarget, { replace: true })}
    >
      <select
        name="product"
        aria-label="Product"
        defaultValue={productId ?? ""}
        key={productId}
        className="h-8 max-w-56 rounded border border-line bg-surface px-2 text-sm pointer-coarse:h-10"
      >
        {required ? null : <option value="">All products</option>}
        {shell?.products.map((product) => (
          <option key={product.id} value={product.id}>
            {product.name}
          </option>
        ))}
      </select>
      <noscript>
        <Button type="submit">Show</Button>
      </noscript>
    </Form>
  );
}
