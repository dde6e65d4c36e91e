import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";

const avatarSchema = z.object({ mime: z.string(), hex: z.string(), updated_at: z.string() });

export interface Avatar {
  mime: string;
  bytes: Buffer<ArrayBuffer>;
}

/** Picture of the user or of someone they work with; 404 if there is none. */
export async function getAvatar(actor: Actor, userId: string): Promise<Avatar> {
  const { mime, hex } = await callAs(actor, "get_avatar", { p_user_id: userId }, avatarSchema);
  return { mime, bytes: Buffer.from(hex, "hex") };
}
