import { createHash, randomBytes } from "node:crypto";

/** 32 random bytes as 43 characters that fit a URL fragment and a cookie. */
export function newPairingSecret(): string {
  return randomBytes(32).toString("base64url");
}

/** The only form in which the service keeps a secret: its SHA-256 in hex. */
export function hashOfSecret(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
