import { StoryPanel, TaskPanel } from "~/features/items/item-panels";
import { CreatedBefore } from "~/ui/forms/create-buttons";
import { SidePanel } from "~/ui/side-panel";
import { NewPbiPanel, NewStoryPanel, NewTaskPanel } from "./create-panels";
import type { PanelData } from "./panel-data.server";
import { PastePanel } from "./paste-panel";
import { PbiPanel } from "./pbi-panel";
import { useTreeAddress } from "./tree-address";

export interface PanelProps {
  panel: PanelData;
  pbis: readonly { id: string; code: string; title: string; status: string }[];
  /** Stories that tasks can be added to: those not done. */
  stories: readonly { id: string; code: string; title: string }[];
  closeTo: string;
}

/** Details of an item, or a form for a new one. Keyed, so that no field keeps another item's text. */
export default function Panel(props: PanelProps) {
  const { panel, pbis, stories, closeTo } = props;
  const address = useTreeAddress();
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
  if (panel.kind === "story")
    return (
      <StoryPanel
        key={panel.page.story.id}
        {...panel}
        newTaskTo={address.newTaskTo(panel.page.story.id)}
        closeTo={closeTo}
      />
    );
  return <TaskPanel key={panel.page.task.id} {...panel} closeTo={closeTo} />;
}
