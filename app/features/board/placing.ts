import type { CardTask, Lane } from "./board-settings";
import { laneField } from "./use-task-moves";

/** A place on a board: a column, a lane, or a column in a lane. */
export interface Place {
  /** Null on a lane's heading: the card keeps its column. */
  status: string | null;
  lane: string | null;
}

/** Returns the place this element belongs to, or null outside of the board's columns and lanes. */
export function placeAt(element: Element | null | undefined): Place | null {
  const column = element?.closest<HTMLElement>("[data-column]");
  const lane = element?.closest<HTMLElement>("[data-lane]")?.dataset.lane ?? null;
  if (!column && lane === null) return null;
  return { status: column?.dataset.column ?? null, lane };
}

type Placing =
  | { refusal: string }
  | {
      refusal: null;
      /** Side effects of the drop that the user does not see. */
      says: string | null;
      /** Empty if nothing would change. */
      fields: Readonly<Record<string, string>>;
    };

/** Returns what moving these cards there would change, or why it is refused, before anything is dropped. */
export function placing(
  cards: readonly CardTask[],
  { status, lane: key }: Place,
  tasks: readonly CardTask[],
  lanes: readonly Lane[] = [],
): Placing {
  if (status === "failed") return { refusal: "Only a failed job can move a task to Failed" };
  const fields: Record<string, string> = {};
  const others = cards.filter((card) => status !== null && card.status !== status);
  if (status !== null && others.length > 0) fields.status = status;
  const strangers = cards.filter(({ group }) => key !== null && group !== key);
  if (strangers.length === 0) return { refusal: null, says: null, fields };
  const lane = lanes.find((known) => known.key === key);
  if (!lane?.sets) return { refusal: "Workers claim tasks; you cannot assign one to a worker" };
  const says = lane.sets.assignee_id === undefined ? null : wholeStories(strangers, tasks, lane);
  return { refusal: null, says, fields: { ...fields, ...lane.sets, [laneField]: lane.key } };
}

/** Assigning a task assigns its story. Returns a warning if that affects more tasks than the ones being moved. */
function wholeStories(
  cards: readonly CardTask[],
  tasks: readonly CardTask[],
  { label, sets }: Lane,
): string | null {
  const codes = [...new Set(cards.map(({ story_code }) => story_code))];
  const along = tasks.filter(({ story_code }) => codes.includes(story_code)).length;
  if (along <= cards.length) return null;
  return `All ${along} tasks of ${codes.join(", ")} ${sets?.assignee_id === "" ? "become unassigned" : `are assigned to ${label}`}`;
}
