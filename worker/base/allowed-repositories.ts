import { isForeign } from "~/wire/text";
import { sendable } from "./sendable";

/** The job's repository is not one the worker's user has named. The job is given back and nothing in it is run. */
export class RepositoryNotAllowed extends Error {
  constructor(readonly address: string) {
    const shown = sendable(address, 200);
    super(
      isForeign(address)
        ? `This worker does not allow the repository ${shown}. Anyone who can write there can run programs on this machine: if you trust them, start the worker with --also-repo ${quoted(shown)}`
        : `The repository ${shown} is not an https, ssh or git@ URL, and a job cannot open a local folder: correct it in the task`,
    );
  }
}

/** True for valid `--also-repo` values: an address, or a prefix of addresses that ends in `/`. */
export function isAlsoRepo(arg: string): boolean {
  return isForeign(arg) || /^git@[a-z0-9][a-z0-9.-]*:$/i.test(arg.replace(/\/$/, ""));
}

/** True if the user named this address or a prefix of it. */
export function isNamed(address: string, named: readonly string[]): boolean {
  return named.some((name) => address === name || (name.endsWith("/") && address.startsWith(name) && !climbs(address)));
}

/** A server may resolve `..` and leave the named folder. */
function climbs(address: string): boolean {
  return /(^|[/:\\])\.{1,2}([/\\]|$)|%2e|%2f|%5c/i.test(address);
}

/** Quotes an untrusted address as one word of a command line. */
function quoted(address: string): string {
  return /^[\w@%+=:,./~-]+$/.test(address) ? address : `'${address.replaceAll("'", "'\\''")}'`;
}
