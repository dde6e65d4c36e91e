import { useFetcher, useLocation, useMatches, useParams } from "@remix-run/react";
import clsx from "clsx";
import { useEffect, useRef } from "react";
import { enhancedField } from "~/ui/form-fields";
import { Icon } from "~/ui/icon";
import { Menu, MenuButton, MenuDivider, MenuHeading, MenuLink } from "~/ui/menu";
import { productPath } from "./navigation";
import type { BarProps, ShellData } from "./shell-data";

/** Returns the current product: the one in the address, otherwise the active one. */
export function useCurrentProduct(shell: ShellData) {
  const wanted = useShownProduct() ?? shell.activeProductId;
  return shell.products.find((product) => product.id === wanted) ?? shell.products[0];
}

function useShownProduct(): string | undefined {
  const { productId } = useParams();
  const matches = useMatches();
  return productId ?? matches.map(({ data }) => productOf(data)).find(Boolean);
}

/** Pages of a story, task, idea or job have their product in their data. */
function productOf(data: unknown): string | undefined {
  const product = fieldOf(fieldOf(data, "page"), "product") ?? fieldOf(data, "product");
  const id = fieldOf(product, "id");
  const found = id ?? fieldOf(fieldOf(data, "job"), "product_id");
  return typeof found === "string" ? found : undefined;
}

function fieldOf(data: unknown, name: string): unknown {
  return typeof data === "object" && data !== null ? Reflect.get(data, name) : undefined;
}

/** Pages of no product stay with the last one. Once a page: two tabs would otherwise answer each other for ever. */
export function useFollowedProduct({ user, products, activeProductId }: ShellData): void {
  // The queue of reviews leads through all products: only the side bar goes along.
  const isReview = useLocation().pathname.endsWith("/changes");
  const page = useShownProduct();
  const shown = isReview ? undefined : page;
  const { submit } = useFetcher();
  const followed = useRef(activeProductId);
  useEffect(() => {
    if (!shown || followed.current === shown || user.isDemo) return;
    followed.current = shown;
    if (shown === activeProductId || !products.some(({ id }) => id === shown)) return;
    submit({ product_id: shown, [enhancedField]: "1" }, { method: "post", action: "/active-product" });
  }, [shown, activeProductId, products, user.isDemo, submit]);
}

type ProductSwitchProps = Pick<BarProps, "shell" | "product"> & { className: string };

/** Opens another product and makes it the active one. Demo accounts only open it. */
export function ProductSwitch({ shell, product: current, className }: ProductSwitchProps) {
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
