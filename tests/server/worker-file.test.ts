import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { readWorkerFile } from "~/context/worker-file.server";
import { workerProtocolHeader } from "~/wire/workers/worker-protocol";
import { bundleWorkerFile } from "../../app/cli/build.mjs";
import { usage } from "../../worker/base/options";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { portOf } from "../setup/port-of";
import { bearer } from "../setup/world";

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), "backloom-worker-file-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
await bundleWorkerFile(folder);
const t = await createTestDatabase();
const workerFile = await readWorkerFile(folder);
const app = await startTestApp(t, workerFile ? { workerFile, pages: ["_auth.login"] } : {});
const token = await t.createToken(await t.createUser({ username: "ada" }));

it("The worker downloaded from the service runs alone and knows its options", async () => {
  const answer = await app.request("/worker.mjs");
  expect(answer.status).toBe(200);
  const file = join(folder, "downloaded.mjs");
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  const { stdout } = await run(process.execPath, [file, "--help"], { cwd: folder });
  expect(stdout).toBe(`${usage}\n`);
  const words = ["--url", app.origin, "--token", token, "--exec", "demo", "--until-idle"];
  const worked = await run(process.execPath, [file, ...words, "--work-dir", folder]);
  expect(worked.stdout).toContain("waits for jobs");
});

it("a worker that is too old says so, with what to do, and takes no job", async () => {
  // To the service it is a worker of yesterday: what it says of its protocol is made older on the way.
  const ageing = createServer((incoming, outgoing) => {
    const headers = { ...incoming.headers };
    if (workerProtocolHeader in headers) headers[workerProtocolHeader] = "0";
    const { method, url: path } = incoming;
    const upstream = request({ host: "127.0.0.1", port: app.port, method, path, headers });
    upstream.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(upstream);
  });
  const url = `http://127.0.0.1:${await portOf(ageing)}`;
  const words = ["--url", url, "--token", token, "--exec", "demo", "--work-dir", folder];
  const file = join(folder, "backloom-worker.mjs");
  const ended = await run(process.execPath, [file, ...words]).catch((error: unknown) => error);
  ageing.closeAllConnections();
  ageing.close();
  expect(ended).toMatchObject({
    code: 1,
    stderr: "This worker is too old for the service: download it again from /worker.mjs there\n",
    stdout: expect.not.stringContaining("Claimed"),
  });
});

it("The service refuses a worker that is too old, and names the address of the current one", async () => {
  const headers = { ...bearer(token), "backloom-worker-protocol": "0" };
  const answer = await app.request("/mcp/worker", { method: "POST", headers, body: "{}" });
  expect(answer.status).toBe(410);
  expect(await answer.json()).toMatchObject({ error: expect.stringContaining("/worker.mjs") });
});
