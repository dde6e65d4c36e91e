import type { Database } from "~/db/database.server";
import { carryPreview, enterPreview, getPreviewAccess } from "~/nouns/previews/operations.server";
import { ContractError } from "~/wire/errors";
import { hashOfTicket } from "./previews.server";

/** Who sees a preview: a member, for as long as the session lasts from which they came. */
export type Viewer = { previewId: string; userId: string; sessionId: string };

/** What the database says of previews to those who carry their bytes. */
export interface PreviewAccess {
  /** Uses a ticket up; null where it is wrong, late, used or of another preview. */
  enter(previewId: string, ticket: string): Promise<Viewer | null>;
  /** `none`: they may not know of it. */
  stateFor(viewer: Viewer): Promise<"open" | "ended" | "none">;
  /** Whether a worker with this token runs the preview. */
  isRunBy(previewId: string, tokenHash: string): Promise<boolean>;
}

export function createPreviewAccess(database: Database): PreviewAccess {
  return {
    async enter(previewId, ticket) {
      const { entered } = await enterPreview(database, { preview_id: previewId, ticket_hash: hashOfTicket(ticket) });
      return entered && { previewId, userId: entered.user_id, sessionId: entered.session_id };
    },
    async stateFor({ previewId, userId, sessionId }) {
      const asked = { preview_id: previewId, user_id: userId, session_id: sessionId };
      const { access } = await getPreviewAccess(database, asked);
      if (!access?.may_see) return "none";
      return access.state === "starting" || access.state === "ready" ? "open" : "ended";
    },
    async isRunBy(previewId, tokenHash) {
      try {
        await carryPreview({ database, credential: { token_hash: tokenHash } }, { preview_id: previewId });
        return true;
      } catch (error) {
        if (error instanceof ContractError && error.status < 429) return false;
        throw error;
      }
    },
  };
}
