import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Board } from "~/features/board/board";
import { BoardHeader, BoardTools } from "~/features/board/board-tools";
import { readSettings, viewOf, withoutFilter } from "~/features/board/board-view.server";
import { collapsedColumns } from "~/features/board/collapsed-columns.server";
import { TaskLines } from "~/features/board/task-lines";
import { ChartFigure } from "~/features/charts/chart-figure";
import { drawBurndown } from "~/features/charts/draw-burndown.server";
import { RowActions } from "~/features/items/row-actions";
import { ReviewTimesFacts } from "~/features/review/review-times";
import { shownViews } from "~/features/views/shown-views.server";
import { productAction, productLoader } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { getSprintBoard } from "~/nouns/pages/operations.server";
import { useActionResult } from "~/ui/action-result";
import { ButtonLink } from "~/ui/button";
import { Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { FormErrors } from "~/ui/field";
import { canonicalId } from "~/wire/canonical-id";
import { hasOnlyReviews, type RefusedStart, RunControl } from "./run-control";
import { actOnSprint } from "./sprint-action.server";
import { SprintMenu, SprintTitle } from "./sprint-header";
import { StoryList } from "./story-list";

export const loader = productLoader(async ({ actor, principal, productId, request, params }) => {
  const sprintId = canonicalId(params.sprintId);
  const address = new URL(request.url).searchParams;
  const settings = readSettings(address);
  const { tasks, labels, views, preflight, forecast, burndown, ...board } = await getSprintBoard(actor, {
    sprint_id: sprintId,
    with_start: address.has("run"),
  });
  const view = viewOf(tasks, board.stories, settings, principal.user_id, board.members, labels);
  const cards = view.tasks;
  return json({
    productId,
    userId: principal.user_id,
    collapsed: collapsedColumns(request, principal.user_id),
    board,
    settings,
    hasTasks: tasks.length > 0,
    onlyReviews: hasOnlyReviews(tasks),
    view: address.get("view"),
    saved: shownViews(views, "board", request),
    hidden: settings.query === "" ? null : view.hidden,
    showAll: withoutFilter(address),
    cards,
    lanes: view.lanes,
    preflight,
    forecast,
    burndown: drawBurndown(burndown, board.sprint),
  });
});

export const action = productAction(async ({ actor, productId, form, request, params }) =>
  actOnSprint(actor, productId, canonicalId(params.sprintId), form, request),
);

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: `${data?.board.sprint.code ?? "Sprint"} · Backloom` },
];

export default function SprintPage() {
  const data = useLoaderData<typeof loader>();
  const { productId, board, settings, hasTasks, view, saved, hidden, showAll, preflight, burndown } = data;
  const refusal = useActionResult<{ error?: string } & Partial<RefusedStart>>();
  const { blockers, chosen = [] } = refusal ?? {};
  const refused = blockers ? { blockers, chosen } : null;
  useLiveRevalidation({ stream: "backlog", productId });
  return (
    <div className="grid gap-2">
      <BoardHeader
        title={<SprintTitle sprint={board.sprint} />}
        about={board.sprint.sprint_goal}
        run={
          <RunControl
            board={board}
            onlyReviews={data.onlyReviews}
            preflight={preflight}
            forecast={data.forecast}
            refused={refused}
            productId={productId}
          />
        }
        tools={
          hasTasks ? (
            <BoardTools
              key={board.sprint.id}
              settings={settings}
              view={view}
              saved={saved}
              hidden={hidden}
              showAll={showAll}
            />
          ) : null
        }
        menu={<SprintMenu board={board} />}
      />
      <RowActions productId={productId} without={settings.list ? "" : "m"} />
      <FormErrors errors={refusal?.error && !(refused && preflight) ? [refusal.error] : []} />
      <Cards />
      <div className="mt-3 grid items-start gap-5 xl:grid-cols-[3fr_2fr]">
        <StoryList board={board} />
        <Section title="Burndown" about="Open tasks at the end of each day.">
          <div className="grid gap-4">
            {burndown ? (
              <ChartFigure chart={burndown} />
            ) : (
              <p className="text-sm text-muted">The chart starts when the sprint is active and its first task moves.</p>
            )}
            <ReviewTimesFacts times={board.review_times} />
          </div>
        </Section>
      </div>
    </div>
  );
}

/** The tasks as list or board, or why there are none. */
function Cards() {
  const { productId, userId, board, settings, hasTasks, cards, lanes, collapsed } = useLoaderData<typeof loader>();
  if (settings.list && cards.length > 0) return <TaskLines tasks={cards} lanes={lanes} />;
  if (cards.length > 0) {
    const { dense, hide } = settings;
    const { stories } = board;
    return (
      <Board
        productId={productId}
        userId={userId}
        tasks={cards}
        stories={stories}
        lanes={lanes}
        collapsed={collapsed}
        dense={dense}
        hide={hide}
      />
    );
  }
  if (hasTasks) {
    return (
      <EmptyState compact title="Nothing matches">
        Change or clear the filter.
      </EmptyState>
    );
  }
  return (
    <EmptyState
      compact
      title="No tasks in this sprint"
      action={
        <>
          <ButtonLink to={`/products/${productId}/backlog?panel=new-story`} data-create>
            New story
          </ButtonLink>
          <ButtonLink to={`/products/${productId}/backlog?panel=paste`}>Paste a list</ButtonLink>
        </>
      }
    >
      {board.candidates.length > 0
        ? "Add stories below. Their tasks appear here as cards."
        : "The backlog has no open story to add. Create one, then add it to this sprint."}
    </EmptyState>
  );
}
