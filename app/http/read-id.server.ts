import { ContractError } from "~/contract/errors";
import { textOf } from "./form-action.server";
import { isCanonicalUuid } from "./uuid";

/** The id in a form's field; what is no canonical UUID names nothing. */
export function readId(form: FormData, field: string, noun: string): string {
  const id = textOf(form, field);
  if (isCanonicalUuid(id)) return id;
  throw new ContractError(404, `No such ${noun}.`);
}
