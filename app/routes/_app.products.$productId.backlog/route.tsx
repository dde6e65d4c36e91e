import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData, useLocation, useNavigate, useNavigation } from "@remix-run/react";
import { Suspense, useEffect, useMemo } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { rowOf } from "~/features/items/active-row";
import { useListPaste } from "~/features/items/lists/pasted-text";
import { type OwnPeek, RowActions } from "~/features/items/row-actions";
import { setSelecting, useSelected, useSelecting } from "~/features/items/selection";
import { SavedViews } from "~/features/views/saved-views";
import { hiddenParts, shownViews } from "~/features/views/shown-views.server";
import { productAction, productLoader } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { getBacklogTree } from "~/nouns/pages/operations.server";
import { listProductMembers } from "~/nouns/products/operations.server";
import { takesStories } from "~/nouns/sprints/takes-stories";
import { useActionResult } from "~/ui/action-result";
import { Button, ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { FormErrors } from "~/ui/field";
import { countText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";
import { useRowKeys } from "~/ui/page-keys";
import { StatusDot } from "~/ui/status";
import type { BacklogTree } from "~/wire/pages/contract";
import { beginning } from "~/wire/text";
import { actOnBacklog } from "./backlog-action.server";
import { Filters, rowParts } from "./filters";
import { importKnownPanel, importPanel, KnownPanel, Panel } from "./import-panel";
import { loadPanel } from "./panel-data.server";
import { importVirtualRows, Tree } from "./tree";
import { type TreeAddress, useTreeAddress } from "./tree-address";
import { type TreeView, treeRows } from "./tree-rows";

export const loader = productLoader(async ({ actor, principal, productId, request }) => {
  const address = new URL(request.url).searchParams;
  // More than one call: the panel and the names of a search are read only where they are open.
  const reading = getBacklogTree(actor, { product_id: productId });
  const query = beginning(address.get("q")?.trim() ?? "", 200);
  const [tree, panel, members] = await Promise.all([
    reading,
    loadPanel({ actor, principal }, productId, address, reading),
    query === "" ? [] : listProductMembers(actor, { product_id: productId }),
  ]);
  const sprint = address.get("sprint") ?? "";
  const filter = {
    query,
    status: address.get("status") ?? "",
    done: address.get("done") === "1",
    // Sprint by code, which is the same in other installations. Older links have the id.
    sprint: tree.sprints.find(({ id }) => id === sprint)?.code ?? sprint,
  };
  const storiesInSprint: Record<string, number> = {};
  for (const { sprint_id } of tree.stories) {
    if (sprint_id) storiesInSprint[sprint_id] = (storiesInSprint[sprint_id] ?? 0) + 1;
  }
  return json({
    productId,
    filter,
    hide: hiddenParts(address, rowParts),
    saved: shownViews(tree.views, "backlog", request),
    view: treeRows(
      tree,
      filter,
      { open: address.get("open"), collapsed: address.get("shut") },
      { me: principal.user_id, names: new Map(members.map(({ user_id, username }) => [user_id, username])) },
    ),
    sprints: tree.sprints,
    storiesInSprint,
    hasPbis: tree.pbis.length > 0,
    pbis: panel ? tree.pbis.map((pbi) => ({ ...named(pbi), status: pbi.status })) : [],
    stories: panel?.kind === "paste" ? takers(tree.stories, panel.into).map(named) : [],
    panel,
  });
});

/** Stories a list can go into: those not done, and the one it comes from. */
function takers<Story extends { id: string; status: string }>(stories: readonly Story[], into: string | null): Story[] {
  return stories.filter(({ id, status }) => status !== "done" || into === `story:${id}`);
}

const named = ({ id, code, title }: { id: string; code: string; title: string }) => ({ id, code, title });

export const action = productAction(async ({ actor, productId, form, request }) =>
  actOnBacklog(actor, productId, form, request),
);

export const meta: MetaFunction = () => [{ title: "Backlog · Backloom" }];

export default function BacklogPage() {
  const { productId, filter, hide, saved, view, sprints, storiesInSprint, hasPbis, pbis, stories, panel } =
    useLoaderData<typeof loader>();
  const refusal = useActionResult<{ error?: unknown }>();
  const address = useTreeAddress();
  useLiveRevalidation({ stream: "backlog", productId });
  useRowKeys();
  useListPaste(address.panelTo("paste"));
  const selected = useSelected();
  const next = useNextPanel();
  const coming = next && next !== address.panel && rowOf(next) ? next : null;
  const ownPeek = useTreePeek(address, next === null ? null : (coming ?? address.panel));
  useEffect(() => {
    Promise.all([importPanel(), importKnownPanel(), importVirtualRows()]).catch(() => {
      // Offline: each loads when it is needed.
    });
  }, []);
  return (
    <>
      <PageHeader
        title="Backlog"
        actions={
          <>
            {view.rows.length > 0 ? <SelectingButton /> : null}
            <NewItems address={address} hasPbis={hasPbis} />
          </>
        }
      />
      {view.total + view.hiddenDone > 0 ? (
        <>
          <div className="mb-3 flex flex-wrap items-center gap-2">
            <Filters filter={filter} hide={hide} sprints={sprints} address={address} view={view} />
            <SavedViews {...saved} />
          </div>
          <FormErrors errors={typeof refusal?.error === "string" ? [refusal.error] : []} />
          <SprintStrip sprints={sprints} stories={storiesInSprint} />
        </>
      ) : null}
      <div className="list-and-panel">
        {view.rows.length > 0 ? (
          <Tree view={view} sprints={sprints} address={address} productId={productId} hide={hide} marked={selected} />
        ) : (
          <Nothing view={view} address={address} productId={productId} />
        )}
        {coming ? (
          <Suspense>
            <KnownPanel key={coming} item={coming} inList onClose={() => ownPeek.show(null)} />
          </Suspense>
        ) : panel && next !== null ? (
          <Panel panel={panel} pbis={pbis} stories={stories} closeTo={address.panelTo(null)} />
        ) : null}
      </div>
      {view.rows.length > 0 ? <RowActions productId={productId} ownPeek={ownPeek} /> : null}
    </>
  );
}

function NewItems({ address, hasPbis }: { address: TreeAddress; hasPbis: boolean }) {
  return (
    <>
      <ButtonLink to={address.panelTo("new-pbi")} preventScrollReset>
        New PBI
      </ButtonLink>
      <ButtonLink to={address.panelTo("paste")} preventScrollReset tone="quiet">
        Paste a list
      </ButtonLink>
      {hasPbis ? (
        <ButtonLink to={address.panelTo("new-story")} preventScrollReset tone="primary" data-create>
          New story
        </ButtonLink>
      ) : null}
    </>
  );
}

function Nothing({
  view: { isFiltered, hiddenDone },
  address,
  productId,
}: {
  view: TreeView;
  address: TreeAddress;
  productId: string;
}) {
  if (isFiltered) return <EmptyState title="Nothing matches">Change or clear the filter.</EmptyState>;
  if (hiddenDone > 0)
    return (
      <EmptyState
        title="Everything is done"
        action={
          <ButtonLink to={address.filterTo({ done: "1" })} preventScrollReset>
            Show done
          </ButtonLink>
        }
      >
        Create a story, or show what is done.
      </EmptyState>
    );
  return (
    <EmptyState
      title="No PBIs yet"
      keys="Press c to create one, or paste a list anywhere on this page."
      action={
        <>
          <ButtonLink to={address.panelTo("new-pbi")} tone="primary" data-create>
            New PBI
          </ButtonLink>
          <ButtonLink to={address.panelTo("paste")} preventScrollReset>
            Paste a list
          </ButtonLink>
          <ButtonLink to={`/import?product=${productId}`}>Import a backlog</ButtonLink>
          <ButtonLink to={`/ideas?panel=new&product=${productId}`}>Plan with an agent</ButtonLink>
        </>
      }
    >
      A PBI is a capability of the product. Its stories describe what users get, and their tasks are the work for
      agents. Write the first one, bring a list or another tool's backlog, or describe an idea and let an agent plan it.
    </EmptyState>
  );
}

/** The panel that a link to this page leads to while it loads: null closes it at once, so that it takes no more keys. */
function useNextPanel(): string | null | undefined {
  const { pathname } = useLocation();
  const { location, formMethod } = useNavigation();
  return formMethod || location?.pathname !== pathname ? undefined : new URLSearchParams(location.search).get("panel");
}

/** Peeking opens a row's panel while focus stays in the tree. */
function useTreePeek(address: TreeAddress, open: string | null): OwnPeek {
  const navigate = useNavigate();
  return useMemo(
    () => ({
      open,
      show: (thing) =>
        navigate(address.panelTo(thing), {
          state: { peek: true },
          replace: thing === null || address.panel !== null,
          preventScrollReset: true,
        }),
    }),
    [address, open, navigate],
  );
}

/** Toggles selecting by touch: while on, a tap selects a row instead of opening it. */
function SelectingButton() {
  const hydrated = useHydrated();
  const isSelecting = useSelecting();
  if (!hydrated) return null;
  return (
    <Button tone="quiet" aria-pressed={isSelecting} onClick={() => setSelecting(!isSelecting)}>
      {isSelecting ? "Stop selecting" : "Select"}
    </Button>
  );
}

/** Sprints that accept stories: drop a story here, or use "Move to…" in its panel. */
function SprintStrip({ sprints, stories }: Pick<BacklogTree, "sprints"> & { stories: Record<string, number> }) {
  if (sprints.length === 0) return null;
  return (
    <section aria-label="Open sprints" className="mb-3 flex flex-wrap items-center gap-2 text-sm">
      <span className="text-xs text-muted max-lg:hidden">Drag a story to a sprint:</span>
      {sprints.map((sprint) => (
        <Link
          key={sprint.id}
          to={`../sprints/${sprint.id}`}
          title={sprint.sprint_goal}
          data-sprint={takesStories(sprint) ? sprint.id : undefined}
          className="flex h-8 items-center gap-2 rounded border border-dashed border-line-strong px-2.5 hover:border-ink data-drop-target:border-accent data-drop-target:bg-accent-soft"
        >
          <StatusDot status={sprint.status} />
          <span className="font-mono text-xs">{sprint.code}</span>
          <span className="text-xs text-muted">{countText(stories[sprint.id] ?? 0, "story", "stories")}</span>
        </Link>
      ))}
    </section>
  );
}
