import { lazy, Suspense, useEffect, useRef } from "react";
import { useRowKeys } from "~/components/page-keys";
import { ServerText } from "~/components/server-text";
import { useSelected } from "~/components/things/selection";
import { usePointerSelection } from "~/components/things/use-pointer-selection";
import { useHydrated } from "~/components/use-hydrated";

const LaneKeys = lazy(() => import("./lane-keys"));

/** A board as lines, written by the server: the same keys, menus and selection as on its cards. */
export function TaskLines({ list, hasLanes }: { list: string; hasLanes: boolean }) {
  const area = useRef<HTMLDivElement>(null);
  const selected = useSelected();
  const select = usePointerSelection(false);
  const hydrated = useHydrated();
  useRowKeys();
  // After each drawing: lines that were written anew are marked anew.
  useEffect(() => {
    for (const line of area.current?.querySelectorAll("[data-line]") ?? [])
      line.toggleAttribute("data-marked", selected.has(line.getAttribute("data-line") ?? ""));
  });
  return (
    <div ref={area} onClickCapture={(event) => select(event) && event.stopPropagation()}>
      {hydrated && hasLanes ? (
        <Suspense>
          <LaneKeys />
        </Suspense>
      ) : null}
      <ServerText html={list} />
    </div>
  );
}
