import { readFile } from "node:fs/promises";
import { personsVariables } from "../base/environment";
import { toolchainVariables } from "./mounts";
import { addressVariable } from "./network/model-hosts";
import { folderOf, movingVariables, needsOf } from "./tool-homes";

/** Variables that say how programs run and where they are. */
const plain = new Set([
  "PATH",
  "SHELL",
  "USER",
  "LOGNAME",
  "LANG",
  "LANGUAGE",
  "TERM",
  "COLORTERM",
  "NO_COLOR",
  "FORCE_COLOR",
  "TZ",
  "CI",
  "BACKLOOM_WORKTREES",
  "BACKLOOM_DEMO_SECONDS",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
  "GIT_SSL_CAINFO",
  "JAVA_HOME",
  "GOROOT",
  "VIRTUAL_ENV",
  "PYTHONHOME",
  "ANDROID_HOME",
  "DOTNET_ROOT",
  "PNPM_HOME",
  "NVM_BIN",
  ...toolchainVariables,
]);
const plainPattern = /^(LC_\w+|(https?|all|no)_proxy)$/i;
/** The shell's own, and what the job's home and temporary folder replace: not worth a word. */
const ofTheShell = /^(_|PWD|OLDPWD|SHLVL|HOME|TMPDIR|LS_COLORS|XDG_\w+)$/;

export interface PassingVariables {
  /** The user's variables that programs in the sandbox get. */
  variables(): Record<string, string>;
  /** Names of the others. */
  leftOut: string[];
}

/** Lists which of the user's variables pass into the sandbox. `named` are those of `--env`. */
export async function passingVariables(command: string, named: readonly string[]): Promise<PassingVariables> {
  const patterns = needsOf(command).flatMap((needs) => needs.variables(personsVariables()));
  const listed = new Set([...plain, ...named, ...(await keysInSettings(command))]);
  const passes = (name: string): boolean =>
    listed.has(name) || [plainPattern, addressVariable, ...patterns].some((pattern) => pattern.test(name));
  const all = Object.keys(personsVariables());
  return {
    variables: () => Object.fromEntries(Object.entries(personsVariables()).filter(([name]) => passes(name))),
    leftOut: all.filter((name) => !passes(name) && !ofTheShell.test(name)).sort(),
  };
}

async function keysInSettings(command: string): Promise<string[]> {
  const environment = personsVariables();
  const files = needsOf(command).flatMap(({ home }) => home.settings.map((name) => folderOf(home, name, environment)));
  const texts = await Promise.all(
    files.filter((file) => /\.(json|jsonc|toml)$/.test(file)).map((file) => readFile(file, "utf8").catch(() => "")),
  );
  const keys = texts.join("\n").matchAll(/\benv_key\s{0,9}=\s{0,9}"(\w+)"|\{env:(\w+)\}/g);
  return [...keys].map(([, one, other]) => one ?? other ?? "");
}

/** Sockets of the user's session, which do not exist in the sandbox. */
const socketVariables = [
  "SSH_AUTH_SOCK",
  "SSH_AGENT_PID",
  "DBUS_SESSION_BUS_ADDRESS",
  "GPG_AGENT_INFO",
  "DISPLAY",
  "WAYLAND_DISPLAY",
  "XAUTHORITY",
];

/** A program's variables, adapted to the sandbox and the job's own home. */
export function innerEnvironment(
  environment: Record<string, string>,
  home: string,
  variables: Record<string, string>,
): Record<string, string> {
  const kept = { ...environment };
  for (const name of [...movingVariables, ...socketVariables]) Reflect.deleteProperty(kept, name);
  return { ...kept, ...variables, HOME: home, TMPDIR: "/tmp" };
}

/** The sandbox starts outside, where LD_PRELOAD would choose what it loads: such are set inside, as readable words. */
export function apartFromOutside(environment: Record<string, string>) {
  const persons = personsVariables();
  const isOurs = ([name, value]: [string, string]) => persons[name] === value || name.startsWith("BACKLOOM_");
  const pairs = Object.entries(environment);
  return { outside: Object.fromEntries(pairs.filter(isOurs)), inside: pairs.filter((pair) => !isOurs(pair)) };
}
