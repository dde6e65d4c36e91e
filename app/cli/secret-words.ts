import { randomBytes } from "node:crypto";

/** A password that nobody has chosen: 144 random bits in 24 characters. */
export function randomPassword(): string {
  return randomBytes(18).toString("base64url");
}
