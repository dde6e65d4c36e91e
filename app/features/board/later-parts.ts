import { laterPart } from "~/ui/later-part";

/** The form for a new card. */
export const newCard = laterPart(
  () => import("./moving/new-card").then(({ NewCard }) => NewCard),
  "[data-new-card]",
);

/** The form that moves a card. */
export const moveForm = laterPart(
  () => import("./moving/move-form").then(({ MoveForm }) => MoveForm),
  "[data-move-form]",
);

/** The board as a list. */
export const taskLines = laterPart(
  () => import("./moving/task-lines").then(({ TaskLines }) => TaskLines),
  "[data-task-lines]",
);

/** The lanes of a grouped board. */
export const lanesPart = laterPart(
  () => import("./moving/lanes").then(({ Lanes }) => Lanes),
  "[data-lanes]",
);

/** Loads the parts the address asks for, so that the server can render them. */
export async function loadAsked(address: URLSearchParams): Promise<void> {
  if (address.has("new")) await newCard.load();
  if (address.has("move")) await moveForm.load();
  if (address.has("group")) await lanesPart.load();
  if (address.get("as") === "list") await taskLines.load();
}
