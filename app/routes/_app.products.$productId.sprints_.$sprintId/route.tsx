import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { boardLinks, ShownTasks } from "~/features/board/board";
import { BoardHeader, BoardTools } from "~/features/board/board-tools";
import { boardPage } from "~/features/board/board-view.server";
import { ChartFigure } from "~/features/charts/chart-figure";
import { drawBurndown } from "~/features/charts/draw-burndown.server";
import { RowActions } from "~/features/items/row-actions";
import { ReviewTimesFacts } from "~/features/review/review-times";
import { shownViews } from "~/features/views/shown-views.server";
import { productAction, productLoader } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { getSprintBoard } from "~/nouns/pages/operations.server";
import { hasEnded } from "~/nouns/sprints/takes-stories";
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
  const { tasks, labels, views, preflight, forecast, burndown, ...board } = await getSprintBoard(actor, {
    sprint_id: sprintId,
    with_start: address.has("run"),
  });
  return json({
    ...boardPage(request, principal.user_id, { ...board, tasks, labels }),
    productId,
    board,
    onlyReviews: hasOnlyReviews(tasks),
    view: address.get("view"),
    saved: shownViews(views, "board", request),
    preflight,
    forecast,
    burndown: drawBurndown(burndown, board.sprint),
    isLess: hasEnded(board.sprint) && tasks.length < (burndown.at(-1)?.total ?? 0),
  });
});

export const action = productAction(async ({ actor, productId, form, request, params }) =>
  actOnSprint(actor, productId, canonicalId(params.sprintId), form, request),
);

export const links = boardLinks;

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
      <ShownTasks {...data} stories={hasEnded(board.sprint) ? [] : board.stories}>
        <NoCards productId={productId} hasCandidates={board.candidates.length > 0} />
      </ShownTasks>
      <div className="mt-3 grid items-start gap-5 xl:grid-cols-[3fr_2fr]">
        <StoryList board={board} />
        <Section
          title="Burndown"
          about={`Open tasks at the end of each day${data.isLess ? ", with those of stories that left when it ended or later" : ""}.`}
        >
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

function NoCards({ productId, hasCandidates }: { productId: string; hasCandidates: boolean }) {
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
      {hasCandidates
        ? "Add stories below. Their tasks appear here as cards."
        : "The backlog has no open story to add. Create one, then add it to this sprint."}
    </EmptyState>
  );
}
