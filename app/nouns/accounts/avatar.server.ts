import { z } from "zod";
import { type Actor, callAs } from "~/db/rpc.server";
import { ContractError } from "~/wire/errors";
import { typeOf } from "~/wire/files/file-type";

/** 512 KiB, so that the whole form stays below a page's limit. */
const avatarMaxBytes = 524_288;

/** Stores the user's picture, or removes it. The type is detected from the content, not from the name. */
export async function setAvatar(actor: Actor, bytes: Uint8Array | null): Promise<void> {
  const mime = bytes && typeOf(bytes);
  if (bytes && (!mime?.startsWith("image/") || bytes.length > avatarMaxBytes)) {
    const message = "Use a PNG, JPEG, WebP or GIF picture of at most 512 KiB.";
    throw new ContractError(422, message, { issues: [{ path: "avatar", message }] });
  }
  const given = { p_mime: mime, p_hex: bytes && Buffer.from(bytes).toString("hex") };
  await callAs(actor, "set_avatar", given, z.object({ has_avatar: z.boolean() }));
}

const avatarSchema = z.object({ mime: z.string(), hex: z.string(), updated_at: z.string() });

export type Avatar = { mime: string; bytes: Buffer<ArrayBuffer> };

/** Picture of the user or of someone they work with; 404 if there is none. */
export async function getAvatar(actor: Actor, userId: string): Promise<Avatar> {
  const { mime, hex } = await callAs(actor, "get_avatar", { p_user_id: userId }, avatarSchema);
  return { mime, bytes: Buffer.from(hex, "hex") };
}
