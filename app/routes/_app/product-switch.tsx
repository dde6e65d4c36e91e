import { useMatches, useParams } from "@remix-run/react";
import clsx from "clsx";
import { Icon } from "~/ui/icon";
import { Menu, MenuButton, MenuDivider, MenuHeading, MenuLink } from "~/ui/menu";
import { productPath } from "./navigation";
import type { ShellData } from "./shell-data";

/** Returns the current product: the one in the address, else the active one. */
export function useCurrentProduct(shell: ShellData) {
  const { productId } = useParams();
  const matches = useMatches();
  const shown = productId ?? matches.map(({ data }) => productOf(data)).find(Boolean);
  const wanted = shown ?? shell.activeProductId;
  return shell.products.find((product) => product.id === wanted) ?? shell.products[0];
}

/** Pages of a story, task or idea have their product in their data. */
function productOf(data: unknown): string | undefined {
  if (typeof data !== "object" || data === null || !("page" in data)) return undefined;
  const { page } = data;
  if (typeof page !== "object" || page === null || !("product" in page)) return undefined;
  const { product } = page;
  if (typeof product !== "object" || product === null || !("id" in product)) return undefined;
  return typeof product.id === "string" ? product.id : undefined;
}

/** Opens another product and makes it the active one. Demo accounts only open it. */
export function ProductSwitch({ shell, className }: { shell: ShellData; className?: string }) {
  const current = useCurrentProduct(shell);
  return (
    <Menu
      label={current ? `Product ${current.name}, switch` : "Choose a product"}
      triggerClassName={clsx(
        "flex h-9 min-w-0 items-center gap-2 rounded border border-line bg-surface px-2.5 text-start text-sm font-medium hover:border-line-strong",
        className,
      )}
      trigger={
        <>
          <span className="min-w-0 flex-1 truncate">{current?.name ?? "No product yet"}</span>
          <Icon name="chevrons-up-down" className="size-3.5 shrink-0 text-faint" />
        </>
      }
    >
      <MenuHeading>Products</MenuHeading>
      <form method="post" action="/active-product">
        {shell.products.map((product) =>
          shell.user.isDemo ? (
            <MenuLink key={product.id} to={productPath(product.id, "backlog")}>
              {product.name}
            </MenuLink>
          ) : (
            <MenuButton key={product.id} name="product_id" value={product.id}>
              <span className="min-w-0 flex-1 truncate">{product.name}</span>
              <span className="font-mono text-2xs text-faint">{product.code}</span>
              {product.id === shell.activeProductId ? <Icon name="check" label="active" /> : null}
            </MenuButton>
          ),
        )}
      </form>
      <MenuDivider />
      <MenuLink to="/products/new">
        <Icon name="plus" className="text-muted" />
        New product
      </MenuLink>
    </Menu>
  );
}
