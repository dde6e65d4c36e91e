import { sprintPageSchema } from "~/contract/page-data";
import { type Actor, callAs } from "~/db/rpc.server";

/** The sprint page: stories, cards, newest run, candidates. */
export function getSprintBoard(actor: Actor, sprintId: string) {
  return callAs(actor, "get_sprint_board", { p_sprint_id: sprintId }, sprintPageSchema);
}
