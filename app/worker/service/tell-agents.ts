import { hostname } from "node:os";
import { z } from "zod";
import manifest from "../../../package.json";
import { findAgents } from "../agents/list-agents";
import { personsVariables } from "../job/environment";
import type { Confinement } from "../sandbox/wish";
import type { Service } from "./service";

/**
 * Tells which agents this machine has, beside the work: Connect offers those first. Whether it arrives changes nothing, so it is
 * tried once, and not any more when the worker is about to say good-bye.
 */
export async function tellAgents(
  worker: string,
  confinement: Confinement,
  service: Service,
  signal: AbortSignal,
): Promise<void> {
  const found = await findAgents(personsVariables());
  const agents = found.flatMap(({ name, way, version, isSignedIn }) => {
    const account = isSignedIn === null ? "" : isSignedIn ? ", signed in" : ", not signed in";
    return way === null ? [] : [`${name} ${version ?? "of unknown version"}${account}`];
  });
  if (signal.aborted) return;
  const given = { worker, hostname: hostname(), version: manifest.version, agents, confinement };
  await service.call("worker_heartbeat", given, z.unknown(), { retry: false, signal });
}
