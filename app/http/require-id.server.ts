import { ContractError } from "~/contract/errors";
import { isCanonicalUuid } from "./uuid";

/** Returns an id from a page's address, or throws 404 if it is not a canonical UUID. */
export function requireId(value: string | undefined, noun: string): string {
  if (value !== undefined && isCanonicalUuid(value)) return value;
  throw noSuch(noun);
}

/** The refusal of an unknown id, in the database's own words: no one learns which ids exist. */
export function noSuch(noun: string): ContractError {
  const advice =
    noun === "product" ? "List products to see yours." : "Check the ID: it may have been deleted.";
  return new ContractError(404, `No such ${noun}. ${advice}`);
}
