import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { boardLinks, ShownTasks } from "~/features/board/board";
import { BoardHeader, BoardTools } from "~/features/board/board-tools";
import { boardPage } from "~/features/board/board-view.server";
import { NewRowsBanner, useSteadyRows } from "~/features/items/lists/steady-rows";
import { RowActions } from "~/features/items/row-actions";
import { createCardForm, moveTaskForm } from "~/features/items/task-forms.server";
import { doneForNow, readForm, runIntent } from "~/http/form-action.server";
import { productAction, productLoader } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { getSoloBoard } from "~/nouns/pages/operations.server";
import { assignStory } from "~/nouns/stories/operations.server";
import { PageRefusal, WritePress } from "~/ui/action-form";
import { CodeChip } from "~/ui/badge";
import { ButtonLink } from "~/ui/button";
import { Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { countText } from "~/ui/numbers";
import type { BoardStory } from "~/wire/pages/contract";
import { assignStoryInput } from "~/wire/stories/contract";

export const loader = productLoader(async ({ actor, principal, productId, request }) => {
  const board = await getSoloBoard(actor, { product_id: productId });
  const mine = new Set(board.stories.filter((story) => story.assignee_id === principal.user_id).map(({ id }) => id));
  const own = board.tasks.filter((task) => mine.has(task.story_id));
  const ownStories = board.stories.filter(({ id }) => mine.has(id));
  return json({
    ...boardPage(request, principal.user_id, { tasks: own, stories: ownStories, labels: board.labels }),
    productId,
    sprint: board.sprint,
    workersOnline: board.workers_online,
    mine: ownStories,
    free: board.stories.filter((story) => !mine.has(story.id) && story.status !== "done"),
  });
});

export const action = productAction(async ({ actor, principal, productId, form }) => {
  const back = `/products/${productId}/solo`;
  return runIntent(form, {
    "move-task": () => moveTaskForm(actor, form, back),
    "create-task": () => createCardForm(actor, form, back),
    claim: async () => {
      form.set("assignee_id", principal.user_id);
      const story = await assignStory(actor, readForm(form, assignStoryInput));
      return doneForNow(form, back, `${story.code} assigned to you`);
    },
    release: async () => {
      const story = await assignStory(actor, readForm(form, assignStoryInput, { assignee_id: null }));
      return doneForNow(form, back, `${story.code} unassigned`);
    },
  });
});

export const links = boardLinks;

export const meta: MetaFunction = () => [{ title: "My work · Backloom" }];

export default function SoloPage() {
  const data = useLoaderData<typeof loader>();
  const { productId, sprint, mine, free, workersOnline, settings, hasTasks, hidden, showAll } = data;
  useLiveRevalidation({ stream: "solo", productId });
  if (!sprint) return <NoSprint productId={productId} />;
  return (
    <div className="grid gap-2">
      <BoardHeader
        title={
          <>
            My work
            <span className="truncate text-sm font-normal text-muted">
              {sprint.code}
              {sprint.sprint_goal ? ` ${sprint.sprint_goal}` : ""}
            </span>
          </>
        }
        about="Your stories in the active sprint"
        run={
          <Link
            to={`../sprints/${sprint.id}`}
            className="text-sm text-accent underline underline-offset-2 hover:decoration-2"
          >
            Board of {sprint.code}
          </Link>
        }
        tools={hasTasks ? <BoardTools view={null} settings={settings} hidden={hidden} showAll={showAll} /> : null}
      />
      <p className="text-sm text-muted">
        {workersOnline === 0 ? "No worker online" : countText(workersOnline, "worker online", "workers online")}
      </p>
      <RowActions productId={productId} without={settings.list ? "" : "m"} />
      <PageRefusal />
      <ShownTasks {...data} stories={mine}>
        {mine.length > 0 ? null : (
          <EmptyState compact title="No stories assigned to you">
            Assign a story to yourself below. Its tasks appear here.
          </EmptyState>
        )}
      </ShownTasks>
      <div className="mt-3 grid items-start gap-5 lg:grid-cols-2">
        <SoloStories
          title="Unassigned stories"
          stories={free}
          intent="claim"
          button="Assign to me"
          empty="All stories are assigned."
        />
        <SoloStories title="Assigned to me" stories={mine} intent="release" button="Unassign" empty="No stories yet." />
      </div>
    </div>
  );
}

function NoSprint({ productId }: { productId: string }) {
  return (
    <EmptyState
      title="No active sprint"
      action={
        <ButtonLink to={`/products/${productId}/sprints`} tone="primary">
          Plan a sprint
        </ButtonLink>
      }
    >
      This page shows your stories in the active sprint and the unassigned ones.
    </EmptyState>
  );
}

const storyKey = ({ id }: BoardStory) => id;

interface SoloStoriesProps {
  title: string;
  stories: readonly BoardStory[];
  intent: string;
  button: string;
  empty: string;
}

function SoloStories({ title, stories, intent, button, empty }: SoloStoriesProps) {
  const { list, shown, fresh, show } = useSteadyRows<BoardStory, HTMLUListElement>(stories, storyKey);
  return (
    <Section title={`${title} (${stories.length})`} flush>
      <NewRowsBanner count={fresh} show={show} />
      <ul ref={list} className="divide-y divide-line">
        {shown.map((story) => (
          <li key={story.id} className="flex items-center gap-2 px-4 py-2 text-sm">
            <CodeChip>{story.code}</CodeChip>
            <Link to={`/stories/${story.id}`} className="min-w-0 flex-1 truncate hover:underline">
              {story.title}
            </Link>
            <WritePress fields={{ intent, assignee_id: "" }} size="sm" name="story_id" value={story.id}>
              {button}
              <span className="sr-only"> {story.code}</span>
            </WritePress>
          </li>
        ))}
        {stories.length === 0 ? <li className="px-4 py-3 text-sm text-muted">{empty}</li> : null}
      </ul>
    </Section>
  );
}
