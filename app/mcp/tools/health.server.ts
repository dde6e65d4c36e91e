import { z } from "zod";
import { defineTool } from "../tool.server";

export const healthTool = defineTool({
  name: "health",
  title: "Health",
  description: "Check the service and its database, and get the version.",
  access: "read",
  scopes: ["read", "plan", "work"],
  input: z.object({}),
  run: async ({ services }) => ({
    status: "ok",
    version: services.version,
    time: new Date().toISOString(),
    database: await services.database.call("ping", {}).then(
      () => "ok",
      () => "down",
    ),
  }),
});
