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
  const shared = {
    version: story.version,
    fields: { intent: "update", story_id: story.id },
    files: { product_id: story.product_id, story_id: story.id },
    ...{ action, inPanel },
  };
  return (
    <>
      <EditableText
        key={`description ${story.id}`}
        label="Description"
        name="description"
        value={story.description}
        {...shared}
        content={description}
        empty="Who needs this, and why?"
      />
      <EditableText
        key={`criteria ${story.id}`}
        label="Acceptance criteria"
        name="acceptance_criteria"
        value={story.acceptance_criteria}
        {...shared}
        content={criteria}
        empty="What is true when it is done?"
      />
    </>
  );
}
