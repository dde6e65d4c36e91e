import { useFetcher, useSubmit } from "@remix-run/react";
import { type DragEvent, useCallback, useEffect } from "react";
import type { ActionAnswer } from "~/components/action-form";
import { enhancedField } from "~/components/enhanced-field";
import { tellAnswer } from "~/components/tell-answer";
import { halfOf, lineUnder, readDragged } from "./drag";

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
    (event: DragEvent) => {
      const dragged = readDragged(event);
      const row = lineUnder(event);
      if (!dragged || row?.kind !== "pbi" || dragged.id === row.id) return;
      if (dragged.kind === "story") {
        send({ intent: "story-to-pbi", story_id: dragged.id, pbi_id: row.id });
        return;
      }
      const place = halfOf(event) === "upper" ? "before_id" : "after_id";
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
    tellAnswer(data);
  }, [state, data]);
  return null;
}
