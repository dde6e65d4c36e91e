import type { Credential, Forge, ForgeLocation } from "./forge";
import type { Requests } from "./requests";

export interface ForgeDriver {
  title: string;
  /** Parts of a host's name that tell its kind. */
  nameParts: readonly string[];
  /** The host of this kind that is open to everyone. */
  publicHost: string;
  /** Base URL of the API, derived from the web URL. */
  apiOf(root: URL, base: string): string;
  signIn: string;
  /** Form of tokens that are for the public host only. */
  tokenForm: RegExp | null;
  /** The login of the host's own tool. */
  tokenOfTool(host: string, runTool: RunTool): Promise<string | undefined>;
  headers(credential: Credential): Record<string, string>;
  open(location: ForgeLocation, requests: Requests): Forge;
}

/** Runs a program of the user and returns its output; undefined if it is missing or has no login for the host. */
export type RunTool = (program: string, args: string[]) => Promise<string | undefined>;
