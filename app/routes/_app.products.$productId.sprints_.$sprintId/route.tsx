import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { getSprintBoard } from "~/domain/pages/operations.server";
import { Board } from "~/features/board/board";
import { BoardTools } from "~/features/board/board-tools";
import { readSettings, viewOf, withoutFilter } from "~/features/board/board-view.server";
import { TaskLines } from "~/features/board/task-lines";
import { BudgetSection } from "~/features/budgets/budget-section";
import { ChartFigure } from "~/features/charts/chart-figure";
import { drawBurndown } from "~/features/charts/draw-burndown.server";
import { RowActions } from "~/features/items/row-actions";
import { shownViews } from "~/features/views/shown-views.server";
import { pageAction, pageLoader, requireProduct, requireWriter } from "~/http/page-guards.server";
import { requireId } from "~/http/require-id.server";
import { useLiveRevalidation } from "~/live/use-live-revalidation";
import { useActionResult } from "~/ui/action-result";
import { Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { FormErrors } from "~/ui/field";
import { RunBar } from "./run-bar";
import { actOnSprint } from "./sprint-action.server";
import { SprintHeader } from "./sprint-header";
import { StoryList } from "./story-list";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, principal, productId } = await requireProduct(request, context, params);
  const sprintId = requireId(params.sprintId, "sprint");
  const address = new URL(request.url).searchParams;
  const settings = readSettings(address);
  const { tasks, labels, views, preflight, forecast, budgets, burndown, ...board } =
    await getSprintBoard(actor, { sprint_id: sprintId });
  const view = viewOf(tasks, board.stories, settings, principal.user_id, board.members, labels);
  const cards = view.tasks;
  return json({
    productId,
    board,
    settings,
    hasTasks: tasks.length > 0,
    view: address.get("view"),
    saved: shownViews(views, "board", request),
    hidden: settings.query === "" ? null : view.hidden,
    showAll: withoutFilter(address),
    cards,
    lanes: view.lanes,
    preflight,
    forecast,
    budgets,
    burndown: drawBurndown(burndown, board.sprint),
  });
});

export const action = pageAction(async ({ request, context, params }) => {
  const { actor } = await requireWriter(request, context);
  const { productId } = await requireProduct(request, context, params);
  return actOnSprint(actor, productId, requireId(params.sprintId, "sprint"), request);
});

export const meta: MetaFunction<typeof loader> = ({ data }) => [
  { title: `${data?.board.sprint.code ?? "Sprint"} · Backloom` },
];

export default function SprintPage() {
  const {
    productId,
    board,
    settings,
    hasTasks,
    view,
    saved,
    hidden,
    showAll,
    cards,
    lanes,
    preflight,
    forecast,
    budgets,
    burndown,
  } = useLoaderData<typeof loader>();
  const refusal = useActionResult<{ error?: string }>();
  useLiveRevalidation({ stream: "backlog", productId });
  return (
    <div className="grid gap-5">
      <SprintHeader board={board} />
      <RowActions productId={productId} without={settings.list ? "" : "m"} />
      <FormErrors errors={refusal?.error ? [refusal.error] : []} />
      <RunBar board={board} preflight={preflight} forecast={forecast} productId={productId} />
      {hasTasks ? (
        <BoardTools
          key={board.sprint.id}
          settings={settings}
          view={view}
          saved={saved}
          hidden={hidden}
          showAll={showAll}
        />
      ) : null}
      {cards.length > 0 ? (
        settings.list ? (
          <TaskLines tasks={cards} lanes={lanes} />
        ) : (
          <Board
            productId={productId}
            tasks={cards}
            lanes={lanes}
            dense={settings.dense}
            hide={settings.hide}
          />
        )
      ) : hasTasks ? (
        <EmptyState compact title="Nothing matches">
          Change or clear the filter.
        </EmptyState>
      ) : (
        <EmptyState compact title="No tasks in this sprint">
          Add stories below. Their tasks appear here as cards.
        </EmptyState>
      )}
      <div className="grid items-start gap-5 xl:grid-cols-[3fr_2fr]">
        <StoryList board={board} />
        <Section title="Burndown" about="Open tasks at the end of each day.">
          {burndown ? (
            <ChartFigure chart={burndown} />
          ) : (
            <p className="text-sm text-muted">
              The chart starts when the sprint is active and its first task moves.
            </p>
          )}
        </Section>
      </div>
      <BudgetSection
        scope="sprint"
        targetId={board.sprint.id}
        budgets={budgets}
        open={board.sprint.status !== "completed" && board.sprint.status !== "cancelled"}
      />
    </div>
  );
}
