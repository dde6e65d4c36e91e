import { movingVariables } from "./tool-homes";

/** They name sockets of the person's session, which are not there. */
const socketVariables = [
  ...["SSH_AUTH_SOCK", "SSH_AGENT_PID", "DBUS_SESSION_BUS_ADDRESS", "GPG_AGENT_INFO"],
  ...["DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY"],
];

/** The person's variables as they hold in the sandbox, where a job has a home of its own. */
export function innerEnvironment(
  environment: Record<string, string>,
  home: string,
  variables: Record<string, string>,
): Record<string, string> {
  const kept = { ...environment };
  for (const name of [...movingVariables, ...socketVariables]) Reflect.deleteProperty(kept, name);
  return { ...kept, ...variables, HOME: home, TMPDIR: "/tmp" };
}
