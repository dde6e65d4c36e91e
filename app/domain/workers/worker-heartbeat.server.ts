import {
  type WorkerHeartbeatAnswer,
  type WorkerHeartbeatInput,
  workerHeartbeatAnswerSchema,
} from "~/contract/worker-presence";
import { type Actor, callAs } from "~/db/rpc.server";

/** Presence and quota of a worker (specification: Agent worker). */
export function workerHeartbeat(
  actor: Actor,
  input: WorkerHeartbeatInput,
): Promise<WorkerHeartbeatAnswer> {
  return callAs(
    actor,
    "worker_heartbeat",
    {
      p_worker: input.worker,
      p_hostname: input.hostname,
      p_version: input.version,
      p_quota_pct: input.quota_pct,
      p_stopped: input.stopped,
      p_agents: input.agents,
    },
    workerHeartbeatAnswerSchema,
  );
}
