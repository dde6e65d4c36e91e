import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, expect, it } from "vitest";
import { setups } from "~/routes/_app.connect/setups";
import { readWorkerFile } from "~/server/worker-file.server";
import { bundleWorkerFile } from "../../app/cli/build.mjs";
import { bearer, createToken, startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { createUser } from "../setup/users";

const run = promisify(execFile);
const folder = await mkdtemp(join(tmpdir(), "backloom-worker-file-"));
afterAll(() => rm(folder, { recursive: true, force: true }));
await bundleWorkerFile(folder);
const t = await createTestDatabase();
const workerFile = await readWorkerFile(folder);
const app = await startTestApp(t, workerFile ? { workerFile, pages: ["_auth.login"] } : {});
const token = await createToken(t, await createUser(t, { username: "ada" }));

it("is downloaded from the service and runs alone, with every option that the pages name", async () => {
  const answer = await app.request("/worker.mjs");
  expect(answer.status).toBe(200);
  const file = join(folder, "downloaded.mjs");
  await writeFile(file, Buffer.from(await answer.arrayBuffer()));
  const { stdout } = await run(process.execPath, [file, "--help"], { cwd: folder });
  const lines = setups({ origin: app.origin, token, productId: null })
    .flatMap(({ blocks }) => blocks.map(({ text }) => text))
    .filter((text) => text.includes("backloom-worker.mjs --"));
  expect(lines).toHaveLength(5);
  for (const line of lines) {
    for (const [option] of line.split("backloom-worker.mjs --")[1]?.matchAll(/--[a-z-]+/g) ?? []) {
      expect(stdout).toContain(option);
    }
  }
  const words = ["--url", app.origin, "--token", token, "--exec", "demo", "--until-idle"];
  const worked = await run(process.execPath, [file, ...words, "--work-dir", folder]);
  expect(worked.stdout).toContain("waits for jobs");
}, 60_000);

it("a worker that is too old is told where the one of today is", async () => {
  const headers = { ...bearer(token), "backloom-worker-protocol": "0" };
  const answer = await app.request("/mcp/worker", { method: "POST", headers, body: "{}" });
  expect(answer.status).toBe(410);
  expect(await answer.json()).toMatchObject({ error: expect.stringContaining("/worker.mjs") });
});
