import { createECDH, randomBytes } from "node:crypto";
import ece from "http_ece";

/** A browser's side of a push subscription: the keys with which it alone can read a message. */
export function createDevice(endpoint: string) {
  const keys = createECDH("prime256v1");
  const p256dh = keys.generateKeys().toString("base64url");
  const auth = randomBytes(16).toString("base64url");
  return {
    subscription: { endpoint, p256dh, auth },
    read(body: Buffer): unknown {
      const secrets = { version: "aes128gcm", privateKey: keys, authSecret: auth } as const;
      return JSON.parse(ece.decrypt(body, secrets).toString());
    },
  };
}
