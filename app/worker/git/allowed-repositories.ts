import { sendable } from "../service/sendable";

/** A job lies in a repository that the person at this machine has not named: it goes back, and nothing of it is run. */
export class RepositoryNotAllowed extends Error {
  constructor(readonly address: string) {
    const shown = sendable(address, 200);
    super(
      isForeign(address)
        ? `This worker does not follow the repository ${shown}. Whoever can write there can run programs on this machine: if you trust them, start the worker with --also-repo ${quoted(shown)}`
        : `The repository ${shown} is no https, ssh or git@ address, and a job opens no folder of this machine: correct it in the task`,
    );
  }
}

/** A repository on another machine: nothing that git would take for an option, a program or a path of this one. */
export function isForeign(address: string): boolean {
  return (
    /^(https|ssh):\/\/([\w.~%+:-]+@)?[a-z0-9[][^\s@]*$/i.test(address) ||
    /^git@[a-z0-9][a-z0-9.-]*:[^\s-]\S*$/i.test(address)
  );
}

/** What a person may name with `--also-repo`: an address, or the beginning of addresses that ends in `/`. */
export function isAlsoRepo(word: string): boolean {
  return isForeign(word) || /^git@[a-z0-9][a-z0-9.-]*:$/i.test(word.replace(/\/$/, ""));
}

/** Whether the person has named this address, whole or by its beginning. */
export function isNamed(address: string, named: readonly string[]): boolean {
  return named.some(
    (name) =>
      address === name || (name.endsWith("/") && address.startsWith(name) && !climbs(address)),
  );
}

/** A server may read `..` as a step out of the folder that was named. */
function climbs(address: string): boolean {
  return /(^|[/:\\])\.{1,2}([/\\]|$)|%2e|%2f|%5c/i.test(address);
}

/** An address of somebody else's choice, as one word of a command line. */
function quoted(address: string): string {
  return /^[\w@%+=:,./~-]+$/.test(address) ? address : `'${address.replaceAll("'", "'\\''")}'`;
}
