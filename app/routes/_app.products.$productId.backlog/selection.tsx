import { useCallback, useMemo, useState } from "react";
import { ActionForm } from "~/components/action-form";
import { Kbd } from "~/components/badge";
import { Button } from "~/components/button";
import { countText } from "~/components/numbers";
import { type PageKey, usePageKeys } from "~/components/page-keys";
import { useWriteAccess, WriteFields } from "~/components/write-access";
import type { BacklogTree } from "~/contract/page-data";
import { takesStories } from "~/contract/takes-stories";
import { lineUnder } from "./drag";

const none: ReadonlySet<string> = new Set();

/** Stories that are to move together: `x` takes the focused one or lets it go. */
export function useSelection() {
  const { canWrite } = useWriteAccess();
  const [selected, setSelected] = useState(none);
  const clear = useCallback(() => setSelected(none), []);
  const keys = useMemo<PageKey[]>(
    () => [
      {
        keys: "x",
        label: "Select the focused story",
        run: () => {
          const line = document.activeElement && lineUnder({ target: document.activeElement });
          if (line?.kind === "story" && canWrite) setSelected((now) => toggled(now, line.id));
        },
      },
    ],
    [canWrite],
  );
  usePageKeys("Backlog", keys);
  return { selected, clear };
}

function toggled(now: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(now);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** What can be done with them, where the eye is: at the lower edge, as long as something is selected. */
export function SelectionBar({
  selected,
  sprints,
  onClear,
}: {
  selected: ReadonlySet<string>;
  sprints: BacklogTree["sprints"];
  onClear: () => void;
}) {
  if (selected.size === 0) return <KeyHints />;
  return (
    <div className="sticky bottom-3 z-10 mt-3 flex flex-wrap items-center gap-3 rounded-lg border border-accent bg-raised px-4 py-2.5 text-sm shadow-pop">
      <p role="status" className="font-medium">
        {countText(selected.size, "story", "stories")} selected
      </p>
      <ActionForm className="flex flex-wrap items-center gap-2" onDone={onClear}>
        <WriteFields quiet className="flex items-center gap-2">
          <input type="hidden" name="intent" value="stories-to-sprint" />
          {[...selected].map((id) => (
            <input key={id} type="hidden" name="story_id" value={id} />
          ))}
          <select
            name="sprint_id"
            aria-label="Sprint"
            className="h-8 rounded border border-line bg-surface px-2 text-sm"
          >
            {sprints.filter(takesStories).map((sprint) => (
              <option key={sprint.id} value={sprint.id}>
                {sprint.code}
              </option>
            ))}
            <option value="">No sprint</option>
          </select>
          <Button type="submit" tone="primary">
            Move
          </Button>
        </WriteFields>
      </ActionForm>
      <Button tone="quiet" onClick={onClear}>
        Clear
      </Button>
    </div>
  );
}

function KeyHints() {
  const { canWrite } = useWriteAccess();
  return (
    <p className="mt-3 text-xs text-muted pointer-coarse:hidden">
      <Kbd>j</Kbd> <Kbd>k</Kbd> walk through the lines, <Kbd>Enter</Kbd> opens one
      {canWrite ? (
        <>
          , <Kbd>x</Kbd> selects stories for a sprint, <Kbd>c</Kbd> creates
        </>
      ) : null}
      , <Kbd>f</Kbd> filters.
    </p>
  );
}
