import { describe, expect, it } from "vitest";
import type { ChangeEvent } from "~/contract/events";
import { deliverPairing, pairingPayload } from "~/realtime/deliver-pairing";
import { base } from "./sample-events";

describe("the filter of the pairing stream", () => {
  const pairing = (status: string, op: ChangeEvent["op"] = "U"): ChangeEvent => ({
    ...base,
    op,
    entity: "pairing",
    product_id: null,
    pairing_id: "x",
    status,
  });

  it.each([
    ["approved", pairing("approved"), { send: true }],
    ["consumed", pairing("consumed"), { send: true, follow: "end" }],
    ["cancelled", pairing("cancelled"), { send: true, follow: "end" }],
    ["removed", pairing("cancelled", "D"), { send: false, follow: "end" }],
  ])("%s", (_name, event, expected) => {
    expect(deliverPairing(event, "x")).toEqual(expected);
    expect(deliverPairing(event, "y")).toEqual({ send: false });
  });

  it("sends operation, pairing and status", () => {
    expect(pairingPayload(pairing("approved"))).toEqual({
      op: "U",
      pairing_id: "x",
      status: "approved",
    });
  });
});
