import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";

interface PasswordChangeNote {
  userId: string;
  /** The session that stays; all others end. */
  keepSessionId?: string | null;
  /** The next sign-in asks for a new password. */
  mustReset?: boolean;
  actorId?: string | null;
  address?: string | null;
}

/** Ends the other sessions and unclaimed pairings after a password was changed or reset. */
export async function notePasswordChange(
  database: Database,
  note: PasswordChangeNote,
): Promise<{ sessions_ended: number }> {
  return callService(
    database,
    "password_changed",
    {
      p_user_id: note.userId,
      p_keep_session_id: note.keepSessionId ?? null,
      p_must_reset: note.mustReset ?? false,
      p_actor_id: note.actorId ?? null,
      p_ip: note.address ?? null,
    },
    z.object({ sessions_ended: z.number().int() }),
  );
}
