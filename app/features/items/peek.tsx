import { Link, useFetcher } from "@remix-run/react";
import { useEffect } from "react";
import { movableColumns } from "~/features/board/columns";
import { PanelTitle } from "~/features/in-place/item-titles";
import { PriorityPicker } from "~/features/in-place/priority-picker";
import { Picker, PropertyList } from "~/features/in-place/properties";
import { StoryTexts } from "~/features/in-place/story-texts";
import { TaskTexts } from "~/features/in-place/task-texts";
import { BlockedReasons } from "~/features/jobs/blocked-reasons";
import type { loader as storyLoader } from "~/routes/_app.stories.$storyId/route";
import type { loader as taskLoader } from "~/routes/_app.tasks.$taskId/route";
import { ButtonLink } from "~/ui/button";
import { SidePanel } from "~/ui/side-panel";
import { StatusPill } from "~/ui/status-pill";
import { focusRow } from "./active-row";
import KnownPanel from "./known-panel";

/** Shows a task or story beside the list, editable in place. Focus stays in the list. */
export default function Peek({ item, onClose }: { item: string; onClose: () => void }) {
  const [kind, id = ""] = item.split(":");
  const close = () => {
    onClose();
    focusRow(item);
  };
  return kind === "task" ? (
    <TaskPeek key={id} id={id} onClose={close} />
  ) : (
    <StoryPeek key={id} id={id} onClose={close} />
  );
}

interface PeekProps {
  id: string;
  onClose: () => void;
}

/** Loads the data of an item's page. */
function useRead<Loader>(to: string) {
  const { data, load } = useFetcher<Loader>({ key: `peek ${to}` });
  useEffect(() => load(to), [load, to]);
  return data;
}

function TaskPeek({ id, onClose }: PeekProps) {
  const to = `/tasks/${id}`;
  const data = useRead<typeof taskLoader>(to);
  if (!data) return <KnownPanel item={`task:${id}`} onClose={onClose} />;
  const { task, story } = data.page;
  const fields = { intent: "edit", task_id: id };
  return (
    <SidePanel
      title={<PanelTitle item={task} fields={fields} action={to} />}
      closeTo={to}
      onClose={onClose}
    >
      <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <StatusPill status={task.status} />
        <ButtonLink to={to} size="sm">
          Open task
        </ButtonLink>
        <span>
          in{" "}
          <Link to={`/stories/${story.id}`} className="hover:underline">
            {story.code} <bdi>{story.title}</bdi>
          </Link>
        </span>
      </p>
      {data.why ? (
        <div className="text-sm text-muted">
          <BlockedReasons reasons={data.why} />
        </div>
      ) : null}
      <TaskTexts task={task} description={data.description} plan={data.plan} action={to} inPanel />
      <PropertyList>
        <Picker
          label="Status"
          name="status"
          value={task.status}
          action={to}
          fields={{ intent: "set-status", task_id: id }}
          options={movableColumns.map(({ status, label }) => ({ value: status, label }))}
        />
        <PriorityPicker value={task.priority} action={to} fields={fields} />
      </PropertyList>
    </SidePanel>
  );
}

function StoryPeek({ id, onClose }: PeekProps) {
  const to = `/stories/${id}`;
  const data = useRead<typeof storyLoader>(to);
  if (!data) return <KnownPanel item={`story:${id}`} onClose={onClose} />;
  const { story, members } = data.page;
  const fields = { intent: "update", story_id: id };
  return (
    <SidePanel
      title={<PanelTitle item={story} fields={fields} action={to} />}
      closeTo={to}
      onClose={onClose}
    >
      <p className="flex flex-wrap items-center gap-2">
        <StatusPill status={story.status} />
        <ButtonLink to={to} size="sm">
          Open story
        </ButtonLink>
      </p>
      <StoryTexts
        story={story}
        description={data.description}
        criteria={data.criteria}
        action={to}
        inPanel
      />
      <PropertyList>
        <Picker
          label="Assignee"
          name="assignee_id"
          value={story.assignee_id ?? ""}
          action={to}
          fields={{ intent: "assign", story_id: id }}
          options={[
            { value: "", label: "Unassigned" },
            ...members.map((member) => ({ value: member.id, label: member.username })),
          ]}
        />
        <PriorityPicker value={story.priority} action={to} fields={fields} />
      </PropertyList>
    </SidePanel>
  );
}
