import { z } from "zod";

/** Status of a pairing on the stream (specification: Login pairing). */
export const pairingStatuses = ["pending", "approved", "consumed", "cancelled"] as const;
export type PairingStatus = (typeof pairingStatuses)[number];

/** Answer of `POST /api/auth/pair/start`. */
export const startedPairingSchema = z.object({
  pairingId: z.uuid(),
  mobileSecret: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  expiresAt: z.string(),
  qrUrl: z.string(),
});
export type StartedPairing = z.infer<typeof startedPairingSchema>;

/** Body of `POST /api/auth/pair/claim`. */
export const pairingClaimSchema = z.object({ pairingId: z.string().min(1) });

/** Sent with each of the phone's three operations. The secret is only ever sent in a body. */
export const pairingSecretSchema = z.object({
  pairing_id: z.string(),
  secret: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
});
export type PairingSecret = z.infer<typeof pairingSecretSchema>;

export const pairingIdInput = z.object({ pairing_id: z.string() });

/** What the phone shows before it approves (get-pairing-for-approval). */
export const pairingForApprovalSchema = z.object({
  pairing_id: z.uuid(),
  status: z.enum(pairingStatuses),
  desktop_ua: z.string().nullable(),
  desktop_ip: z.string().nullable(),
  check_code: z.string(),
  expires_at: z.string(),
  username: z.string(),
});
export type PairingForApproval = z.infer<typeof pairingForApprovalSchema>;

export const pairingStateSchema = z.object({
  pairing_id: z.uuid(),
  status: z.enum(pairingStatuses),
  expires_at: z.string(),
  /** Which changes it knows. */
  snapshot: z.string(),
});
export type PairingState = z.infer<typeof pairingStateSchema>;
