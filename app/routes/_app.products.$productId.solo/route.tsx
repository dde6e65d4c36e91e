import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { Board } from "~/components/board/board";
import { boardCards } from "~/components/board/board-cards";
import { BoardTools } from "~/components/board/board-tools";
import { toolsText } from "~/components/board/board-tools.server";
import { readLook, viewOf, withoutFilter } from "~/components/board/board-view.server";
import { TaskLines } from "~/components/board/task-lines";
import { listText } from "~/components/board/task-list.server";
import { ButtonLink } from "~/components/button";
import { EmptyState } from "~/components/empty-state";
import { FormErrors } from "~/components/field";
import { countText } from "~/components/numbers";
import { PageHeader } from "~/components/page-header";
import { ThingsAtHand } from "~/components/things/things-at-hand";
import { useAnswer } from "~/components/use-answer";
import { assignStoryInput } from "~/contract/story";
import { getSoloBoard } from "~/domain/pages/operations.server";
import { assignStory } from "~/domain/stories/operations.server";
import { doneForNow, readForm, runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireProduct, requireWriter } from "~/http/page-guards.server";
import { moveTaskForm } from "~/http/task-forms.server";
import { useLiveRevalidation } from "~/live/use-live-revalidation";
import { SoloStories } from "./solo-stories";

export { shouldRevalidate } from "~/live/unreachable";

export const loader = pageLoader(async ({ request, context, params }) => {
  const { actor, principal, productId } = await requireProduct(request, context, params);
  const board = await getSoloBoard(actor, { product_id: productId });
  const mine = new Set(
    board.stories.filter((story) => story.assignee_id === principal.user_id).map(({ id }) => id),
  );
  const address = new URL(request.url).searchParams;
  const look = readLook(address);
  const own = board.tasks.filter((task) => mine.has(task.story_id));
  const ownStories = board.stories.filter(({ id }) => mine.has(id));
  const view = viewOf(own, ownStories, look, principal.user_id);
  const cards = boardCards(view.tasks, view.groups);
  return json({
    productId,
    userId: principal.user_id,
    tools: own.length > 0 ? toolsText(look, null) : null,
    hidden: look.query === "" ? null : view.hidden,
    showAll: withoutFilter(address),
    dense: look.dense,
    hide: look.hide,
    list: look.list && cards.length > 0 ? listText(cards, view.lanes, address) : null,
    sprint: board.sprint,
    workersOnline: board.workers_online,
    tasks: cards,
    lanes: view.lanes,
    mine: ownStories,
    free: board.stories.filter((story) => !mine.has(story.id) && story.status !== "done"),
  });
});

export const action = pageAction(async ({ request, context, params }) => {
  const { actor, principal } = await requireWriter(request, context);
  const { productId } = await requireProduct(request, context, params);
  const form = await request.formData();
  const back = `/products/${productId}/solo`;
  return runIntent(form, {
    "move-task": () => moveTaskForm(actor, form, back),
    claim: async () => {
      form.set("assignee_id", principal.user_id);
      const story = await assignStory(actor, readForm(form, assignStoryInput));
      return doneForNow(form, back, `${story.code} is yours`);
    },
    release: async () => {
      const story = await assignStory(
        actor,
        readForm(form, assignStoryInput, { assignee_id: null }),
      );
      return doneForNow(form, back, `${story.code} is free again`);
    },
  });
});

export const meta: MetaFunction = () => [{ title: "Solo · Backloom" }];

export default function SoloPage() {
  const { productId, sprint, mine, free, workersOnline, tools, list, hidden, showAll } =
    useLoaderData<typeof loader>();
  const refusal = useAnswer<{ error?: string }>();
  useLiveRevalidation({ stream: "solo", productId });
  if (!sprint) return <NoSprint productId={productId} />;
  return (
    <div className="grid gap-5">
      <PageHeader
        title="Solo"
        lead={
          <>
            Your part of{" "}
            <Link
              to={`../sprints/${sprint.id}`}
              className="text-accent underline underline-offset-2 hover:decoration-2"
            >
              {sprint.code}
            </Link>
            {sprint.sprint_goal ? `: ${sprint.sprint_goal}` : ""} ·{" "}
            {workersOnline === 0
              ? "no worker online"
              : countText(workersOnline, "worker online", "workers online")}
          </>
        }
      />
      <ThingsAtHand productId={productId} without={list ? "" : "m"} />
      <FormErrors errors={refusal?.error ? [refusal.error] : []} />
      {tools ? <BoardTools tools={tools} hidden={hidden} showAll={showAll} /> : null}
      <OwnTasks />
      <div className="grid items-start gap-5 lg:grid-cols-2">
        <SoloStories
          title="To take"
          stories={free}
          intent="claim"
          button="Take it"
          empty="Every story has somebody."
        />
        <SoloStories
          title="Yours"
          stories={mine}
          intent="release"
          button="Give back"
          empty="None yet."
        />
      </div>
    </div>
  );
}

/** As lines or as a board, or why there are none. */
function OwnTasks() {
  const { productId, tasks, mine, tools, list, lanes, dense, hide } =
    useLoaderData<typeof loader>();
  if (list) return <TaskLines list={list} hasLanes={lanes !== undefined} />;
  if (tools && tasks.length === 0) {
    return (
      <EmptyState compact title="Nothing matches">
        Change the filter, or show all.
      </EmptyState>
    );
  }
  if (mine.length > 0) return <Board {...{ productId, tasks, lanes, dense, hide }} />;
  return (
    <EmptyState compact title="Nothing is yours yet">
      Take one of the stories below, and its tasks appear here.
    </EmptyState>
  );
}

function NoSprint({ productId }: { productId: string }) {
  return (
    <EmptyState
      title="No sprint is under way"
      action={
        <ButtonLink to={`/products/${productId}/sprints`} tone="primary">
          Plan a sprint
        </ButtonLink>
      }
    >
      This page shows your own stories of the active sprint, and those that nobody took yet.
    </EmptyState>
  );
}
