import { run } from "../base/run";
import { gitEnvironment } from "./git";

const timeout = 20_000;

type Login = { user: string | null; secret: string };

/** Asks no one. The only writer to git's line protocol: a line end in an address would ask for another host's login. */
export async function askCredential(folder: string, address: string): Promise<Login | null> {
  const { protocol, host, pathname } = new URL(address);
  const wish = { protocol: protocol.slice(0, -1), host, path: decoded(pathname.slice(1)) };
  const lines = Object.entries(wish).map(([name, value]) => `${name}=${value}`);
  if (lines.some((line) => /\p{Cc}/u.test(line))) return null;
  const args = ["-c", "core.askPass=", "credential", "fill"];
  const env = { ...gitEnvironment(), GIT_ASKPASS: "", SSH_ASKPASS: "" };
  const filling = run("git", args, { cwd: folder, timeout, env });
  filling.child.stdin?.on("error", () => undefined).end(`${lines.join("\n")}\n\n`);
  const end = await filling.catch(() => null);
  const answer = new Map(
    (end?.stdout ?? "").split("\n").map((line) => {
      const [name = "", ...value] = line.split("=");
      return [name, value.join("=")];
    }),
  );
  const secret = answer.get("password");
  const isOfHost = answer.get("host") === host && answer.get("protocol") === wish.protocol;
  return secret && isOfHost ? { secret, user: answer.get("username") ?? null } : null;
}

/** Without broken percent signs, which stay as they are. */
export function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
