import {
  type RestartedWorker,
  type RestartWorkerInput,
  restartedWorkerSchema,
} from "~/contract/worker-presence";
import { type Actor, callAs } from "~/db/rpc.server";

/** Closes what the earlier life of a worker still held (specification: Agent job; lease lost). */
export function restartWorker(actor: Actor, input: RestartWorkerInput): Promise<RestartedWorker> {
  return callAs(
    actor,
    "restart_worker",
    { p_worker: input.worker, p_stopped: input.stopped },
    restartedWorkerSchema,
  );
}
