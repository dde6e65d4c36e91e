import { type ForgeKind, type ForgeSetting, forgeKinds } from "../base/forge-kinds";
import { run } from "../base/run";
import { decoded } from "../git/ask-credential";
import { git, gitEnvironment } from "../git/git";
import type { ForgeDriver } from "./driver";
import { type ForgeLocation, ForgeProblem, NoGitHost } from "./forge";
import { kinds } from "./kinds";

/** Parts of a remote's URL; the path is without `.git`. */
interface Remote {
  /** Null for ssh, whose port says nothing about the web. */
  origin: string | null;
  hostname: string;
  path: string;
}

/** Finds the Git host of a remote. The user's `BACKLOOM_FORGE_URL` takes precedence over the repository's setting. */
export function locationOf(
  address: string,
  setting: ForgeSetting | undefined,
  given: string | undefined,
): ForgeLocation {
  const remote = readRemote(address);
  if (remote === null) {
    throw new NoGitHost("the repository has no remote on a Git host");
  }
  const kind = (typeof setting === "string" ? setting : setting?.kind) ?? kindOf(remote.hostname, given);
  const root = rootOf(remote, typeof setting === "string" ? undefined : setting?.url, given);
  const below = root.pathname.replace(/\/$/, "");
  const project = remote.path.startsWith(`${below.slice(1)}/`) ? remote.path.slice(below.length) : remote.path;
  const base = `${root.origin}${below}`;
  return { kind, api: kinds[kind].apiOf(root, base), host: root.host, address: `${base}/${project}.git`, project };
}

/** The host of a remote, with the port of its web address. */
export function hostIn(address: string): string | undefined {
  const remote = readRemote(address);
  return remote?.origin ? new URL(remote.origin).host : remote?.hostname;
}

function readRemote(address: string): Remote | null {
  // Such as a line end, in text that git and the Git host get.
  if (/\p{Cc}/u.test(decoded(address))) return null;
  const short = /^(?:[\w.-]+@)([a-z0-9][a-z0-9.-]*):(?!\/\/)(.+)$/i.exec(address);
  if (short) return { origin: null, hostname: short[1] ?? "", path: cut(short[2] ?? "") };
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^(https?|ssh):$/.test(url.protocol) || url.hostname === "") return null;
  const origin = url.protocol === "ssh:" ? null : url.origin;
  return { origin, hostname: url.hostname, path: cut(decoded(url.pathname)) };
}

function cut(path: string): string {
  return path.replace(/^\/+|\/+$/g, "").replace(/\.git$/, "");
}

/** An address named by the repository must be on the remote's host, because the user's login is sent there. */
function rootOf(remote: Remote, named: string | undefined, given: string | undefined): URL {
  const root = new URL(given ?? named ?? remote.origin ?? `https://${remote.hostname}`);
  if (given === undefined && root.hostname !== remote.hostname) {
    throw new ForgeProblem(
      `.backloom.yml names ${root.host} as the Git host of ${remote.hostname}: set BACKLOOM_FORGE_URL if your login may go there`,
    );
  }
  if (root.protocol === "http:" && !isLoopback(root.hostname)) {
    throw new ForgeProblem(
      `${root.host} is used without TLS, so your login is not sent there: set BACKLOOM_FORGE_URL to its https URL`,
    );
  }
  return root;
}

function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

export function isKnownHost(host: string): boolean {
  return Object.values(kinds).some(({ publicHost }) => publicHost === host);
}

function kindOf(hostname: string, given: string | undefined): ForgeKind {
  for (const host of [given === undefined ? hostname : new URL(given).hostname, hostname]) {
    const kind = kindNamed(host);
    if (kind !== undefined) return kind;
  }
  throw new ForgeProblem(
    `the name ${hostname} does not show its kind of Git host: write ${forgeKinds.map((kind) => `"forge: ${kind}"`).join(" or ")} into .backloom.yml on the main branch`,
  );
}

function kindNamed(host: string): ForgeKind | undefined {
  const parts = host.split(".");
  const isOf = ({ publicHost, nameParts }: ForgeDriver) =>
    host === publicHost || nameParts.some((part) => parts.includes(part));
  // Such as a Forgejo below the name of another kind.
  return forgeKinds.findLast((kind) => isOf(kinds[kind]));
}

/** A name of the person's ssh settings (`github-work`) becomes its host; a real name stays: ssh may lead elsewhere. */
export async function withoutAlias(folder: string, address: string): Promise<string> {
  const [, start = "", host] = /^((?:ssh:\/\/)?(?:[\w.-]+@)?)(\w[\w.-]*)(?=[:/])/.exec(address) ?? [];
  const isSsh = address.startsWith("ssh://") || !address.includes("://");
  if (host === undefined || !isSsh || isKnownHost(host)) return address;
  const meant = (await hostOf(folder, host))?.replace(/^(?:alt)?ssh\./, "");
  if (meant === undefined || (host.includes(".") && !isKnownHost(meant))) return address;
  return `${start}${meant}${address.slice(start.length + host.length)}`;
}

/** Asks the ssh that git uses. */
async function hostOf(folder: string, name: string): Promise<string | undefined> {
  const env = gitEnvironment();
  const configured = await git(folder, "config", "--get", "core.sshCommand").catch(() => "");
  const ssh = env.GIT_SSH_COMMAND || configured || "ssh";
  const options = { env, timeout: 10_000 };
  const end = await run("/bin/sh", ["-c", `${ssh} -G "$1"`, "sh", name], options).catch(() => null);
  return /^hostname (\S+)$/m.exec(end?.stdout ?? "")?.[1];
}
