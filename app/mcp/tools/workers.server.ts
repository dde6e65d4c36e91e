import { workerHeartbeatInput } from "~/contract/worker-presence";
import { restartWorker, workerHeartbeat } from "~/domain/workers/operations.server";
import { defineTool } from "../tool.server";

export const workerHeartbeatTool = defineTool({
  name: "worker_heartbeat",
  title: "Presence of a worker",
  description: "Says that the worker is there. stopped: it ends, its job goes back.",
  access: "write",
  effect: { repeatable: true },
  input: workerHeartbeatInput,
  run: async ({ actor }, input) => {
    if (input.stopped) await restartWorker(actor, { worker: input.worker, stopped: true });
    return workerHeartbeat(actor, input);
  },
});
