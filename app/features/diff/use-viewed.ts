import { useState } from "react";
import { showToast } from "~/ui/toast";
import type { Mark, ShownFile } from "./shown-diff";

export type Viewed = ReturnType<typeof useViewed>;

/** What the person has looked at: as the service knew it, and as changed here since. Told to the service at once. */
export function useViewed(
  known: readonly number[],
  /** What marking a file as viewed is for; empty where there is nothing to mark. */
  marksOf: (file: Pick<ShownFile, "index" | "path">) => readonly Mark[],
  /** The attempts that the page shows: marks are for these. */
  of: string,
) {
  const [changed, setChanged] = useState<{ of: string; marks: ReadonlyMap<number, boolean> }>({ of, marks: new Map() });
  const marks = changed.of === of ? changed.marks : new Map<number, boolean>();
  const before = new Set(known);
  const isViewed = (index: number): boolean => marks.get(index) ?? before.has(index);
  const count = [...new Set([...known, ...marks.keys()])].filter(isViewed).length;
  const change = async (file: ShownFile): Promise<void> => {
    const viewed = !isViewed(file.index);
    const show = (now: boolean) =>
      setChanged((last) => ({ of, marks: new Map(last.of === of ? last.marks : []).set(file.index, now) }));
    show(viewed);
    const problem = await sendMarks(marksOf(file), viewed);
    if (problem === null) return;
    show(!viewed);
    showToast(problem, "failed");
  };
  return { isViewed, count, change, marksOf };
}

/** Returns why it was not kept, or null. */
async function sendMarks(marks: readonly Mark[], viewed: boolean): Promise<string | null> {
  for (const { job_id, ...mark } of marks) {
    try {
      const answer = await fetch(`/api/jobs/${job_id}/viewed`, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...mark, viewed }),
      });
      if (!answer.ok) return "Not marked as viewed: the changes are different now. Reload the page.";
    } catch {
      return "Not marked as viewed: the service could not be reached. Try again.";
    }
  }
  return null;
}
