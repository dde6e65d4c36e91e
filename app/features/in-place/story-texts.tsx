import type { SafeHtml } from "~/features/markdown/prose";
import type { StoryPageData } from "~/nouns/pages/contract";
import { EditableText } from "./editable-text";

/** A story's description and acceptance criteria, on its page and in its panel. */
export function StoryTexts({
  story,
  description,
  criteria,
  inPanel = false,
  action,
}: {
  story: StoryPageData["story"];
  description: SafeHtml | null;
  criteria: SafeHtml | null;
  inPanel?: boolean;
  /** Form action, if it is not the page's. */
  action?: string | undefined;
}) {
  const fields = { intent: "update", story_id: story.id };
  const files = { product_id: story.product_id, story_id: story.id };
  return (
    <>
      <EditableText
        key={`description ${story.id}`}
        label="Description"
        name="description"
        value={story.description}
        version={story.version}
        fields={fields}
        action={action}
        files={files}
        content={description}
        empty="Who needs this, and why?"
        inPanel={inPanel}
      />
      <EditableText
        key={`criteria ${story.id}`}
        label="Acceptance criteria"
        name="acceptance_criteria"
        value={story.acceptance_criteria}
        version={story.version}
        fields={fields}
        action={action}
        files={files}
        content={criteria}
        empty="What is true when it is done?"
        inPanel={inPanel}
      />
    </>
  );
}
