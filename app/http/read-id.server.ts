import { textOf } from "./form-action.server";
import { noSuch } from "./require-id.server";
import { isCanonicalUuid } from "./uuid";

/** Returns the id in a form field, or throws 404 if it is not a canonical UUID. */
export function readId(form: FormData, field: string, noun: string): string {
  const id = textOf(form, field);
  if (isCanonicalUuid(id)) return id;
  throw noSuch(noun);
}
