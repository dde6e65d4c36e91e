import { useState } from "react";
import { showToast } from "~/ui/toast";
import type { Mark, ShownFile } from "./shown-diff";

/** What the person has looked at: as the service knew it, and as changed here since. Told to the service at once. */
export function useViewed(known: readonly number[], marksOf: (file: ShownFile) => readonly Mark[]) {
  const [changed, setChanged] = useState<ReadonlyMap<number, boolean>>(new Map());
  const before = new Set(known);
  const isViewed = (index: number): boolean => changed.get(index) ?? before.has(index);
  const change = async (file: ShownFile): Promise<void> => {
    const viewed = !isViewed(file.index);
    const show = (now: boolean) => setChanged((last) => new Map(last).set(file.index, now));
    show(viewed);
    const problem = await tell(marksOf(file), viewed);
    if (problem === null) return;
    show(!viewed);
    showToast(problem, "failed");
  };
  return { isViewed, change };
}

/** Returns why it was not kept, or null. */
async function tell(marks: readonly Mark[], viewed: boolean): Promise<string | null> {
  for (const { job_id, ...mark } of marks) {
    try {
      const answer = await fetch(`/api/jobs/${job_id}/viewed`, {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ ...mark, viewed }),
      });
      if (!answer.ok)
        return "Not marked as viewed: the changes are different now. Reload the page.";
    } catch {
      return "Not marked as viewed: the service could not be reached. Try again.";
    }
  }
  return null;
}
