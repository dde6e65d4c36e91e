import { expect } from "vitest";
import { z } from "zod";
import { exportDocumentSchema } from "~/nouns/transfers/export-document";
import { importDocument } from "~/nouns/transfers/import-document.server";
import { openApp, type TestApp } from "../setup/app";
import type { TestDatabase } from "../setup/database";
import type { TestUser } from "../setup/world";
import { connectClient, type ToolAnswer, type ToolClient } from "./clients";

/** What the tests of the job tools share: an app with realtime, and a user with a token. */
export type Stage = { t: TestDatabase; app: TestApp; ada: TestUser; token: string };

export async function openStage({ pages = false } = {}): Promise<Stage> {
  const { t, app } = await openApp({ realtime: true, pages });
  const ada = await t.createUser({ username: "ada" });
  return { t, app, ada, token: await t.createToken(ada) };
}

export function ok({ isError, result, text }: ToolAnswer): Record<string, unknown> {
  expect(isError, text).toBe(false);
  return result;
}

export const identified = z.object({ id: z.string() });
export const idOf = (value: unknown): string => identified.parse(value).id;
export const listOf = (value: unknown): string[] =>
  z
    .array(identified)
    .parse(value)
    .map(({ id }) => id);

/** A product with one story of some planned tasks in an active sprint. */
export async function createProduct(
  stage: Stage,
  code: string,
  { plan = "Do it", tasks = 1, strategy = "SPRINT" } = {},
) {
  const document = exportDocumentSchema.parse({
    format: "backloom-export",
    version: 1,
    product: { code, name: code, pr_strategy: strategy },
    sprints: [{ code: "SP-1", sprint_goal: "All", status: "ACTIVE" }],
    pbis: [
      {
        title: "PBI",
        stories: [
          {
            title: "Story",
            sprint: "SP-1",
            tasks: Array.from({ length: tasks }, (_, index) => ({
              title: `Task ${index + 1}`,
              implementation_plan: plan || null,
            })),
          },
        ],
      },
    ],
  });
  await importDocument(stage.t.database, stage.ada.id, document);
}

export async function startRun(client: ToolClient, code: string) {
  return ok(await client.call("start_sprint_run", { sprint_id: "SP-1", product_id: code }));
}

/** `/mcp` to steer and `/mcp/worker` to work, as two programs would. */
export async function connectBoth({ app, token }: Pick<Stage, "app" | "token">) {
  return {
    agent: await connectClient(app, token),
    worker: await connectClient(app, token, "2026-07-28", "/mcp/worker"),
  };
}
