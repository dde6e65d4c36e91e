import { soloStateInput, soloStateSchema } from "~/contract/worker";
import {
  agentWorkerListSchema,
  listAgentWorkersInput,
  restartedWorkerSchema,
  restartWorkerInput,
  workerHeartbeatAnswerSchema,
  workerHeartbeatInput,
} from "~/contract/worker-presence";
import { operation } from "../operation.server";

/** Active sprint, unfinished jobs and worker count (specification: Solo stream). */
export const getSoloState = operation("get_solo_state", soloStateInput, soloStateSchema);

/** Workers that reach the products in reach (specification: Agent worker). */
export const listAgentWorkers = operation(
  "list_agent_workers",
  listAgentWorkersInput,
  agentWorkerListSchema,
);

/** Closes what the earlier life of a worker still held (specification: Agent job; lease lost). */
export const restartWorker = operation("restart_worker", restartWorkerInput, restartedWorkerSchema);

/** Presence and quota of a worker (specification: Agent worker). */
export const workerHeartbeat = operation(
  "worker_heartbeat",
  workerHeartbeatInput,
  workerHeartbeatAnswerSchema,
);
