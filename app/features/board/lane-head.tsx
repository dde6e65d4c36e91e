import { Glyph } from "~/ui/sprite";
import type { CardTask } from "./board-look";
import { foldLink, type Lane } from "./board-look";

/** The line above a lane: it folds the lane, takes cards that are dropped on it, and says what would become of them. */
export function LaneHead({
  lane: { key, label },
  tasks,
  isFolded,
  address,
  says,
}: {
  lane: Lane;
  tasks: readonly CardTask[];
  isFolded: boolean;
  address: URLSearchParams;
  /** About the card that is held over it. */
  says?: string | null | undefined;
}) {
  const done = tasks.filter(({ status }) => status === "done").length;
  return (
    <h2 className="lane-head">
      <a
        href={foldLink(address, key)}
        data-row
        data-fold
        data-replace
        aria-expanded={!isFolded}
        className="lane-fold"
      >
        <Glyph name="fold" />
        <span className="truncate">{label}</span>
      </a>
      <span className={says ? "lane-says" : "lane-count"}>
        {says ?? `${done} of ${tasks.length} done`}
      </span>
    </h2>
  );
}
