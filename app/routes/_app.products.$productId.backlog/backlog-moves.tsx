import { useSubmit } from "@remix-run/react";
import { type DragEvent, useCallback } from "react";
import { readDragged } from "~/features/items/keys/thing-drag";
import { useChanges } from "~/features/items/use-changes";
import { enhancedField } from "~/ui/enhanced-field";
import { useAnswerOf } from "~/ui/tell-answer";
import { showToast } from "~/ui/toast";
import { halfOf, lineUnder } from "./drag";

const dropKey = "backlog-drop";

/** What dropping means: a PBI between two others, a story on a PBI or on a sprint. */
export function useBacklogMoves() {
  const submit = useSubmit();
  const { change, trackers } = useChanges();
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
      const things = readDragged(event);
      const [first] = things;
      const row = lineUnder(event);
      if (!first || row?.kind !== "pbi") return;
      const [kind, id = ""] = first.split(":");
      if (kind === "story") return change(things, { pbi_id: row.id });
      if (things.length > 1) return showToast("Drag PBIs one at a time to reorder them", "failed");
      if (id === row.id) return;
      const place = halfOf(event) === "upper" ? "before_id" : "after_id";
      send({ intent: "move-pbi", pbi_id: id, [place]: row.id });
    },
    [send, change],
  );
  const dropOnSprint = useCallback(
    (things: readonly string[], sprintId: string) => change(things, { sprint_id: sprintId }),
    [change],
  );
  return {
    dropOn,
    dropOnSprint,
    trackers: (
      <>
        <DropTracker />
        {trackers}
      </>
    ),
  };
}

function DropTracker() {
  useAnswerOf(dropKey);
  return null;
}
