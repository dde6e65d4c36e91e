import * as z from "zod/mini";
import type { PairingForApproval } from "~/wire/pairings/contract";

// zod mini: phones load this page over slow networks.
const approvedSchema = z.object({
  pairing_id: z.string(),
  status: z.literal("pending"),
  desktop_ua: z.nullable(z.string()),
  desktop_ip: z.nullable(z.string()),
  check_code: z.string(),
  expires_at: z.string(),
  username: z.string(),
  same_network: z.boolean(),
});

/** The code this tab was opened with. Kept during sign-in, forgotten once answered. */
export type KeptSecret = { pairingId: string; secret: string };

const secretKey = "pairing";
const approvedKey = "pairing-approved";

declare global {
  interface Window {
    /** Holds the code if the browser refuses storage. */
    pairingFragment?: string;
  }
}

export function readKeptSecret(): KeptSecret | null {
  const fragment = window.pairingFragment ?? read(secretKey);
  const fields = new URLSearchParams(fragment ?? "");
  const pairingId = fields.get("id");
  const secret = fields.get("s");
  return pairingId && secret ? { pairingId, secret } : null;
}

export function forgetKeptSecret(): void {
  delete window.pairingFragment;
  write(secretKey, null);
}

/** Returns the pairing approved in this tab, without its secret, so that it can be revoked after a reload. */
export function readApproved(): AskingDevice | null {
  const text = read(approvedKey);
  if (text === null) return null;
  return approvedSchema.safeParse(JSON.parse(text)).data ?? null;
}

export function keepApproved(pairing: AskingDevice | null): void {
  write(approvedKey, pairing && JSON.stringify(pairing));
}

function read(key: string): string | null {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string | null): void {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, value);
  } catch {
    // Storage is refused: nothing is kept.
  }
}

export interface AskingDevice extends PairingForApproval {
  /** Whether both devices reach the service from the same network: a hint, no proof. */
  same_network: boolean;
}
