import type { ReactElement } from "react";
import type { Aim } from "./board";
import type { CardTask, Lane } from "./board-look";
import { ColumnName } from "./column-name";
import type { Column } from "./columns";

/** The cards of one status, of the whole board or of a lane. */
export function BoardColumn({
  column: { status, label },
  lane,
  tasks,
  aim,
  card,
}: {
  column: Column;
  lane: Lane | undefined;
  tasks: readonly CardTask[];
  aim: Aim | null;
  card: (task: CardTask) => ReactElement;
}) {
  const cards = tasks.filter((task) => task.status === status && task.group === lane?.key);
  const Heading = lane ? "h3" : "h2";
  const isAim = aim?.status === status && aim.lane === (lane?.key ?? null);
  return (
    <section
      role={lane ? "group" : undefined}
      aria-label={`${label}: ${cards.length}`}
      data-column={status}
      data-aim={isAim || undefined}
      className="column"
    >
      <Heading className="column-head">
        <ColumnName status={status} label={label} />
        <span className="font-normal text-muted">{cards.length}</span>
      </Heading>
      <ul className="column-cards">{cards.map(card)}</ul>
    </section>
  );
}
