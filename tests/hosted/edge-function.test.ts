import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { bearer, startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();
const app = await startTestApp(t);
let origin = `${app.origin}/`;

type Handler = (request: Request) => Promise<Response>;

/** The function as Supabase's runtime would load it: Deno hands it its secrets and takes its handler. */
async function loadFunction(): Promise<Handler> {
  const secrets = (name: string) => ({ APP_ORIGIN: origin, CRON_SECRET: app.cronSecret })[name];
  const serve = vi.fn<(handler: Handler) => void>();
  vi.stubGlobal("Deno", { env: { get: secrets }, serve });
  const file = join(import.meta.dirname, "../../supabase/functions/scheduled/index.ts");
  await import(file);
  const [handler] = serve.mock.calls[0] ?? [];
  if (handler === undefined) throw new Error("The function serves nothing.");
  return handler;
}

const handler = await loadFunction();
afterAll(() => void vi.unstubAllGlobals());

function call(body: unknown, headers = bearer(app.cronSecret)): Promise<Response> {
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return handler(new Request("https://project.example/functions/v1/scheduled", init));
}

describe("the Edge Function", () => {
  it.each(["expire-questions", "cleanup-agent-artifacts"])(
    "calls %s, also when the origin ends with a slash",
    async (job) => {
      const response = await call({ job });
      expect(response.status).toBe(200);
      expect(Object.keys(await response.json()).length).toBeGreaterThan(0);
    },
  );

  it("refuses everybody without the secret, and jobs that do not exist", async () => {
    expect((await call({ job: "expire-questions" }, {})).status).toBe(401);
    expect((await call({ job: "expire-questions" }, bearer("other"))).status).toBe(401);
    expect((await call({ job: "drop-everything" })).status).toBe(422);
    expect((await handler(new Request("https://project.example"))).status).toBe(405);
  });

  it("says in a sentence that the service is down", async () => {
    origin = "http://127.0.0.1:1";
    const response = await call({ job: "expire-questions" });
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual({
      error: expect.stringContaining("does not answer"),
      code: 502,
    });
  });
});
