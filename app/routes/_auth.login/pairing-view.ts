/** State of the sign-in by phone, as the desktop shows it. */
export type PairingView =
  | { status: "idle" }
  | { status: "starting" }
  | { status: "waiting"; pairing: ShownPairing }
  | { status: "approved"; pairing: ShownPairing }
  | { status: "signed_in" }
  | { status: "declined" }
  | { status: "expired" }
  | { status: "failed"; message: string };

export interface ShownPairing {
  id: string;
  qrUrl: string;
  checkCode: string;
  /** By this browser's clock, in milliseconds. */
  expiresAt: number;
}
