import { z } from "zod";
import { lengths } from "./limits";

/** Whether PostgreSQL can store the text unchanged: no NUL, no lone surrogate. */
export const isStorable = (value: string): boolean => !value.includes("\0") && !/\p{Surrogate}/u.test(value);

const storable = { message: "Must not contain NUL characters or broken Unicode." };

/** Any text up to `max` characters, stored exactly as sent or refused (specification: Errors, 422). */
export function text(max: number) {
  return z.string().max(max, `Must have at most ${max} characters.`).refine(isStorable, storable);
}

/** Whether there is something to see: not only spaces, zero-width characters, fillers and blank Braille. */
export function isVisible(value: string): boolean {
  return /[^\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Cf}\u2800]/u.test(value);
}

/** Text with something to see, such as a title or name, in the one form of its letters by which it is found (NFC). */
export function requiredText(max: number) {
  return z
    .string()
    .normalize("NFC")
    .min(1, "Must not be empty.")
    .max(max, `Must have at most ${max} characters.`)
    .refine(isVisible, { message: "Must not be blank." })
    .refine(isStorable, storable);
}

/** Returns the first `most` characters, without half a surrogate pair at the end. */
export function beginning(value: string, most: number): string {
  return value.slice(0, most).replace(/\p{Surrogate}$/u, "");
}

/** A link that a page may show: http or https only. */
export const httpUrlSchema = text(lengths.url).refine(isHttpUrl, { message: "Must be an http or https URL." });

/** A repository address in any form that git accepts, but none that a browser or git would execute. */
export const repositoryUrlSchema = text(lengths.url).refine(isRepositoryUrl, {
  message: "Must be a repository address without spaces, for example https://….",
});

/** A host name or address in lower case, with a port if only that port is meant. */
export const hostSchema = text(260)
  .transform((value) => value.trim().toLowerCase())
  .refine(isHost, { message: "Must be a host such as pypi.org or pypi.org:443." });

/** Hosts without duplicates. The error names the wrong one, because people type the list as one text. */
export const hostsSchema = z
  .array(text(1_000))
  .transform((hosts) => [...new Set(hosts.map((host) => host.trim().toLowerCase()))])
  .superRefine((hosts, context) => {
    if (hosts.length > 100) context.addIssue("Must name at most 100 hosts.");
    const wrong = hosts.find((host) => !isHost(host));
    if (wrong === undefined) return;
    context.addIssue(`"${wrong.slice(0, 100)}" is not a host such as pypi.org or pypi.org:443.`);
  });

/** `limit` in a query: digits only, so that `+5`, ` 5`, `1e1` and `1.0` are refused. */
export function limitInQuery({ max, default: otherwise }: { max: number; default: number }) {
  const message = `Must be an integer from 1 to ${max}.`;
  return z
    .string()
    .regex(/^[0-9]{1,9}$/, message)
    .transform(Number)
    .pipe(z.int().min(1, message).max(max, message).meta({ default: otherwise }))
    .optional();
}

/** An id in the form that the service issues: a lower-case UUID. */
export const idSchema = z
  .string()
  .regex(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/, "Must be an id.");

/** `next_cursor` of a list: the place after which it continues, as numbers and an id (`private.cursor_of`). */
export const cursorSchema = z
  .string()
  .regex(
    /^(-?[0-9]{1,16}_){1,5}[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    "Send the next_cursor of the previous page.",
  );

/** A whole number as the database keeps it, at most 2,147,483,647. */
export const integerSchema = z.int32();

export const attemptSchema = integerSchema.min(1);
export const attemptInQuery = z.coerce.number().pipe(attemptSchema);

/** A date without a time (specification: Sprint). */
export const dateSchema = z.iso
  .date("Must be a date of the form YYYY-MM-DD.")
  .refine((day) => !day.startsWith("0000"), { message: "The year 0 does not exist." });

/** Priority of a PBI, story or task: a whole number, lowest first. */
export const prioritySchema = z.int().min(0).max(1_000_000);

function isHttpUrl(value: string): boolean {
  return /^https?:\/\/[^\s/]/i.test(value) && URL.canParse(value);
}

function isHost(value: string): boolean {
  const label = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?";
  const form = new RegExp(`^(${label}(\\.${label})*|\\[[0-9a-f:.]{2,45}\\])(:([0-9]{1,5}))?$`);
  const [, name, port] = /^(.*?)(?::(\d{1,5}))?$/.exec(value) ?? [];
  if (name === undefined || !form.test(value) || Number(port ?? 1) < 1) return false;
  if (!URL.canParse(`http://${value}`)) return false;
  // Trap: `URL` reads a name that ends in a number as an IPv4 address. Accept it only if it is already normalized.
  return name.startsWith("[") || new URL(`http://${value}`).hostname === name;
}

/** True for addresses on another machine. Excludes what git could take for an option, a program or a local path. */
export function isForeign(address: string): boolean {
  if (/\p{Cc}|%[01][0-9a-f]|%7f/iu.test(address)) return false;
  return (
    /^(https|ssh):\/\/([\w.~%+:-]+@)?[a-z0-9[][^\s@]*$/i.test(address) ||
    /^git@[a-z0-9][a-z0-9.-]*:[^\s-]\S*$/i.test(address)
  );
}

function isRepositoryUrl(value: string): boolean {
  // Encoded control characters would be line ends for a program that decodes the path.
  return !/^-|[\s\p{Cc}]|^(javascript|data|vbscript|[\w+.-]+:):|%[01][0-9a-f]|%7f/iu.test(value) && value !== "";
}

/** Allowed characters of a code (specification: Entity codes 1). */
const codePattern = /^[A-Za-z0-9._-]+$/;

/** A code that the caller supplies for a product, PBI, story or task. */
export const codeSchema = z
  .string()
  .min(1, "Must not be empty.")
  .max(lengths.code, `Must have at most ${lengths.code} characters.`)
  .regex(codePattern, "Only letters, digits, dot, underscore and hyphen.");

/** Derives a code from a name, of whole words where they fit: "Paper planes for Zoë" becomes PAPER-PLANES-FOR-ZOE. */
export function codeFromName(name: string): string {
  const words = name
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toUpperCase()
    .match(/[A-Z0-9]+/g);
  // The name has no Latin letter or digit, or is empty. An empty name is reported at its own field.
  const code = words?.join("-") ?? "PRODUCT";
  if (code.length <= 30) return code;
  // One more, which is a hyphen where the words before it fit.
  return code
    .slice(0, 31)
    .replace(/-[^-]*$/, "")
    .slice(0, 30);
}
