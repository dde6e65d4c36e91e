import { z } from "zod";
import { lengths } from "./limits";

/** Allowed characters of a code (specification: Entity codes 1). */
const codePattern = /^[A-Za-z0-9._-]+$/;

/** A code that the caller supplies for a product, PBI, story or task. */
export const codeSchema = z
  .string()
  .min(1, "Must not be empty.")
  .max(lengths.code, `Must have at most ${lengths.code} characters.`)
  .regex(codePattern, "Only letters, digits, dot, underscore and hyphen.");

/** Derives a code from a name: "Paper planes" becomes PAPER-PLANES. */
export function codeFromName(name: string): string {
  const code = name
    .normalize("NFKD")
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 30);
  // The name has no Latin letter or digit, or is empty. An empty name is reported at its own field.
  return code || "PRODUCT";
}
