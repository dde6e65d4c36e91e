declare module "http_ece" {
  import type { ECDH } from "node:crypto";

  /** Opens a message of RFC 8188 with the receiver's keys. */
  function decrypt(message: Buffer, keys: { version: "aes128gcm"; privateKey: ECDH; authSecret: string }): Buffer;
  export default { decrypt };
}
