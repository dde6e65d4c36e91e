import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import { themes } from "./contract";

/** The browser that signs in, as shown in the list of devices. */
export interface SigningInBrowser {
  userAgent: string | null;
  address: string;
  /** The browser's previous session, which ends. */
  previousSessionId: string | null;
}

const newSessionSchema = z.object({
  session_id: z.uuid(),
  user_id: z.uuid(),
  is_demo: z.boolean(),
  must_reset_password: z.boolean(),
  theme: z.enum(themes),
});
export type NewSession = z.infer<typeof newSessionSchema>;

/** Creates a new session id for every sign-in (specification: Authentication 2). */
export function createSession(
  database: Database,
  userId: string,
  browser: SigningInBrowser,
): Promise<NewSession> {
  return callService(
    database,
    "create_session",
    {
      p_user_id: userId,
      p_user_agent: browser.userAgent,
      p_ip: browser.address,
      p_previous_session_id: browser.previousSessionId,
    },
    newSessionSchema,
  );
}
