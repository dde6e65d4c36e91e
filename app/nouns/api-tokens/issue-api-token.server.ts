import { createHash, randomBytes } from "node:crypto";
import { z } from "zod";
import type { Database } from "~/db/database.server";
import { callService } from "~/db/rpc.server";
import { apiTokenPrefix, type NewApiToken } from "./contract";

/** Creates an API token for any account, demo accounts included, for the operator; shown once, stored as SHA-256. */
export async function issueApiToken(
  database: Database,
  userId: string,
  input: NewApiToken,
): Promise<{ id: string; token: string }> {
  const token = `${apiTokenPrefix}${randomBytes(32).toString("base64url")}`;
  const { id } = await callService(
    database,
    "issue_api_token",
    {
      p_user_id: userId,
      p_label: input.label,
      p_prefix: token.slice(0, apiTokenPrefix.length + 4),
      p_token_hash: createHash("sha256").update(token).digest("hex"),
      p_expires_days: input.expires_days ?? null,
    },
    z.object({ id: z.uuid() }),
  );
  return { id, token };
}
