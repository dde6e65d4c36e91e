import { useEffect, useRef } from "react";
import { useRowKeys } from "~/components/page-keys";
import { ServerText } from "~/components/server-text";
import { useSelected } from "~/components/things/selection";
import { usePointerSelection } from "~/components/things/use-pointer-selection";

/** A board as lines, written by the server: the same keys, menus and selection as on its cards. */
export function TaskLines({ list }: { list: string }) {
  const area = useRef<HTMLDivElement>(null);
  const selected = useSelected();
  const select = usePointerSelection(false);
  useRowKeys();
  // After each drawing: lines that were written anew are marked anew.
  useEffect(() => {
    for (const line of area.current?.querySelectorAll("[data-line]") ?? [])
      line.toggleAttribute("data-marked", selected.has(line.getAttribute("data-line") ?? ""));
  });
  return (
    <div ref={area} onClickCapture={(event) => select(event) && event.stopPropagation()}>
      <ServerText html={list} />
    </div>
  );
}
