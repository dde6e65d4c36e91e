import { EditableText } from "~/components/in-place/editable-text";
import type { SafeHtml } from "~/components/prose";
import type { StoryPageData } from "~/contract/page-data";

/** What is wanted and when it is done, on the story's page and in its panel. */
export function StoryTexts({
  story,
  description,
  criteria,
  inPanel = false,
  intent = "update",
}: {
  story: StoryPageData["story"];
  description: SafeHtml | null;
  criteria: SafeHtml | null;
  inPanel?: boolean;
  intent?: string;
}) {
  const fields = { intent, story_id: story.id };
  return (
    <>
      <EditableText
        key={`description ${story.id}`}
        label="Description"
        name="description"
        value={story.description}
        fields={fields}
        content={description}
        empty="Who wants it, and why."
        inPanel={inPanel}
      />
      <EditableText
        key={`criteria ${story.id}`}
        label="Acceptance criteria"
        name="acceptance_criteria"
        value={story.acceptance_criteria}
        fields={fields}
        content={criteria}
        empty="How one sees that it is done."
        inPanel={inPanel}
      />
    </>
  );
}
