import type { MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { Board } from "~/components/board/board";
import { boardCards } from "~/components/board/board-cards";
import { BoardTools } from "~/components/board/board-tools";
import { toolsText } from "~/components/board/board-tools.server";
import { readLook, viewOf, withoutFilter } from "~/components/board/board-view.server";
import { TaskLines } from "~/components/board/task-lines";
import { listText } from "~/components/board/task-list.server";
import { BudgetSection } from "~/components/budgets/budget-section";
import { Section } from "~/components/card";
import { ChartFigure } from "~/components/charts/chart-figure";
import { drawBurndown } from "~/components/charts/draw-burndown.server";
import { EmptyState } from "~/components/empty-state";
import { FormErrors } from "~/components/field";
import { ThingsAtHand } from "~/components/things/things-at-hand";
import { useAnswer } from "~/components/use-answer";
import { viewsText } from "~/components/views/views-text.server";
import { getSprintBoard } from "~/domain/pages/operations.server";
import { pageData } from "~/http/page-data.server";
import { pageAction, pageLoader, requireProduct, requireWriter } from "~/http/page-guards.server";
import { requireId } from "~/http/require-id.server";
import { useLiveRevalidation } from "~/live/use-live-revalidation";
import { RunBar } from "./run-bar";
import { actOnSprint } from "./sprint-action.server";
import { SprintHeader } from "./sprint-header";
import { StoryList } from "./story-list";

export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, principal, productId } = await requireProduct(request, context, params);
  const sprintId = requireId(params.sprintId, "sprint");
  const address = new URL(request.url).searchParams;
  const look = readLook(address);
  const { tasks, views, preflight, forecast, budgets, burndown, ...board } = await getSprintBoard(
    actor,
    { sprint_id: sprintId },
  );
  const view = viewOf(tasks, board.stories, look, principal.user_id, board.members);
  const cards = boardCards(view.tasks, view.groups);
  return pageData({
    productId,
    board,
    tools: tasks.length > 0 ? toolsText(look, address.get("view")) : null,
    views: viewsText(views, "board", request),
    hidden: look.query === "" ? null : view.hidden,
    showAll: withoutFilter(address),
    dense: look.dense,
    hide: look.hide,
    list: look.list && cards.length > 0 ? listText(cards, view.lanes, address) : null,
    cards: look.list ? [] : cards,
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
    tools,
    hidden,
    showAll,
    dense,
    hide,
    views,
    list,
    cards,
    lanes,
    preflight,
    forecast,
    budgets,
    burndown,
  } = useLoaderData<typeof loader>();
  const refusal = useAnswer<{ error?: string }>();
  useLiveRevalidation({ stream: "backlog", productId });
  return (
    <div className="grid gap-5">
      <SprintHeader board={board} />
      <ThingsAtHand productId={productId} without={list ? "" : "m"} />
      <FormErrors errors={refusal?.error ? [refusal.error] : []} />
      <RunBar board={board} preflight={preflight} forecast={forecast} productId={productId} />
      {tools ? (
        <BoardTools
          key={board.sprint.id}
          tools={tools}
          views={views}
          hidden={hidden}
          showAll={showAll}
        />
      ) : null}
      {list ? (
        <TaskLines list={list} hasLanes={lanes !== undefined} />
      ) : cards.length > 0 ? (
        <Board productId={productId} tasks={cards} lanes={lanes} dense={dense} hide={hide} />
      ) : tools ? (
        <EmptyState compact title="Nothing matches">
          Change the filter, or show all.
        </EmptyState>
      ) : (
        <EmptyState compact title="No tasks in this sprint">
          Add stories below. Their tasks appear here as cards.
        </EmptyState>
      )}
      <div className="grid items-start gap-5 xl:grid-cols-[3fr_2fr]">
        <StoryList board={board} />
        <Section title="Burndown" about="Tasks that were not done at the end of each day.">
          {burndown ? (
            <ChartFigure chart={burndown} />
          ) : (
            <p className="text-sm text-muted">
              The line begins when the sprint starts and its first task moves.
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
