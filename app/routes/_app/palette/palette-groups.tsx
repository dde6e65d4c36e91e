import type { SearchAnswer } from "~/routes/_app.search/find-pasted.server";
import { CodeChip } from "~/ui/badge";
import { Icon } from "~/ui/icon";
import { isolated } from "~/ui/isolated";
import { destinations, productPages, productPath, setupDestinations } from "../navigation";
import type { ShellData } from "../shell-data";
import { knownAdminPages, knownPages, knownProductPages } from "./known-pages";
import type { Entry } from "./palette-parts";
import { readRecent } from "./recent";

export type Go = (to: string) => void;

interface Place extends Omit<Entry, "key" | "group" | "run"> {
  to: string;
}

const placesOf = (group: string, places: readonly Place[], go: Go): Entry[] =>
  places.map(({ to, ...place }) => ({ ...place, group, key: `${group} ${to} ${place.name}`, run: () => go(to) }));

export const foundEntries = (found: SearchAnswer["results"], wanted: string, go: Go): Entry[] =>
  placesOf(
    "Found",
    found.map(({ to, code, title, kind, product }) => ({
      to,
      name: code,
      shown: title,
      words: `${wanted} ${title} ${to}`,
      before: <CodeChip>{code}</CodeChip>,
      after: <span className="text-xs text-faint">{product ? `${kind} in ${isolated(product)}` : kind}</span>,
    })),
    go,
  );

/** Destinations of the whole service, then those of the current product. */
export function destinationEntries(shell: ShellData, productId: string | undefined, isTyped: boolean, go: Go): Entry[] {
  const { isAdmin } = shell.user;
  const pages = [...destinations, ...setupDestinations(isAdmin)];
  // Only what is asked for: without a word the list stays short.
  const ofProduct = isTyped && productId ? knownProductPages : [];
  const known = isTyped ? [...knownPages, ...(isAdmin ? knownAdminPages : [])] : [];
  const inProduct = (page: string) => (productId ? productPath(productId, page) : "");
  const places: Place[] = pages.map(({ to, label, icon, letter }) => ({
    to,
    name: label,
    words: "go to",
    before: <Icon name={icon} className="text-muted" />,
    press: `g ${letter}`,
  }));
  if (productId) {
    for (const { page, label, letter } of productPages)
      places.push({ to: inProduct(page), name: label, words: "go to product", press: `g ${letter}` });
  }
  for (const { to, label, words } of ofProduct)
    places.push({ to: inProduct(to), name: label, words: `go to ${words}` });
  for (const { to, label, words } of known) places.push({ to, name: label, words: `go to ${words}` });
  if (productId && shell.activeSprintId) {
    places.push({ to: inProduct(`sprints/${shell.activeSprintId}/review`), name: "Sprint review", words: "go to" });
  }
  return placesOf("Go to", places, go);
}

export const productEntries = (shell: ShellData, go: Go): Entry[] =>
  placesOf(
    "Products",
    shell.products.map(({ id, name, code }) => ({
      to: productPath(id, "backlog"),
      name,
      words: `product ${code}`,
      after: <CodeChip>{code}</CodeChip>,
    })),
    go,
  );

export function createEntries(productId: string | undefined, go: Go): Entry[] {
  const ofProduct = productId
    ? [
        { to: `${productPath(productId, "backlog")}?panel=new-story`, name: "New story" },
        { to: `${productPath(productId, "backlog")}?panel=new-pbi`, name: "New PBI" },
        { to: `${productPath(productId, "sprints")}?panel=new`, name: "New sprint" },
      ]
    : [];
  const all = [
    ...ofProduct,
    { to: "/ideas?panel=new", name: "New idea" },
    { to: "/products/new", name: "New product" },
  ];
  return placesOf(
    "Create",
    all.map((place) => ({ ...place, words: "create" })),
    go,
  );
}

/** Offers a story with the text that nothing fits as its title. */
export const titledEntry = (productId: string, title: string, go: Go): Entry => ({
  key: "create titled",
  group: "Create",
  name: `New story “${title}”`,
  words: "",
  isLast: true,
  run: () => go(`${productPath(productId, "backlog")}?${new URLSearchParams({ panel: "new-story", title })}`),
});

export function recentEntries(userId: string, go: Go): Entry[] {
  const recent = readRecent(userId).filter(
    ({ title }, index, all) => all.findIndex((other) => other.title === title) === index,
  );
  return placesOf(
    "Recent",
    recent.map(({ to, title }) => ({ to, name: title, words: "recent" })),
    go,
  );
}
