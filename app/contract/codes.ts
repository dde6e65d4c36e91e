import { z } from "zod";
import { lastSortOrder, lengths } from "./limits";

/** What a code looks like (specification: Entity codes 1). */
const codePattern = /^[A-Za-z0-9._-]+$/;

/** A supplied code of a product, PBI, story or task. */
export const codeSchema = z
  .string()
  .min(1, "Must not be empty.")
  .max(lengths.code, `Must have at most ${lengths.code} characters.`)
  .regex(codePattern, "Only letters, digits, dot, underscore and hyphen.");

/** The order of a story or task: the trailing number of its code (specification: Ordering rules 1). */
export function sortOrderFromCode(code: string): number {
  const tail = /[0-9]+$/.exec(code)?.[0];
  return tail === undefined ? lastSortOrder : Math.min(Number(tail), lastSortOrder);
}

/** A code that nobody chose comes from the name: "Paper planes" becomes PAPER-PLANES. */
export function codeFromName(name: string): string {
  const code = name
    .normalize("NFKD")
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 30);
  // A name without a letter of ours, or none at all, of which its own field tells.
  return code || "PRODUCT";
}
