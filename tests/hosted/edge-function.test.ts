import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";
import { openApp } from "../setup/app";
import { atTheEnd } from "../setup/at-the-end";
import { bearer } from "../setup/world";

const { app } = await openApp();
const file = join(import.meta.dirname, "../../supabase/functions/scheduled/index.ts");

type Handler = (request: Request) => Promise<Response>;

/** The function with its secrets, in this process: Deno's two calls are played. */
async function loadFunction(appOrigin: string): Promise<Handler> {
  const secrets = (name: string) => ({ APP_ORIGIN: appOrigin, CRON_SECRET: app.cronSecret })[name];
  const serve = vi.fn<(handler: Handler) => void>();
  vi.stubGlobal("Deno", { env: { get: secrets }, serve });
  vi.resetModules();
  await import(file);
  const [handler] = serve.mock.calls[0] ?? [];
  if (handler === undefined) throw new Error("The function serves nothing.");
  return (request) => {
    vi.stubGlobal("Deno", { env: { get: secrets } });
    return handler(request);
  };
}

/** The function in Deno itself, with no more rights than the network and its two secrets. */
async function runInDeno(appOrigin: string): Promise<Handler> {
  const port = await findFreePort();
  const rights = ["--no-prompt", "--allow-net", "--allow-env=APP_ORIGIN,CRON_SECRET"];
  const child = spawn("deno", ["run", ...rights, file], {
    env: {
      ...process.env,
      APP_ORIGIN: appOrigin,
      CRON_SECRET: app.cronSecret,
      DENO_SERVE_ADDRESS: `tcp:127.0.0.1:${port}`,
    },
    stdio: ["ignore", "ignore", "pipe"],
    // Deno from npm is a program that starts Deno.
    detached: true,
  });
  atTheEnd(async () => {
    if (child.pid) process.kill(-child.pid);
    await once(child, "exit");
  });
  await once(child.stderr, "data");
  return (request) => {
    const { method, headers, body } = request;
    const { pathname } = new URL(request.url);
    const init = { method, headers, body, duplex: "half" as const };
    return fetch(`http://127.0.0.1:${port}${pathname}`, init);
  };
}

function hasDeno(): boolean {
  try {
    execFileSync("deno", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

afterAll(() => void vi.unstubAllGlobals());

function send(to: Handler, body: unknown, headers = bearer(app.cronSecret)): Promise<Response> {
  const init = { method: "POST", headers, body: JSON.stringify(body) };
  return to(new Request("https://project.example/functions/v1/scheduled", init));
}

describe.each([
  { runtime: "with Deno's calls played", load: loadFunction, here: true },
  { runtime: "in Deno itself", load: runInDeno, here: hasDeno() },
])("the Edge Function $runtime", ({ load, here }) => {
  let handler: Handler;
  beforeAll(async () => {
    if (here) handler = await load(`${app.origin}/`);
  });

  it.runIf(here).each(["expire-questions", "cleanup-agent-artifacts"])(
    "The Edge Function calls %s, also when the origin ends with a slash",
    async (job) => {
      const response = await send(handler, { job });
      expect(response.status).toBe(200);
      expect(Object.keys(await response.json()).length).toBeGreaterThan(0);
    },
  );

  it.runIf(here)("The Edge Function refuses everyone without the secret, and jobs that do not exist", async () => {
    const job = "expire-questions";
    expect((await send(handler, { job }, {})).status).toBe(401);
    expect((await send(handler, { job }, bearer("other"))).status).toBe(401);
    expect((await send(handler, { job: "drop-everything" })).status).toBe(422);
    expect((await handler(new Request("https://project.example"))).status).toBe(405);
  });

  it.runIf(here)("The Edge Function says in a sentence that the service is down", async () => {
    const lost = await load("http://127.0.0.1:1");
    const response = await send(lost, { job: "expire-questions" });
    expect(response.status).toBe(502);
    expect(await response.json()).toEqual({ error: expect.stringContaining("does not answer"), code: 502 });
  });
});
