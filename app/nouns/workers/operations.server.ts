import { operation } from "~/nouns/operation.server";
import * as wire from "~/wire/workers/worker-presence";

/** Workers of the users who share a product with the caller (specification: Agent worker). */
export const listAgentWorkers = operation("list_agent_workers", wire.listAgentWorkersInput, wire.agentWorkerListSchema);

/** Requeues or fails what an earlier run of a worker still held (specification: Agent job, lease_until). */
export const restartWorker = operation("restart_worker", wire.restartWorkerInput, wire.restartedWorkerSchema);

/** Reports a worker's presence and quota (specification: Agent worker). */
export const workerHeartbeat = operation(
  "worker_heartbeat",
  wire.workerHeartbeatInput,
  wire.workerHeartbeatAnswerSchema,
);
