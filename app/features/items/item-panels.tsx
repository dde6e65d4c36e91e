import { Link } from "@remix-run/react";
import type { ReactNode } from "react";
import { PanelTitle, StoryTexts, TaskTexts } from "~/features/in-place/item-texts";
import { PriorityPicker, StoryPickers, TaskStatusPicker } from "~/features/in-place/pickers";
import { PropertyList, TypedProperty } from "~/features/in-place/properties";
import type { SafeHtml } from "~/features/markdown/prose";
import { SentBack } from "~/features/review/remarks";
import { CodeChip } from "~/ui/badge";
import { ButtonLink } from "~/ui/button";
import { SidePanel } from "~/ui/side-panel";
import { StatusDot, StatusPill } from "~/ui/status";
import { useWriteAccess, WriteFields } from "~/ui/write-access";
import type { StoryPageData, TaskPageData } from "~/wire/pages/contract";
import { DeleteStory, DeleteTask } from "./delete-item";

interface PanelPosition {
  closeTo: string;
  /** Closes a panel that is not part of the URL. */
  onClose?: () => void;
}

/** Details of a task next to a list. Its forms go to the task's page. */
export function TaskPanel({
  page,
  description,
  plan,
  children,
  ...position
}: PanelPosition & {
  page: Pick<TaskPageData, "task" | "story" | "reviews" | "jobs">;
  description: SafeHtml | null;
  plan: SafeHtml | null;
  children?: ReactNode;
}) {
  const { task, story } = page;
  const action = `/tasks/${task.id}`;
  const fields = { intent: "edit", task_id: task.id };
  return (
    <SidePanel
      title={<PanelTitle item={task} fields={fields} action={action} />}
      footer={
        <WriteFields quiet>
          <DeleteTask task={task} panel={position} />
        </WriteFields>
      }
      {...position}
    >
      <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <StatusPill status={task.status} />
        <ButtonLink to={action} size="sm">
          Open task
        </ButtonLink>
        <span>
          in{" "}
          <Link to={`/stories/${story.id}`} className="hover:underline">
            {story.code} <bdi>{story.title}</bdi>
          </Link>
        </span>
      </div>
      {children}
      <SentBack page={page} />
      <TaskTexts task={task} description={description} plan={plan} action={action} inPanel />
      <PropertyList>
        <TaskStatusPicker task={task} action={action} />
        <PriorityPicker value={task.priority} action={action} fields={fields} />
      </PropertyList>
    </SidePanel>
  );
}

/** Details of a story next to a list. Its forms go to the story's page. */
export function StoryPanel({
  page,
  description,
  criteria,
  newTaskTo,
  ...position
}: PanelPosition & {
  page: Pick<StoryPageData, "story" | "tasks" | "sprint" | "sprints" | "members" | "product">;
  description: SafeHtml | null;
  criteria: SafeHtml | null;
  newTaskTo: string;
}) {
  const { story, tasks } = page;
  const action = `/stories/${story.id}`;
  const fields = { intent: "update", story_id: story.id };
  return (
    <SidePanel
      title={<PanelTitle item={story} fields={fields} action={action} />}
      footer={
        <WriteFields quiet>
          <DeleteStory page={page} panel={position} />
        </WriteFields>
      }
      {...position}
    >
      <div className="flex flex-wrap items-center gap-2">
        <StatusPill status={story.status} />
        <ButtonLink to={action} size="sm">
          Open story
        </ButtonLink>
      </div>
      <StoryTexts story={story} description={description} criteria={criteria} action={action} inPanel />
      <TasksOfStory tasks={tasks} newTaskTo={newTaskTo} />
      <PropertyList>
        <StoryPickers page={page} action={action} />
        <TypedProperty label="Code" name="code" value={story.code} action={action} fields={fields} mono />
      </PropertyList>
    </SidePanel>
  );
}

interface TasksOfStoryProps {
  tasks: readonly { id: string; code: string; title: string; status: string }[];
  newTaskTo: string;
}

function TasksOfStory({ tasks, newTaskTo }: TasksOfStoryProps) {
  const { canWrite } = useWriteAccess();
  return (
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
        <ButtonLink to={newTaskTo} preventScrollReset size="sm" className="mt-2">
          New task
        </ButtonLink>
      ) : null}
    </section>
  );
}
