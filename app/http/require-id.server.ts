import { ContractError } from "~/contract/errors";
import { isCanonicalUuid } from "./uuid";

/** An id of a page's address; what is no id is simply unknown. */
export function requireId(value: string | undefined, noun: string): string {
  if (value !== undefined && isCanonicalUuid(value)) return value;
  throw new ContractError(404, `No such ${noun}.`);
}
