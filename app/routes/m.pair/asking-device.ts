import type { PairingForApproval } from "~/nouns/pairings/contract";

/** The requesting device, as the phone shows it. */
export interface AskingDevice extends PairingForApproval {
  /** Whether both devices reach the service from the same network: a hint, no proof. */
  same_network: boolean;
}
