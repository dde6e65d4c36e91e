import { createDocument } from "zod-openapi";
import { errorBodySchema } from "~/contract/errors";
import { pbiSchema } from "~/contract/pbi";
import { productSchema } from "~/contract/product";
import { storySchema } from "~/contract/story";
import { taskDetailSchema, taskSchema } from "~/contract/task";
import { backlogPaths } from "./backlog-paths.server";
import { budgetPaths } from "./budget-paths.server";
import { dependencyPaths } from "./dependency-paths.server";
import { jobPaths } from "./job-paths.server";
import { otherPaths } from "./other-paths.server";
import { savedViewPaths } from "./saved-view-paths.server";
import { streamPaths } from "./stream-paths.server";

/** Everything under /api, with the codes and bodies of its answers. */
export function openApiDocument(version: string, origin: string) {
  return createDocument(
    {
      openapi: "3.1.0",
      info: {
        title: "Backloom",
        version,
        description:
          "The backlog that people and coding agents share. Clients ignore keys that they do not know.",
      },
      servers: [{ url: origin }],
      paths: {
        ...backlogPaths,
        ...dependencyPaths,
        ...jobPaths,
        ...budgetPaths,
        ...savedViewPaths,
        ...streamPaths,
        ...otherPaths,
      },
      components: {
        schemas: {
          Error: errorBodySchema,
          Product: productSchema,
          Pbi: pbiSchema,
          Story: storySchema,
          Task: taskSchema,
          TaskDetail: taskDetailSchema,
        },
        securitySchemes: {
          token: {
            type: "http",
            scheme: "bearer",
            description: "An API token from the settings. When present it decides alone.",
          },
          session: { type: "apiKey", in: "cookie", name: "session" },
          pairing: { type: "apiKey", in: "cookie", name: "app_pair" },
          schedule: { type: "http", scheme: "bearer", description: "CRON_SECRET" },
        },
      },
    },
    {
      // Changes to answers are additive, so the document forbids no further keys.
      override: ({ jsonSchema }) => {
        if (jsonSchema.additionalProperties === false) jsonSchema.additionalProperties = undefined;
      },
    },
  );
}
