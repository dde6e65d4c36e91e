import { Link } from "@remix-run/react";
import { useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { usePointerSelection, useSelected } from "~/features/items/selection";
import { hasEnded, takesStories } from "~/nouns/sprints/takes-stories";
import { WritePress } from "~/ui/action-form";
import { Badge, CodeChip } from "~/ui/badge";
import { Section } from "~/ui/card";
import { LiveText } from "~/ui/live-text";
import { countText } from "~/ui/numbers";
import { StatusDot, StatusIcon } from "~/ui/status";
import type { BoardStory, SprintFrame } from "~/wire/pages/contract";

/** The sprint's stories with assignees, and stories that could be added. */
export function StoryList({ board }: { board: SprintFrame }) {
  const { stories, candidates, sprint } = board;
  const select = usePointerSelection();
  return (
    <Section title={`Stories (${stories.length})`} flush>
      <ul className="divide-y divide-line" onClickCapture={select}>
        {stories.map((story) => (
          <SprintStory key={story.id} story={story} isClosed={hasEnded(sprint)} />
        ))}
        {stories.length === 0 ? <li className="px-4 py-3 text-sm text-muted">No stories yet.</li> : null}
      </ul>
      {takesStories(sprint) && candidates.length > 0 ? (
        <Candidates candidates={candidates} sprintId={sprint.id} isFirst={stories.length === 0} />
      ) : null}
    </Section>
  );
}

function SprintStory({ story, isClosed }: { story: BoardStory; isClosed: boolean }) {
  const selected = useSelected();
  return (
    <li
      data-story={story.id}
      data-line={`story:${story.id}`}
      data-marked={selected.has(`story:${story.id}`) || undefined}
      className="flex flex-wrap items-center gap-2 px-4 py-2 text-sm"
    >
      <StatusDot status={story.status} />
      <span data-code data-toggle title="Select">
        <CodeChip>{story.code}</CodeChip>
      </span>
      <Link to={`/stories/${story.id}`} data-row className="min-w-28 flex-1 hover:underline">
        {story.title}
      </Link>
      <OpenQuestions count={story.open_questions} />
      {/* Set by `a`, the row's menu or the bar of a selection. */}
      <span className="text-xs text-muted">{story.assignee_name ?? "Unassigned"}</span>
      {isClosed ? null : (
        <WritePress fields={{ intent: "remove-story" }} size="sm" tone="quiet" name="story_id" value={story.id}>
          Remove from sprint<span className="sr-only"> {story.code}</span>
        </WritePress>
      )}
    </li>
  );
}

type CandidatesProps = { candidates: SprintFrame["candidates"]; sprintId: string; isFirst: boolean };

/** Stories that could be added, with a search field. The list stays open while several are added. */
function Candidates({ candidates, sprintId, isFirst }: CandidatesProps) {
  const hydrated = useHydrated();
  const [opensAtFirst] = useState(isFirst);
  const [typed, setTyped] = useState("");
  const wanted = typed.trim().toLowerCase();
  const shown = candidates.filter(({ code, title }) => `${code} ${title}`.toLowerCase().includes(wanted));
  return (
    <details open={opensAtFirst} className="border-t border-line">
      <summary className="px-4 py-2.5 text-sm font-medium hover:bg-sunken">
        {`Add a story (${candidates.length} open)`}
      </summary>
      {hydrated && candidates.length > 1 ? (
        <div className="px-4 pb-2">
          <input
            type="search"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
            aria-label="Find a story to add"
            placeholder="Find a story"
            className="h-8 w-full rounded border border-line bg-surface px-2 text-sm pointer-coarse:h-10"
          />
        </div>
      ) : null}
      <ul className="max-h-96 divide-y divide-line overflow-y-auto border-t border-line">
        {shown.map((story) => (
          <Candidate key={story.id} story={story} sprintId={sprintId} />
        ))}
        {shown.length === 0 ? <li className="px-4 py-2 text-sm text-muted">No open story matches.</li> : null}
      </ul>
    </details>
  );
}

function Candidate({ story, sprintId }: { story: SprintFrame["candidates"][number]; sprintId: string }) {
  return (
    <li className="flex items-center gap-2 px-4 py-1.5 text-sm">
      <CodeChip>{story.code}</CodeChip>
      <Link to={`/stories/${story.id}`} className="min-w-0 flex-1 truncate hover:underline">
        {story.title}
      </Link>
      <span className="text-xs text-muted">{countText(story.task_count, "task")}</span>
      <WritePress fields={{ intent: "add-story", sprint_id: sprintId }} size="sm" name="story_id" value={story.id}>
        Add<span className="sr-only"> {story.code}</span>
      </WritePress>
    </li>
  );
}

/** Makes waiting agents visible without opening anything. */
function OpenQuestions({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <Link to="/inbox?show=questions" className="hover:underline">
      <Badge tone="waiting">
        <StatusIcon tone="waiting" className="size-3" />
        <LiveText>{count === 1 ? "1 open question" : `${count} open questions`}</LiveText>
      </Badge>
    </Link>
  );
}
