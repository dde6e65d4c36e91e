import { Link } from "@remix-run/react";
import { PanelTitle } from "~/features/in-place/item-titles";
import { PriorityPicker } from "~/features/in-place/priority-picker";
import { PropertyList, TypedProperty } from "~/features/in-place/properties";
import { StoryTexts } from "~/features/in-place/story-texts";
import { DeleteItem, goesAlong } from "~/features/items/delete-item";
import type { SafeHtml } from "~/features/markdown/prose";
import type { BacklogTree, StoryPageData } from "~/nouns/pages/contract";
import { takesStories } from "~/nouns/sprints/takes-stories";
import { ActionForm } from "~/ui/action-form";
import { CodeChip } from "~/ui/badge";
import { Button, ButtonLink } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { SidePanel } from "~/ui/side-panel";
import { StatusDot, StatusPill } from "~/ui/status-pill";
import { useWriteAccess, WriteFields } from "~/ui/write-access";
import { useTreeAddress } from "./tree-address";

interface StoryPanelProps {
  page: StoryPageData;
  texts: { description: SafeHtml | null; criteria: SafeHtml | null };
  sprints: BacklogTree["sprints"];
  closeTo: string;
}

export function StoryPanel({ page, texts, sprints, closeTo }: StoryPanelProps) {
  const { story, tasks } = page;
  const address = useTreeAddress();
  const { canWrite } = useWriteAccess();
  const fields = { intent: "update-story", story_id: story.id };
  return (
    <SidePanel
      title={<PanelTitle item={story} fields={fields} />}
      closeTo={closeTo}
      footer={<StoryDangers story={story} taskCount={tasks.length} closeTo={closeTo} />}
    >
      <div className="flex flex-wrap items-center gap-2">
        <StatusPill status={story.status} />
        <ButtonLink to={`/stories/${story.id}`} size="sm">
          Open story
        </ButtonLink>
      </div>
      <SprintChoice page={page} sprints={sprints} />
      <StoryTexts
        story={story}
        description={texts.description}
        criteria={texts.criteria}
        intent="update-story"
        inPanel
      />
      <section aria-label="Tasks">
        <h3 className="mb-1 text-xs font-semibold text-muted">Tasks</h3>
        <ul className="grid gap-1">
          {tasks.map((task) => (
            <li key={task.id} className="flex items-center gap-2 text-sm">
              <StatusDot status={task.status} />
              <CodeChip>{task.code}</CodeChip>
              <Link to={`/tasks/${task.id}`} className="min-w-0 truncate hover:underline">
                {task.title}
              </Link>
            </li>
          ))}
          {tasks.length === 0 ? (
            <li className="text-sm text-muted">No tasks yet. Tasks are the work for agents.</li>
          ) : null}
        </ul>
        {canWrite ? (
          <ButtonLink
            to={address.newTaskTo(story.id)}
            preventScrollReset
            size="sm"
            className="mt-2"
          >
            New task
          </ButtonLink>
        ) : null}
      </section>
      <PropertyList>
        <PriorityPicker value={story.priority} fields={fields} />
        <TypedProperty label="Code" name="code" value={story.code} fields={fields} mono />
      </PropertyList>
    </SidePanel>
  );
}

/** "Move to…": alternative to dragging a story onto a sprint. */
function SprintChoice({ page, sprints }: Pick<StoryPanelProps, "page" | "sprints">) {
  const { story, sprint } = page;
  const others = sprints.filter((one) => one.id !== story.sprint_id && takesStories(one));
  return (
    <WriteFields quiet>
      <div className="flex flex-wrap items-center gap-2 text-sm">
        {sprint ? (
          <span>
            In{" "}
            <Link
              to={`../sprints/${sprint.id}`}
              className="text-accent underline underline-offset-2 hover:decoration-2"
            >
              {sprint.code}
            </Link>
          </span>
        ) : (
          <span className="text-muted">In no sprint</span>
        )}
        {others.map(({ id, code }) => (
          <ActionForm key={id}>
            <HiddenFields fields={{ intent: "story-to-sprint", story_id: story.id }} />
            <Button type="submit" size="sm" name="sprint_id" value={id}>
              Move to {code}
            </Button>
          </ActionForm>
        ))}
        {sprint ? (
          <ActionForm>
            <input type="hidden" name="intent" value="story-out-of-sprint" />
            <Button type="submit" size="sm" name="story_id" value={story.id}>
              Remove from sprint
            </Button>
          </ActionForm>
        ) : null}
      </div>
    </WriteFields>
  );
}

function StoryDangers({
  story,
  taskCount,
  closeTo,
}: {
  story: StoryPageData["story"];
  taskCount: number;
  closeTo: string;
}) {
  return (
    <WriteFields quiet>
      <DeleteItem
        noun="story"
        code={story.code}
        loss={goesAlong(taskCount, "task")}
        fields={{ intent: "delete-story", story_id: story.id }}
        goTo={closeTo}
        inPanel
      />
    </WriteFields>
  );
}
