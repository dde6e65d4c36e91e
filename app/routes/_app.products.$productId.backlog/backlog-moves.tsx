import { useSubmit } from "@remix-run/react";
import { type RefObject, useEffect } from "react";
import { itemOf, lineOf } from "~/features/items/active-row";
import { followDrag } from "~/features/items/follow-drag";
import { kindOf } from "~/features/items/selection";
import { useChanges } from "~/features/items/use-changes";
import { useResultOf } from "~/ui/action-result";
import { enhancedField } from "~/ui/form-fields";
import { showToast } from "~/ui/toast";

const dropKey = "backlog-drop";

/** Dragging in the backlog: a PBI between PBIs, a story onto a PBI or a sprint. */
export default function BacklogMoves({ list }: { list: RefObject<HTMLElement> }) {
  const submit = useSubmit();
  const { change, trackers } = useChanges();
  useResultOf(dropKey);
  useEffect(() => {
    if (!list.current) return;
    let dropTarget: Element | null = null;
    return followDrag(list.current, {
      // In a list, a long press scrolls and selects. On touch, stories move through their panel.
      byTouch: false,
      over: (dragged) => {
        dropTarget?.removeAttribute("data-drop-target");
        dropTarget = dragged && goalOf(dragged.items, dragged.target);
        dropTarget?.setAttribute("data-drop-target", "true");
      },
      drop: ({ items, target, y }) => {
        const goal = goalOf(items, target);
        const [first = ""] = items;
        if (!goal) return;
        if (goal.dataset.sprint) return change(items, { sprint_id: goal.dataset.sprint });
        const over = idOf(itemOf(goal));
        if (kindOf(first) === "story") return change(items, { pbi_id: over });
        if (items.length > 1) {
          return showToast("Drag PBIs one at a time to reorder them", "failed");
        }
        const box = goal.getBoundingClientRect();
        const side = y < box.top + box.height / 2 ? "before_id" : "after_id";
        const fields = { intent: "move-pbi", pbi_id: idOf(first), [side]: over };
        submit({ ...fields, [enhancedField]: "1" }, { method: "post", navigate: false, fetcherKey: dropKey });
      },
    });
  }, [list, change, submit]);
  return (
    <>
      {trackers}
      <span hidden data-backlog-moves />
    </>
  );
}

const idOf = (item: string | null) => item?.split(":")[1] ?? "";

/** Returns the element that accepts the drop: another PBI, or a sprint for a story. */
function goalOf(items: readonly string[], target: Element | null): HTMLElement | null {
  const [first = ""] = items;
  const sprint = target?.closest<HTMLElement>("[data-sprint]");
  if (sprint) return kindOf(first) === "story" ? sprint : null;
  const line = lineOf(target);
  const item = itemOf(line) ?? "";
  return kindOf(item) === "pbi" && item !== first ? line : null;
}
