import { Link } from "@remix-run/react";
import type { BacklogTree } from "~/nouns/pages/contract";
import { takesStories } from "~/nouns/sprints/takes-stories";
import { countText } from "~/ui/numbers";
import { StatusDot } from "~/ui/status";

/** Sprints that accept stories: drop a story here, or use "Move to…" in its panel. */
export function SprintStrip({
  sprints,
  stories,
}: Pick<BacklogTree, "sprints"> & { stories: Record<string, number> }) {
  if (sprints.length === 0) return null;
  return (
    <section aria-label="Open sprints" className="mb-3 flex flex-wrap items-center gap-2 text-sm">
      <span className="text-xs text-muted max-lg:hidden">Drag a story to a sprint:</span>
      {sprints.map((sprint) => (
        <Link
          key={sprint.id}
          to={`../sprints/${sprint.id}`}
          title={sprint.sprint_goal}
          data-sprint={takesStories(sprint) ? sprint.id : undefined}
          className="flex h-8 items-center gap-2 rounded border border-dashed border-line-strong px-2.5 hover:border-ink data-drop-target:border-accent data-drop-target:bg-accent-soft"
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
