import { movableColumns } from "~/features/board/columns";
import { PanelTitle } from "~/features/in-place/item-titles";
import { TaskTexts } from "~/features/in-place/task-texts";
import { DeleteItem } from "~/features/items/delete-item";
import type { SafeHtml } from "~/features/markdown/prose";
import type { BacklogTree, TaskPageData } from "~/nouns/pages/contract";
import { ActionForm } from "~/ui/action-form";
import { Button, ButtonLink } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { CreatedBefore } from "~/ui/forms/create-buttons";
import { SidePanel } from "~/ui/side-panel";
import { StatusPill } from "~/ui/status-pill";
import { WriteFields } from "~/ui/write-access";
import { NewPbiPanel, NewStoryPanel, NewTaskPanel } from "./create-panels";
import type { PanelData } from "./panel-data.server";
import { PastePanel } from "./paste-panel";
import { PbiPanel } from "./pbi-panel";
import { StoryPanel } from "./story-panel";

export interface PanelProps {
  panel: PanelData;
  pbis: readonly { id: string; code: string; title: string }[];
  /** Stories that tasks can be added to: those not done. */
  stories: readonly { id: string; code: string; title: string }[];
  sprints: BacklogTree["sprints"];
  closeTo: string;
}

/** Details of an item, or a form for a new one. Keyed, so that no field keeps another item's text. */
export default function Panel(props: PanelProps) {
  const { panel, pbis, stories, sprints, closeTo } = props;
  if (panel.kind === "new-pbi") {
    return (
      <SidePanel key="new-pbi" title="New PBI" closeTo={closeTo}>
        <CreatedBefore code={panel.made} />
        <NewPbiPanel key={panel.made} given={panel.given} />
      </SidePanel>
    );
  }
  if (panel.kind === "paste") {
    return (
      <SidePanel key="paste" title="Paste a list" closeTo={closeTo}>
        {/* The key empties the panel after a list was created. */}
        <PastePanel key={panel.made} pbis={pbis} stories={stories} into={panel.into} />
      </SidePanel>
    );
  }
  if (panel.kind === "new-story") {
    return (
      <SidePanel key="new-story" title="New story" closeTo={closeTo}>
        <CreatedBefore code={panel.made} />
        <NewStoryPanel key={panel.made} pbis={pbis} pbiId={panel.pbiId} given={panel.given} />
      </SidePanel>
    );
  }
  if (panel.kind === "new-task") {
    return (
      <SidePanel key="new-task" title={`New task in ${panel.story.code}`} closeTo={closeTo}>
        <CreatedBefore code={panel.made} />
        <NewTaskPanel key={panel.made} story={panel.story} given={panel.given} />
      </SidePanel>
    );
  }
  if (panel.kind === "pbi")
    return (
      <PbiPanel
        key={panel.pbi.id}
        pbi={panel.pbi}
        description={panel.description}
        comments={panel.comments}
        isOwner={panel.isOwner}
        pbis={pbis}
        closeTo={closeTo}
      />
    );
  if (panel.kind === "story") {
    return (
      <StoryPanel
        key={panel.page.story.id}
        page={panel.page}
        texts={panel.texts}
        sprints={sprints}
        closeTo={closeTo}
      />
    );
  }
  return (
    <TaskPanel
      key={panel.page.task.id}
      page={panel.page}
      description={panel.description}
      plan={panel.plan}
      closeTo={closeTo}
    />
  );
}

export function TaskPanel({
  page,
  description,
  plan,
  closeTo,
}: {
  page: TaskPageData;
  description: SafeHtml | null;
  plan: SafeHtml | null;
  closeTo: string;
}) {
  const { task, story } = page;
  return (
    <SidePanel
      title={<PanelTitle item={task} fields={{ intent: "edit-task", task_id: task.id }} />}
      closeTo={closeTo}
      footer={
        <WriteFields quiet>
          <DeleteItem
            noun="task"
            code={task.code}
            loss="This also deletes its jobs and history."
            fields={{ intent: "delete-task", task_id: task.id }}
            goTo={closeTo}
            inPanel
          />
        </WriteFields>
      }
    >
      <div className="flex flex-wrap items-center gap-2">
        <StatusPill status={task.status} />
        <ButtonLink to={`/tasks/${task.id}`} size="sm">
          Open task
        </ButtonLink>
        <span className="text-sm text-muted">
          in {story.code} <bdi>{story.title}</bdi>
        </span>
      </div>
      <WriteFields quiet>
        <ActionForm className="flex flex-wrap gap-2" aria-label={`Move ${task.code}`}>
          <HiddenFields fields={{ intent: "set-task-status", task_id: task.id }} />
          {movableColumns.map(({ status, label }) => (
            <Button
              key={status}
              type="submit"
              size="sm"
              name="status"
              value={status}
              disabled={status === task.status}
            >
              {label}
            </Button>
          ))}
        </ActionForm>
      </WriteFields>
      <TaskTexts task={task} description={description} plan={plan} intent="edit-task" inPanel />
    </SidePanel>
  );
}
