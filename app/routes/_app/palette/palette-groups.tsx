import type { SearchAnswer } from "~/routes/_app.search/find-pasted.server";
import { CodeChip, Kbd } from "~/ui/badge";
import { Icon } from "~/ui/icon";
import { isolated } from "~/ui/isolated";
import { adminDestination, destinations, productPages, productPath, setupDestinations } from "../navigation";
import type { ShellData } from "../shell-data";
import { knownAdminPages, knownPages, knownProductPages } from "./known-pages";
import { Group, Item, lineText } from "./palette-parts";
import { readRecent } from "./recent";

interface Go {
  /** Closes the palette and opens an address. */
  go: (to: string) => void;
}

export function FoundItems({ found, wanted, go }: Go & { found: SearchAnswer["results"]; wanted: string }) {
  if (found.length === 0) return null;
  return (
    <Group heading="Found">
      {found.map((hit) => (
        <Item key={hit.to} value={lineText(hit.code, `${wanted} ${hit.title} ${hit.to}`)} onSelect={() => go(hit.to)}>
          <CodeChip>{hit.code}</CodeChip>
          <span className="min-w-0 flex-1 truncate">{hit.title}</span>
          <span className="text-xs text-faint">
            {hit.product ? `${hit.kind} in ${isolated(hit.product)}` : hit.kind}
          </span>
        </Item>
      ))}
    </Group>
  );
}

/** Destinations of the whole service, then those of the current product. */
export function DestinationItems({
  shell,
  productId,
  wanted,
  go,
}: Go & { shell: ShellData; productId: string | undefined; wanted: string }) {
  const pages = [...destinations, ...setupDestinations, ...(shell.user.isAdmin ? [adminDestination] : [])];
  // Only what is asked for: without a word the list stays short.
  const known = !wanted
    ? []
    : [
        ...(productId ? knownProductPages.map((page) => ({ ...page, to: productPath(productId, page.to) })) : []),
        ...knownPages,
        ...(shell.user.isAdmin ? knownAdminPages : []),
      ];
  return (
    <Group heading="Go to">
      {pages.map(({ to, label, icon, letter }) => (
        <Item key={to} value={lineText(label, "go to")} onSelect={() => go(to)}>
          <Icon name={icon} className="text-muted" />
          <span className="flex-1">{label}</span>
          <Kbd>g</Kbd>
          <Kbd>{letter}</Kbd>
        </Item>
      ))}
      {productId
        ? productPages.map(({ page, label, letter }) => (
            <Item key={page} value={lineText(label, "go to product")} onSelect={() => go(productPath(productId, page))}>
              <span className="flex-1">{label}</span>
              <Kbd>g</Kbd>
              <Kbd>{letter}</Kbd>
            </Item>
          ))
        : null}
      {known.map(({ to, label, words }) => (
        <Item key={`${to} ${label}`} value={lineText(label, `go to ${words}`)} onSelect={() => go(to)}>
          <span className="flex-1">{label}</span>
        </Item>
      ))}
      {productId && shell.activeSprintId ? (
        <Item
          value={lineText("Sprint review", "go to")}
          onSelect={() => go(`${productPath(productId, "sprints")}/${shell.activeSprintId}/review`)}
        >
          <span className="flex-1">Sprint review</span>
        </Item>
      ) : null}
    </Group>
  );
}

export function ProductItems({ shell, go }: Go & { shell: ShellData }) {
  return (
    <Group heading="Products">
      {shell.products.map((product) => (
        <Item
          key={product.id}
          value={lineText(product.name, `product ${product.code}`)}
          onSelect={() => go(productPath(product.id, "backlog"))}
        >
          <span className="flex-1">{product.name}</span>
          <CodeChip>{product.code}</CodeChip>
        </Item>
      ))}
    </Group>
  );
}

export function CreateItems({ go, productId }: Go & { productId: string | undefined }) {
  return (
    <Group heading="Create">
      {productId ? (
        <>
          <Item
            value={lineText("New story", "create")}
            onSelect={() => go(`${productPath(productId, "backlog")}?panel=new-story`)}
          >
            New story
          </Item>
          <Item
            value={lineText("New PBI", "create")}
            onSelect={() => go(`${productPath(productId, "backlog")}?panel=new-pbi`)}
          >
            New PBI
          </Item>
          <Item
            value={lineText("New sprint", "create")}
            onSelect={() => go(`${productPath(productId, "sprints")}?panel=new`)}
          >
            New sprint
          </Item>
        </>
      ) : null}
      <Item value={lineText("New idea", "create")} onSelect={() => go("/ideas?panel=new")}>
        New idea
      </Item>
      <Item value={lineText("New product", "create")} onSelect={() => go("/products/new")}>
        New product
      </Item>
    </Group>
  );
}

export function RecentItems({ userId, go }: Go & { userId: string }) {
  const recent = readRecent(userId).filter(
    ({ title }, index, all) => all.findIndex((other) => other.title === title) === index,
  );
  if (recent.length === 0) return null;
  return (
    <Group heading="Recent">
      {recent.map(({ to, title }) => (
        <Item key={to} value={lineText(title, `recent ${to}`)} onSelect={() => go(to)}>
          <span className="min-w-0 flex-1 truncate">{title}</span>
        </Item>
      ))}
    </Group>
  );
}
