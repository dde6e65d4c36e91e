import type { SourceItem } from "./parse-file.server";

/** Tasks name their milestone by its id, its title, or in the older way as `M3 - Title`. */
export function findMilestone(
  name: string,
  milestones: readonly SourceItem[],
): SourceItem | undefined {
  const wanted = name.trim().toLowerCase();
  const numbered = /^m-?(\d+)\b/.exec(wanted);
  return (
    milestones.find((milestone) => milestone.id.toLowerCase() === wanted) ??
    milestones.find((milestone) => milestone.title.toLowerCase() === wanted) ??
    milestones.find((milestone) => numbered !== null && milestone.key === numbered[1])
  );
}
