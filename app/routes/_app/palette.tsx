import { useFetcher, useNavigate } from "@remix-run/react";
import { Command } from "cmdk";
import { useEffect, useState } from "react";
import { CodeChip, Kbd } from "~/components/badge";
import { Dialog } from "~/components/dialog";
import { Icon } from "~/components/icon";
import { isPageThing } from "~/components/things/at-hand";
import type { SearchAnswer } from "../_app.search/search-answer";
import {
  adminDestination,
  destinations,
  productPages,
  productPath,
  setupDestinations,
} from "./navigation";
import { pageActions } from "./page-actions";
import { AtHandItems, PageItems, thingsAtHand } from "./palette-actions";
import { Group, Item } from "./palette-parts";
import { readRecent } from "./recent";
import type { ShellData } from "./shell-data";

interface PaletteProps {
  open: boolean;
  onClose: () => void;
  shell: ShellData;
  productId: string | undefined;
}

/** Everything one can reach or do, by typing: search over all products, recent places, actions with their keys. */
export default function Palette({ open, onClose, shell, productId }: PaletteProps) {
  const navigate = useNavigate();
  const [query, setQuery] = useState("");
  // Looked at before the dialog takes the focus.
  const [atHand] = useState(thingsAtHand);
  const [actions] = useState(pageActions);
  const ofPage = isPageThing(atHand.row);
  const { load, data } = useFetcher<SearchAnswer>({ key: "palette" });
  const wanted = query.trim();
  useEffect(() => {
    if (wanted.length < 2) return;
    const timer = setTimeout(() => load(`/search?q=${encodeURIComponent(wanted)}`), 140);
    return () => clearTimeout(timer);
  }, [wanted, load]);

  const go = (to: string) => {
    onClose();
    setQuery("");
    navigate(to);
  };
  const found = wanted.length < 2 || data?.query !== wanted ? [] : data.results;
  const places = [
    ...destinations,
    ...setupDestinations,
    ...(shell.user.isAdmin ? [adminDestination] : []),
  ];
  return (
    <Dialog title="Search and actions" open={open} onClose={onClose} bare>
      <Command label="Search and actions" loop filter={byWords} className="grid">
        <Command.Input
          data-focus-first
          value={query}
          onValueChange={setQuery}
          placeholder="Search codes, titles and texts, or type what to do"
          className="h-12 w-full border-b border-line bg-transparent px-4 text-base outline-none"
        />
        <Command.List className="max-h-96 overflow-y-auto p-1.5">
          <Command.Empty className="px-3 py-6 text-center text-sm text-muted">
            {wanted.length < 2 ? "Type two letters or more." : "Nothing found."}
          </Command.Empty>
          {found.length > 0 ? (
            <Group heading="Found">
              {found.map((hit) => (
                <Item
                  key={hit.to}
                  value={`${wanted} ${hit.code} ${hit.title} ${hit.to}`}
                  onSelect={() => go(hit.to)}
                >
                  <CodeChip>{hit.code}</CodeChip>
                  <span className="min-w-0 flex-1 truncate">{hit.title}</span>
                  <span className="text-xs text-faint">{hit.kind}</span>
                </Item>
              ))}
            </Group>
          ) : null}
          {ofPage ? null : <AtHandItems atHand={atHand} onClose={onClose} />}
          {wanted ? null : <RecentItems userId={shell.user.id} go={go} />}
          {ofPage ? <AtHandItems atHand={atHand} onClose={onClose} /> : null}
          <PageItems actions={actions} onClose={onClose} />
          <CreateItems go={go} productId={productId} />
          <Group heading="Go to">
            {places.map(({ to, label, icon, letter }) => (
              <Item key={to} value={`go ${label}`} onSelect={() => go(to)}>
                <Icon name={icon} className="text-muted" />
                <span className="flex-1">{label}</span>
                <Kbd>g</Kbd>
                <Kbd>{letter}</Kbd>
              </Item>
            ))}
            {productId
              ? productPages.map(({ page, label, letter }) => (
                  <Item
                    key={page}
                    value={`go product ${label}`}
                    onSelect={() => go(productPath(productId, page))}
                  >
                    <span className="flex-1">{label}</span>
                    <Kbd>g</Kbd>
                    <Kbd>{letter}</Kbd>
                  </Item>
                ))
              : null}
            {productId && shell.activeSprintId ? (
              <Item
                value="go product Sprint review"
                onSelect={() =>
                  go(`${productPath(productId, "sprints")}/${shell.activeSprintId}/review`)
                }
              >
                <span className="flex-1">Sprint review</span>
              </Item>
            ) : null}
          </Group>
          <Group heading="Products">
            {shell.products.map((product) => (
              <Item
                key={product.id}
                value={`product ${product.name} ${product.code}`}
                onSelect={() => go(productPath(product.id, "backlog"))}
              >
                <span className="flex-1">{product.name}</span>
                <CodeChip>{product.code}</CodeChip>
              </Item>
            ))}
          </Group>
        </Command.List>
      </Command>
    </Dialog>
  );
}

/** Every word that was typed is in the line; so what was found by search stays first, and nothing is guessed from letters. */
function byWords(line: string, typed: string): number {
  const text = line.toLowerCase();
  return typed
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
    ? 1
    : 0;
}

function CreateItems({
  go,
  productId,
}: {
  go: (to: string) => void;
  productId: string | undefined;
}) {
  return (
    <Group heading="Create">
      {productId ? (
        <>
          <Item
            value="new story create"
            onSelect={() => go(`${productPath(productId, "backlog")}?panel=new-story`)}
          >
            New story
          </Item>
          <Item
            value="new pbi create"
            onSelect={() => go(`${productPath(productId, "backlog")}?panel=new-pbi`)}
          >
            New PBI
          </Item>
          <Item
            value="new sprint create"
            onSelect={() => go(`${productPath(productId, "sprints")}?panel=new`)}
          >
            New sprint
          </Item>
        </>
      ) : null}
      <Item value="new idea create" onSelect={() => go("/ideas?panel=new")}>
        New idea
      </Item>
      <Item value="new product create" onSelect={() => go("/products/new")}>
        New product
      </Item>
    </Group>
  );
}

function RecentItems({ userId, go }: { userId: string; go: (to: string) => void }) {
  const recent = readRecent(userId);
  if (recent.length === 0) return null;
  return (
    <Group heading="Recent">
      {recent.map(({ to, title }) => (
        <Item key={to} value={`recent ${title} ${to}`} onSelect={() => go(to)}>
          <span className="min-w-0 flex-1 truncate">{title}</span>
        </Item>
      ))}
    </Group>
  );
}
