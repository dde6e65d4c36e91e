import { jwtVerify } from "jose";
import { z } from "zod";

/** As whom a client joins: the role and claims that row level security sees. */
export interface Caller {
  role: "anon" | "authenticated" | "service_role";
  claims: Record<string, unknown>;
  /** Milliseconds since 1970 at which the token ends; `null` for the keys of the project. */
  expiresAt: number | null;
}

export type Keys = { jwtSecret: string; publishableKey: string; secretKey: string };

const claimsSchema = z.looseObject({ role: z.enum(["anon", "authenticated", "service_role"]), exp: z.number() });

/** Reads an API key or an access token; `null` when it is neither, expired or signed by someone else. */
export async function readToken(token: string | null | undefined, keys: Keys): Promise<Caller | null> {
  if (!token) return null;
  if (token === keys.secretKey) return keyCaller("service_role");
  if (token === keys.publishableKey) return keyCaller("anon");
  try {
    const secret = new TextEncoder().encode(keys.jwtSecret);
    const { payload } = await jwtVerify(token, secret, { algorithms: ["HS256"] });
    const claims = claimsSchema.parse(payload);
    return { role: claims.role, claims, expiresAt: claims.exp * 1000 };
  } catch {
    return null;
  }
}

function keyCaller(role: "anon" | "service_role"): Caller {
  return { role, claims: { role }, expiresAt: null };
}
