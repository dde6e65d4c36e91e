import { restartWorker, workerHeartbeat } from "~/nouns/workers/operations.server";
import { workerHeartbeatInput } from "~/wire/workers/worker-presence";
import { defineTool } from "../tool.server";

export const workerHeartbeatTool = defineTool({
  name: "worker_heartbeat",
  title: "Presence of a worker",
  description: "Report that the worker is online. stopped: it ends and its job is requeued.",
  access: "write",
  scopes: ["work"],
  effect: { repeatable: true },
  input: workerHeartbeatInput,
  run: async ({ actor }, input) => {
    if (input.stopped) await restartWorker(actor, { worker: input.worker, stopped: true });
    return workerHeartbeat(actor, input);
  },
});
