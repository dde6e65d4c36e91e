import { ContractError } from "~/contract/errors";

/** The bytes of the chosen picture; what kind it is, is told by the bytes alone. */
export async function readPicture(form: FormData): Promise<Uint8Array> {
  const file = form.get("picture");
  if (file instanceof File && file.size > 0) return new Uint8Array(await file.arrayBuffer());
  throw new ContractError(422, "Choose a picture first.");
}
