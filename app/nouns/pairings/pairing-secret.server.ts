import { createHash, randomBytes } from "node:crypto";

/** 32 random bytes as 43 characters that fit a URL fragment and a cookie. */
export function newPairingSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** SHA-256 of a secret in hex, the only form the service stores. */
export function hashOfSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
