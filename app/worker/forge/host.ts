import type { Credential, Forge, ForgePlace } from "./forge";
import type { Requests } from "./requests";

/** What is known of a kind of Git host. */
export interface ForgeHost {
  title: string;
  /** Parts of a host's name that tell its kind. */
  labels: readonly string[];
  /** The host of this kind that everyone knows. */
  known: string;
  /** Base URL of the API, derived from the web URL. */
  apiOf(root: URL, base: string): string;
  /** How to sign in with the host's own tool. */
  signIn: string;
  /** Form of tokens that are for the known host only. */
  tokenForm: RegExp | null;
  /** The login of the host's own tool. */
  tokenOfTool(host: string, printed: Printed): Promise<string | undefined>;
  headers(credential: Credential): Record<string, string>;
  open(place: ForgePlace, requests: Requests): Forge;
}

/** Output of a program of the user; undefined if it is missing or has no login for the host. */
export type Printed = (program: string, words: string[]) => Promise<string | undefined>;
