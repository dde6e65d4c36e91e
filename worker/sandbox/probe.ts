import { readFile } from "node:fs/promises";
import { findProgram } from "../base/find-program";
import { run } from "../base/run";

/** Path of a working bubblewrap, or why it does not work and how to fix it. */
export type Probe = { program: string } | { problem: string };

/** Runs bwrap with the namespaces jobs get. A version check would not show what the kernel or the system allows. */
export async function probeBwrap(path: string | undefined): Promise<Probe> {
  if (process.platform !== "linux") return { problem: "bubblewrap runs on Linux only" };
  const program = await findProgram("bwrap", { PATH: path ?? "" });
  if (program === null) {
    return { problem: "bwrap is not installed: apt-get install bubblewrap, or dnf install bubblewrap" };
  }
  const args = [...isolation, "--unshare-net", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"];
  try {
    await run(program, args, { timeout: 10_000 });
    return { program };
  } catch (error) {
    const complaint = error instanceof Error && "stderr" in error ? String(error.stderr).trim() : "";
    return { problem: `bwrap does not work here${complaint && ` (${complaint})`}: ${await remedy()}` };
  }
}

/** Finds the restriction that applies and how to lift it. */
async function remedy(): Promise<string> {
  const setting = (name: string) =>
    readFile(`/proc/sys/${name}`, "utf8").then(
      (text) => text.trim(),
      () => null,
    );
  if ((await setting("kernel/apparmor_restrict_unprivileged_userns")) === "1") {
    return "AppArmor forbids user namespaces to programs without a profile. Give bwrap one (apt-get install apparmor-profiles; ln -s /usr/share/apparmor/extra-profiles/bwrap-userns-restrict /etc/apparmor.d/; apparmor_parser -r /etc/apparmor.d/bwrap-userns-restrict), or: sysctl kernel.apparmor_restrict_unprivileged_userns=0";
  }
  if ((await setting("kernel/unprivileged_userns_clone")) === "0") {
    return "user namespaces are switched off: sysctl kernel.unprivileged_userns_clone=1";
  }
  if ((await setting("user/max_user_namespaces")) === "0") {
    return "user namespaces are switched off: sysctl user.max_user_namespaces=10000";
  }
  return "in a container allow it user namespaces (docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined)";
}

/** Namespaces and limits of every sandbox. When its first program ends, everything else in it is killed. */
export const isolation = [
  "--die-with-parent",
  "--new-session",
  "--unshare-user-try",
  "--unshare-pid",
  "--unshare-ipc",
  "--unshare-uts",
  "--unshare-cgroup-try",
  // If run as root, it would keep its capabilities, and could read every file and undo mounts.
  "--cap-drop",
  "ALL",
] as const;
