import { ContractError } from "~/contract/errors";
import { type PairingSecret, pairingSecretSchema } from "~/contract/pairing";
import { textOf } from "~/http/form-action.server";
import { isCanonicalUuid } from "~/http/uuid";

const unknownCode = "Unknown code. Show a new code on the other device and scan it.";

/** The id and the secret of a phone's post. What cannot be a code gets the answer of an unknown one. */
export function readPairingSecret(form: FormData): PairingSecret {
  const sent = { pairing_id: form.get("pairing_id"), secret: form.get("secret") };
  const parsed = pairingSecretSchema.safeParse(sent);
  if (parsed.success && isCanonicalUuid(parsed.data.pairing_id)) return parsed.data;
  throw new ContractError(404, unknownCode);
}

/** Which approval is taken back. */
export function readRevocation(form: FormData): string {
  const pairingId = textOf(form, "pairing_id");
  if (isCanonicalUuid(pairingId)) return pairingId;
  throw new ContractError(404, "You have not approved this device.");
}
