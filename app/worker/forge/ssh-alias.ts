import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { git, gitEnvironment } from "../git/git";
import { isKnownHost } from "./place";

const run = promisify(execFile);

/**
 * The address with the host that a name in the person's ssh settings stands for, such as `github-work` for a second
 * account. A real name of a host stays: where it leads to another one, that one answers ssh only.
 */
export async function withoutAlias(folder: string, address: string): Promise<string> {
  const [, start = "", host] =
    /^((?:ssh:\/\/)?(?:[\w.-]+@)?)(\w[\w.-]*)(?=[:/])/.exec(address) ?? [];
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
