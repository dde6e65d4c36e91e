import { Link } from "@remix-run/react";
import clsx from "clsx";
import { useState } from "react";
import type { BacklogTree } from "~/contract/page-data";
import { takesStories } from "~/contract/takes-stories";
import { readDragged } from "~/features/items/keys/thing-drag";
import { countText } from "~/ui/numbers";
import { StatusDot } from "~/ui/status-pill";
import { useBacklogMoves } from "./backlog-moves";

/** The sprints a story can join: drop one here, or use "Move to…" in the story's panel. */
export function SprintStrip({
  sprints,
  stories,
}: Pick<BacklogTree, "sprints"> & { stories: Record<string, number> }) {
  const { dropOnSprint, trackers } = useBacklogMoves();
  const [over, setOver] = useState<string | null>(null);
  if (sprints.length === 0) return null;
  return (
    <section aria-label="Open sprints" className="mb-3 flex flex-wrap items-center gap-2 text-sm">
      {trackers}
      <span className="text-xs text-muted max-lg:hidden">Drag a story to a sprint:</span>
      {sprints.map((sprint) => (
        <Link
          key={sprint.id}
          to={`../sprints/${sprint.id}`}
          title={sprint.sprint_goal}
          onDragOver={(event) => {
            if (!takesStories(sprint)) return;
            event.preventDefault();
            setOver(sprint.id);
          }}
          onDragLeave={() => setOver(null)}
          onDrop={(event) => {
            setOver(null);
            const dragged = readDragged(event);
            if (dragged[0]?.startsWith("story:")) dropOnSprint(dragged, sprint.id);
          }}
          className={clsx(
            "flex h-8 items-center gap-2 rounded border border-dashed px-2.5",
            over === sprint.id
              ? "border-accent bg-accent-soft"
              : "border-line-strong hover:border-ink",
          )}
        >
          <StatusDot status={sprint.status} />
          <span className="font-mono text-xs">{sprint.code}</span>
          <span className="text-xs text-muted">
            {countText(stories[sprint.id] ?? 0, "story", "stories")}
          </span>
        </Link>
      ))}
    </section>
  );
}
