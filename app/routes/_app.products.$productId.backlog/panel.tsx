import type { BacklogTree } from "~/contract/page-data";
import { SidePanel } from "~/ui/rare/side-panel";
import { NewPbiPanel, NewStoryPanel, NewTaskPanel } from "./create-panels";
import type { PanelData } from "./panel-data.server";
import { PastePanel } from "./paste-panel";
import { PbiPanel } from "./pbi-panel";
import { StoryPanel } from "./story-panel";
import { TaskPanel } from "./task-panel";

export interface PanelProps {
  panel: PanelData;
  pbis: readonly { id: string; code: string; title: string }[];
  /** Where tasks can go: the stories that are not over. */
  stories: readonly { id: string; code: string; title: string }[];
  sprints: BacklogTree["sprints"];
  closeTo: string;
}

/** The details of one line, or the form for a new one. A new key for each, so that no field keeps another's text. */
export function Panel(props: PanelProps) {
  const { panel, pbis, stories, sprints, closeTo } = props;
  if (panel.kind === "new-pbi") {
    return (
      <SidePanel key="new-pbi" title="New PBI" closeTo={closeTo}>
        <NewPbiPanel given={panel.given} />
      </SidePanel>
    );
  }
  if (panel.kind === "paste") {
    return (
      <SidePanel key="paste" title="Paste a list" closeTo={closeTo}>
        <PastePanel pbis={pbis} stories={stories} into={panel.into} />
      </SidePanel>
    );
  }
  if (panel.kind === "new-story") {
    return (
      <SidePanel key="new-story" title="New story" closeTo={closeTo}>
        <NewStoryPanel pbis={pbis} pbiId={panel.pbiId} given={panel.given} />
      </SidePanel>
    );
  }
  if (panel.kind === "new-task") {
    return (
      <SidePanel key="new-task" title={`New task in ${panel.story.code}`} closeTo={closeTo}>
        <NewTaskPanel story={panel.story} given={panel.given} />
      </SidePanel>
    );
  }
  if (panel.kind === "pbi")
    return (
      <PbiPanel
        key={panel.pbi.id}
        pbi={panel.pbi}
        description={panel.description}
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
