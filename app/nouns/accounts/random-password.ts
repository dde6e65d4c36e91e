import { randomBytes } from "node:crypto";

/** Generates a password: 144 random bits in 24 characters. */
export function randomPassword(): string {
  return randomBytes(18).toString("base64url");
}
