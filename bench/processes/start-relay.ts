import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** One address before several processes of the service. */
export interface Relay {
  port: number;
  pid: number;
  /** New connections go to these from now on. */
  lead(ports: readonly number[]): Promise<void>;
  stop(): void;
}

export async function startRelay(): Promise<Relay> {
  const child = fork(join(import.meta.dirname, "relay.mjs"), { stdio: ["ignore", "pipe", "inherit", "ipc"] });
  const [line] = child.stdout ? await once(child.stdout, "data") : [];
  return {
    port: Number(String(line)),
    pid: child.pid ?? 0,
    async lead(ports) {
      const confirmed = once(child, "message");
      child.send([...ports]);
      await confirmed;
    },
    stop: () => child.kill(),
  };
}
