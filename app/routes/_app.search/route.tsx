import { json, type MetaFunction } from "@remix-run/node";
import { Form, Link, useLoaderData } from "@remix-run/react";
import { personLoader } from "~/http/page-guards.server";
import { search } from "~/nouns/search/operations.server";
import { CodeChip } from "~/ui/badge";
import { Button } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { isolated } from "~/ui/isolated";
import { PageHeader } from "~/ui/page-header";
import { useRowKeys } from "~/ui/page-keys";
import { StatusDot, StatusPill } from "~/ui/status";
import { isCanonicalUuid } from "~/wire/canonical-id";
import { matchesFilter, readFilter } from "~/wire/item-filter";
import type { SearchResult } from "~/wire/search/contract";
import { beginning } from "~/wire/text";
import { findPasted, type SearchAnswer, type SearchHit } from "./find-pasted.server";

const longestQuery = 200;

/** Searches codes, titles and texts of everything the user can access. The palette uses it too. */
export const loader = personLoader(async ({ actor, request }) => {
  const address = new URL(request.url).searchParams;
  const query = beginning((address.get("q") ?? "").trim(), longestQuery);
  if (query === "") return json<SearchAnswer>({ query, results: [] });
  // More than one call: what was pasted is found by its id, all else by words, near first.
  const pasted = await findPasted(actor, query);
  if (pasted) return json<SearchAnswer>({ query, results: [{ ...hitOf(pasted), isNamed: true }] });
  const filter = readFilter(query);
  // Results can be filtered by status and kind as on boards: status:review is:task.
  const isNarrowed = filter.terms.length > 0;
  const isWord = (part: string) => readFilter(part).terms.length === 0;
  const words = query.split(/\s+/).filter(isWord).join(" ");
  const near = address.get("near") ?? "";
  const ask = { query: words, limit: isNarrowed ? 50 : 30 };
  const found = await Promise.all([
    // The current product's own hits, so that a larger product does not crowd them out.
    ...(isCanonicalUuid(near) ? [search(actor, { ...ask, product_id: near })] : []),
    search(actor, ask),
  ]);
  const items = new Map(found.flatMap((page) => page.items.map((item) => [item.id, item])));
  const fits = (item: Found) => matchesFilter({ text: "", terms: filter.terms }, { ...item, is: [item.kind] }, "");
  const isNamed = (item: Found) => item.code.toLowerCase() === query.toLowerCase();
  const isNear = (item: Found) => item.product_id === near;
  const isTitled = (item: Found) => item.title.toLowerCase().includes(words.toLowerCase());
  const rank = (item: Found) => [isNamed, isNear, isTitled].map((is) => (is(item) ? "0" : "1")).join("");
  const results = [...items.values()]
    .filter(fits)
    .toSorted((one, other) => rank(one).localeCompare(rank(other)))
    .map((item) => ({ ...hitOf(item), isNamed: isNamed(item) }));
  return json<SearchAnswer>({ query, results });
});

type Found = SearchResult["items"][number];

function hitOf(item: Found): Omit<SearchHit, "isNamed"> {
  const { kind, id, code, title, status, product_id, product_code } = item;
  const pages: Record<string, string> = {
    pbi: `/products/${product_id}/backlog?panel=pbi:${id}`,
    story: `/stories/${id}`,
    task: `/tasks/${id}`,
    idea: `/ideas/${id}`,
  };
  return { kind, code, title, status, product: product_code, to: pages[kind] ?? "/dashboard" };
}

export const meta: MetaFunction = () => [{ title: "Search · Backloom" }];

export default function SearchPage() {
  const { query, results } = useLoaderData<typeof loader>();
  useRowKeys();
  return (
    <div className="mx-auto max-w-3xl">
      <PageHeader title="Search" />
      <Form role="search" className="mb-5 flex gap-2">
        <input
          name="q"
          type="search"
          data-filter
          defaultValue={query}
          aria-label="Search codes, titles and texts"
          title="Words, or status:review,failed or is:task,story,pbi,idea. Put a minus before a filter to exclude it"
          placeholder="Codes, titles and texts"
          className="h-10 min-w-0 flex-1 rounded border border-line-strong bg-raised px-3 text-base"
        />
        <Button type="submit" tone="primary" size="lg">
          Search
        </Button>
      </Form>
      {results.length > 0 ? (
        <ul className="divide-y divide-line rounded-lg border border-line bg-surface">
          {results.map((hit) => (
            <li key={hit.to} className="flex items-center gap-3 px-4 py-2.5 text-sm">
              <CodeChip>{hit.code}</CodeChip>
              <Link to={hit.to} data-row className="line-clamp-2 min-w-0 flex-1 hover:underline sm:line-clamp-1">
                {hit.title}
              </Link>
              <span className="text-xs text-muted max-sm:hidden">{hit.product}</span>
              {hit.status ? (
                <>
                  <StatusDot status={hit.status} className="sm:hidden" />
                  <StatusPill status={hit.status} className="max-sm:hidden" />
                </>
              ) : null}
            </li>
          ))}
        </ul>
      ) : query ? (
        <EmptyState title={`Nothing found for “${isolated(query)}”`}>
          Words and codes match from their beginning. <code>blocked:yes</code> finds blocked items,{" "}
          <code>blocked:T-3</code> items blocked by T-3. Next to a word, <code>status:review</code> or{" "}
          <code>is:task</code> narrows the results.
        </EmptyState>
      ) : null}
    </div>
  );
}
