import { z } from "zod";
import { type Session, sessionSchema } from "~/contract/account";
import { type Actor, callAs } from "~/db/rpc.server";

/** The browsers in which the user is signed in. */
export function listSessions(actor: Actor): Promise<Session[]> {
  return callAs(actor, "list_sessions", {}, z.array(sessionSchema));
}
