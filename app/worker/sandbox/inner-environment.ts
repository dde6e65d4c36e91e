import { personsVariables } from "../base/environment";
import { movingVariables } from "./tool-homes";

/** Sockets of the user's session, which do not exist in the sandbox. */
const socketVariables = [
  ...["SSH_AUTH_SOCK", "SSH_AGENT_PID", "DBUS_SESSION_BUS_ADDRESS", "GPG_AGENT_INFO"],
  ...["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"],
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

/**
 * Splits a program's variables. The sandbox itself starts outside, where a repository's variables (LD_PRELOAD) would
 * choose what it loads: they are set inside, as words that anyone on the machine can read.
 */
export function apartFromOutside(environment: Record<string, string>) {
  const persons = personsVariables();
  const isOurs = ([name, value]: [string, string]) =>
    persons[name] === value || name.startsWith("BACKLOOM_");
  const pairs = Object.entries(environment);
  return {
    outside: Object.fromEntries(pairs.filter(isOurs)),
    inside: pairs.filter((pair) => !isOurs(pair)),
  };
}
