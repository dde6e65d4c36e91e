import { Link } from "@remix-run/react";
import { ActionForm } from "~/components/action-form";
import { CodeChip } from "~/components/badge";
import { Button } from "~/components/button";
import { DeleteProduct } from "~/components/delete-product";
import { RelativeTime } from "~/components/relative-time";
import { WriteFields } from "~/components/write-access";

export interface ArchivedProduct {
  id: string;
  code: string;
  name: string;
  archived_at: string;
}

/** What its owner put away: still there to read, to bring back, or to delete for good. */
export function ArchivedProducts({ products }: { products: readonly ArchivedProduct[] }) {
  if (products.length === 0) return null;
  return (
    <details className="mt-5 rounded-lg border border-line bg-surface">
      <summary className="px-4 py-2.5 text-sm font-semibold hover:bg-sunken">
        Archived <span className="font-normal text-muted">({products.length})</span>
      </summary>
      <ul className="divide-y divide-line border-t border-line">
        {products.map((product) => (
          <li key={product.id} className="flex flex-wrap items-center gap-2 px-4 py-2 text-sm">
            <CodeChip>{product.code}</CodeChip>
            <Link
              to={`/products/${product.id}/backlog`}
              className="min-w-28 flex-1 hover:underline"
            >
              {product.name}
            </Link>
            <span className="text-xs text-muted">
              archived <RelativeTime at={product.archived_at} />
            </span>
            <WriteFields quiet>
              <ActionForm action={`/products/${product.id}/settings`}>
                <Button type="submit" size="sm" name="intent" value="restore">
                  Restore<span className="sr-only"> {product.name}</span>
                </Button>
              </ActionForm>
              <DeleteProduct product={product} size="sm" />
            </WriteFields>
          </li>
        ))}
      </ul>
    </details>
  );
}
