import { workerHeartbeatInput } from "~/contract/worker";
import { workerHeartbeat } from "~/domain/workers/worker-heartbeat.server";
import { defineTool } from "../tool.server";

export const workerHeartbeatTool = defineTool({
  name: "worker_heartbeat",
  title: "Presence of a worker",
  description: "Tells that the worker is there, with its quota; stopped when it ends.",
  access: "write",
  input: workerHeartbeatInput,
  run: ({ actor }, input) => workerHeartbeat(actor, input),
});
