import { readdirSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { z } from "zod";
import { previewAnswerSchema } from "~/wire/previews/contract";
import { startTestApp } from "../setup/app";
import { at, bearer } from "../setup/world";
import { openStage, startRun } from "./fixture";
import { sandboxProblem } from "./sandbox-scene";
import { processesOf } from "./worker-process";

const { t, app, ada, token, repo, git, home, serve } = await openStage();
/** The same service with the page that leads to a preview. */
const pages = await startTestApp(t, { pages: ["previews.$id"] });
const patience = { timeout: 90_000, interval: 200 };
const file = join(repo, "server.js");
writeFileSync(
  file,
  `require("node:http").createServer((given, answer) => answer.end(given.headers.host + " " + require("node:fs").readFileSync("page.txt"))).listen(process.env.PORT);\n`,
);
writeFileSync(join(repo, ".backloom.yml"), "preview: { run: node server.js, stop_after: 1m }\n");
git("add", ".");
git("commit", "--quiet", "-m", "Server");
const agent = join(home, "agent.sh");
writeFileSync(agent, "echo one > page.txt\n");

async function call(method: string, path: string, body?: object) {
  const answer = await app.send(method, path, body, bearer(token));
  return answer.status === 204 ? null : await answer.json();
}

/** Asks the origin of a preview as a browser does, which resolves names under localhost by itself. */
function visit(url: string, cookie = ""): Promise<{ status: number; cookie: string; text: string }> {
  const { host, pathname, search } = new URL(url);
  return new Promise((resolve, reject) => {
    const asked = request(
      { port: app.port, path: `${pathname}${search}`, headers: { host, cookie } },
      async (answer) => {
        let text = "";
        for await (const piece of answer) text += piece;
        const [set = ""] = answer.headers["set-cookie"] ?? [];
        resolve({ status: answer.statusCode ?? 0, cookie: set.split(";")[0] ?? "", text });
      },
    );
    asked.once("error", reject);
    asked.end();
  });
}

it.each(["off", ...(sandboxProblem === null ? ["bwrap"] : [])])(
  "A person tries work in review through the service, and nothing is left when its worker ends (sandbox %s)",
  { timeout: 180_000 },
  async (sandbox) => {
    const code = `TRY${sandbox}`;
    const { read, productId } = await startRun(t, ada, { code });
    const worker = serve(code, ["--exec", `sh ${agent}`, "--sandbox", sandbox, "--heartbeat", "1"]);
    await expect.poll(async () => at((await read()).jobs, 0).status, patience).toBe("done");
    const { id: jobId, head_sha } = at((await read()).jobs, 0);
    const path = `/api/jobs/${jobId}/preview`;
    const state = async () => previewAnswerSchema.parse(await call("GET", path)).preview;
    await expect
      .poll(async () => z.looseObject({ preview: z.unknown() }).safeParse(await call("POST", path)).success, patience)
      .toBe(true);
    await expect.poll(async () => (await state()).state, patience).toBe("ready");
    const { id, url } = await state();
    expect(await state()).toMatchObject({ head_sha, is_old: false });

    const way = await pages.request(url ?? "", { headers: { cookie: await pages.signIn(ada) } });
    const entry = (way.headers.get("location") ?? "").replace(`:${pages.port}/`, `:${app.port}/`);
    const { cookie } = await visit(entry);
    const page = await visit(new URL("/", entry).href, cookie);
    expect([page.status, page.text]).toEqual([200, expect.stringMatching(/^localhost:\d+ one\n$/)]);
    expect((await visit(new URL("/", entry).href)).status).toBe(404);
    expect((await visit(entry)).status).toBe(404);

    expect(at(await t.query`select evidence from agent_jobs where id = ${jobId}`, 0).evidence).toMatchObject({
      preview: "named",
    });
    const pids = processesOf(id);
    expect(pids).not.toEqual([]);
    await worker.end("SIGTERM");
    expect(processesOf(id)).toEqual([]);
    expect(await state()).toMatchObject({ state: "stopped", stopped_by: "worker", url: null });
    // What a person may see is asked again after ten seconds at the latest.
    await expect.poll(async () => (await visit(new URL("/", entry).href, cookie)).status, patience).toBe(410);
    expect(at(await t.query`select count(*)::int as n from previews where product_id = ${productId}`, 0).n).toBe(1);
  },
);

it("A worker that is killed leaves no process and no socket of its preview", { timeout: 180_000 }, async () => {
  const { read } = await startRun(t, ada, { code: "KILL" });
  const worker = serve("KILL", [
    "--exec",
    `sh ${agent}`,
    "--heartbeat",
    "1",
    ...(sandboxProblem === null ? ["--sandbox", "bwrap"] : []),
  ]);
  await expect.poll(async () => at((await read()).jobs, 0).status, patience).toBe("done");
  const path = `/api/jobs/${at((await read()).jobs, 0).id}/preview`;
  await expect.poll(async () => (await call("POST", path)).preview?.state, patience).toBe("ready");
  const { id } = (await call("GET", path)).preview;
  const sockets = () =>
    readdirSync(tmpdir())
      .flatMap((name) => (name.startsWith("backloom-") ? readdirOf(join(tmpdir(), name)) : []))
      .filter((name) => name === "in");
  const before = sockets().length;
  await worker.end("SIGKILL");
  await expect.poll(() => processesOf(id), patience).toEqual([]);
  if (sandboxProblem === null) await expect.poll(() => sockets().length, patience).toBeLessThan(before);
});

function readdirOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
