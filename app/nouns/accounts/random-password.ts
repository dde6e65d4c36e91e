import { randomBytes } from "node:crypto";

/** Generates a password: 144 random bits in 24 characters. */
export const randomPassword = (): string => randomBytes(18).toString("base64url");
