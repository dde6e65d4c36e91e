import { restartWorker, workerHeartbeat } from "~/nouns/workers/operations.server";
import { workerHeartbeatInput } from "~/wire/workers/worker-presence";
import { defineTool } from "../tool.server";

export const workerHeartbeatTool = defineTool({
  name: "worker_heartbeat",
  title: "Presence",
  description: "Report the worker as online. stopped requeues its job.",
  access: "write",
  scopes: ["work"],
  effect: { repeatable: true },
  input: workerHeartbeatInput,
  run: async ({ actor }, input) => {
    if (input.stopped) await restartWorker(actor, { worker: input.worker, stopped: true });
    return workerHeartbeat(actor, input);
  },
});
