import { Link } from "@remix-run/react";
import { ActionForm } from "~/components/action-form";
import { Button } from "~/components/button";
import { WriteFields } from "~/components/write-access";
import type { DashboardData } from "~/contract/dashboard";

/** Somebody made this person a member: said once, with the one thing that they have to decide. */
export function AddedTo({ products }: { products: DashboardData["added_to"] }) {
  if (products.length === 0) return null;
  return (
    <ul
      aria-label="You were added"
      className="mb-5 divide-y divide-line rounded-lg border border-line bg-surface"
    >
      {products.map((product) => (
        <li key={product.id} className="flex flex-wrap items-center gap-2 px-4 py-2.5 text-sm">
          <p className="min-w-56 flex-1">
            {product.owner_username ?? "Somebody"} added you to{" "}
            <Link to={`/products/${product.id}/backlog`} className="font-medium hover:underline">
              {product.name}
            </Link>
            . <span className="text-muted">May your workers do its jobs on your machine?</span>
          </p>
          <WriteFields quiet>
            <ActionForm
              action={`/products/${product.id}/members`}
              className="flex gap-2"
              aria-label={`Workers in ${product.name}`}
            >
              <input type="hidden" name="intent" value="allow-workers" />
              <Button type="submit" size="sm" name="allowed" value="yes">
                Let my workers work here
              </Button>
              <Button type="submit" size="sm" tone="quiet" name="allowed" value="no">
                Not mine
              </Button>
            </ActionForm>
          </WriteFields>
        </li>
      ))}
    </ul>
  );
}
