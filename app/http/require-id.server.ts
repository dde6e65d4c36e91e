import { ContractError } from "~/contract/errors";
import { isCanonicalUuid } from "./uuid";

/** Returns an id from a page's address, or throws 404 if it is not a canonical UUID. */
export function requireId(value: string | undefined, noun: string): string {
  if (value !== undefined && isCanonicalUuid(value)) return value;
  throw new ContractError(404, `No such ${noun}. Check the ID: it may have been deleted.`);
}
