import { useFetcher, useSubmit } from "@remix-run/react";
import { useCallback, useEffect } from "react";
import type { ActionAnswer } from "~/components/action-form";
import { enhancedField } from "~/components/enhanced-field";
import { showToast } from "~/components/toast";
import type { TreeRow } from "./tree-rows";

const dropKey = "backlog-drop";

/** What dropping means: a PBI between two others, a story on a PBI or on a sprint. */
export function useBacklogMoves() {
  const submit = useSubmit();
  const send = useCallback(
    (fields: Record<string, string>) =>
      submit(
        { ...fields, [enhancedField]: "1" },
        { method: "post", navigate: false, fetcherKey: dropKey },
      ),
    [submit],
  );
  const dropOn = useCallback(
    (dragged: { kind: string; id: string }, row: TreeRow, half: "upper" | "lower") => {
      if (row.kind !== "pbi" || dragged.id === row.id) return;
      if (dragged.kind === "story") {
        send({ intent: "story-to-pbi", story_id: dragged.id, pbi_id: row.id });
        return;
      }
      const place = half === "upper" ? "before_id" : "after_id";
      send({ intent: "move-pbi", pbi_id: dragged.id, [place]: row.id });
    },
    [send],
  );
  const dropOnSprint = useCallback(
    (storyId: string, sprintId: string) =>
      send({ intent: "story-to-sprint", story_id: storyId, sprint_id: sprintId }),
    [send],
  );
  return { dropOn, dropOnSprint, trackers: <DropTracker /> };
}

function DropTracker() {
  const { state, data } = useFetcher<ActionAnswer>({ key: dropKey });
  useEffect(() => {
    if (state !== "idle" || !data) return;
    if (data.error) showToast(data.error, "failed");
    else if (data.message) showToast(data.message);
  }, [state, data]);
  return null;
}
