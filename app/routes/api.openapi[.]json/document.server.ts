import { createDocument, type ZodOpenApiPathsObject } from "zod-openapi";
import type { RouteHandler } from "~/http/endpoint.server";
import { errorBodySchema } from "~/wire/errors";
import { pbiSchema } from "~/wire/pbis/contract";
import { productSchema } from "~/wire/products/contract";
import { storySchema } from "~/wire/stories/contract";
import { taskDetailSchema, taskSchema } from "~/wire/tasks/contract";
import { describedOperation } from "./described-operation.server";

/** All routes under /api, by file. */
const routes = import.meta.glob<{ loader: Partial<RouteHandler> }>([
  "/app/routes/api.*.ts",
  "/app/routes/api.*/route.ts",
]);

let made: { origin: string; text: string } | undefined;

/** Returns the document for everything under /api. Cached: building takes a tenth of a second, and anyone may ask. */
export async function openApiText(version: string, origin: string): Promise<string> {
  if (made?.origin !== origin) made = { origin, text: JSON.stringify(await openApiDocument(version, origin)) };
  return made.text;
}

async function openApiDocument(version: string, origin: string) {
  return createDocument(
    {
      openapi: "3.1.0",
      info: {
        title: "Backloom",
        version,
        description: "The backlog that people and coding agents share. Clients must ignore keys they do not know.",
      },
      servers: [{ url: origin }],
      paths: await paths(),
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
      // Responses may gain fields, so the document does not forbid additional ones.
      override: ({ jsonSchema }) => {
        if (jsonSchema.additionalProperties === false) jsonSchema.additionalProperties = undefined;
      },
    },
  );
}

async function paths(): Promise<ZodOpenApiPathsObject> {
  const described: ZodOpenApiPathsObject = {};
  for (const [file, load] of Object.entries(routes)) {
    const { endpoints } = (await load()).loader;
    if (!endpoints) continue;
    const address = addressOf(file);
    const methods = Object.entries(endpoints).map(([method, { description }]) => [
      method.toLowerCase(),
      describedOperation(description, address, method),
    ]);
    described[address] = Object.fromEntries(methods);
  }
  return described;
}

/** `api.tasks.$id` serves /api/tasks/{id}. A dot in brackets is part of the address. */
function addressOf(file: string): string {
  const folder =
    file
      .replace(/(\/route)?\.ts$/, "")
      .split("/")
      .at(-1) ?? "";
  const parts = folder.split(/(?<!\[)\./).map((part) => part.replace(/^\$(\w+)$/, "{$1}"));
  return `/${parts.join("/")}`.replaceAll("[.]", ".");
}
