import type { PairingForApproval } from "~/contract/pairing";

/** What the phone shows of the device that asks. */
export interface AskingDevice extends PairingForApproval {
  /** Whether both devices reach the service from one network: a hint, for or against. */
  same_network: boolean;
}
