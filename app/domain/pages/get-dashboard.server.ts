import { dashboardSchema } from "~/contract/dashboard";
import { type Actor, callAs } from "~/db/rpc.server";

/** The first page after signing in. */
export function getDashboard(actor: Actor) {
  return callAs(actor, "get_dashboard", {}, dashboardSchema);
}
