import { rmSync, symlinkSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it, vi } from "vitest";
import { answerQuestion, listQuestions } from "~/nouns/questions/operations.server";
import { projectRoot } from "../../supabase/embedded/project-root";
import { portOf } from "../setup/port-of";
import { startRun } from "./fixture";
import { openSandboxScene, sandboxProblem } from "./sandbox-scene";

describe.skipIf(sandboxProblem !== null)("what the person of a sandbox is asked", async () => {
  const { t, ada, run, begin, put, root, home, git, serveOnce } = await openSandboxScene();
  const actor = t.actorOf(ada);
  const asked: string[] = [];
  let mayGoOn = false;
  const server = createServer((request, response) => {
    asked.push(`${request.headers.host}${request.url}`);
    response.end(mayGoOn ? "go" : "wait");
  });
  const port = await portOf(server);
  const here = `127.0.0.1:${port}`;
  afterAll(() => void server.close());
  const listed = ["--net", here];
  const untilTold = `until [ "$(curl -s http://${here}/)" = go ]; do sleep 0.1; done`;

  const open = async () => (await listQuestions(actor, { state: "open", limit: 50 })).questions;
  const answer = async (words: string, option: number) => {
    const question = await vi.waitFor(
      async () => {
        const found = (await open()).find(({ question: text }) => text.includes(words));
        if (found === undefined) throw new Error("No one was asked yet");
        return found;
      },
      { timeout: 60_000, interval: 200 },
    );
    expect(question).toMatchObject({ kind: "permission", reader_id: ada.id });
    await answerQuestion(actor, { question_id: question.id, option });
  };
  const writeRules = (text: string) => {
    put("repo/.backloom.yml", text);
    git("add", ".backloom.yml");
    git("commit", "-qm", "Rules");
  };

  it("A host that the person denies stays closed, and the job continues", async () => {
    mayGoOn = false;
    const { worker, end } = await begin(
      `curl -s -o first.txt http://denied.invalid/
${untilTold}
curl -s -o second.txt http://denied.invalid/`,
      listed,
    );
    await answer("denied.invalid:80", 2);
    await worker.said(/Denied: denied\.invalid:80/);
    mayGoOn = true;
    const { job, read, output } = await end();
    expect(job, output).toMatchObject({ status: "done" });
    expect(read("second.txt")).toBe(read("first.txt"));
    expect(read("second.txt")).toContain("denied.invalid:80 is not among the hosts");
    expect((await open()).filter(({ reach }) => reach === "denied.invalid:80")).toEqual([]);
  });

  it("The person is not asked about a host that the owner of the product lists", async () => {
    const preload = pathToFileURL(join(projectRoot, "tests/worker/internet-stand-in.mjs"));
    const { job, read, output } = await run(
      `curl -s http://api.shop.example/plain > plain.txt
curl -s -p -x $HTTP_PROXY http://api.shop.example:443/tunnel > tunnel.txt
curl -s http://other.shop.example/ > other.txt; true`,
      [],
      { NODE_OPTIONS: `--import=${preload}`, STAND_IN_HOST: "api.shop.example", STAND_IN_PORT: String(port) },
      ["api.shop.example"],
    );
    expect(job, output).toMatchObject({ status: "done" });
    expect([read("plain.txt"), read("tunnel.txt")]).toEqual(["go", "go"]);
    expect(asked).toContain("api.shop.example/plain");
    expect(read("other.txt")).toContain("other.shop.example:80 is not among the hosts");
    expect((await open()).some(({ reach }) => reach?.startsWith("api.shop.example"))).toBe(false);
  });

  it("A job sees what its repository needs once the person says yes, and later jobs from the start", async () => {
    const [yes, no] = [put("needed/yes.txt", "shown"), put("needed/no.txt", "secret")];
    writeRules(`needs: ['${yes}', '${no}']\n`);
    mayGoOn = false;
    // A file that a command of the person names would be shown for that.
    const test = ["--test", "sh check.sh"];
    const check = `echo 'grep -q shown ${yes} && ! cat ${no}' > check.sh`;
    const { worker, end } = await begin(
      `cat ${yes} ${no} > before.txt; echo tried >> before.txt\n${check}\n${untilTold}`,
      [...listed, ...test],
    );
    await answer(`read ${no} of your machine`, 1);
    await answer(`read ${yes} of your machine`, 0);
    await worker.said(new RegExp(`Allowed: ${yes}`));
    mayGoOn = true;
    const first = await end();
    expect(first.job, first.output).toMatchObject({ status: "done" });
    expect(first.read("before.txt")).toBe("tried");
    const next = await run(`${check}\ncat ${yes} > got.txt; (echo evil > ${yes}) || true`, test);
    expect(next.job, next.output).toMatchObject({ status: "done" });
    expect(next.read("got.txt")).toBe("shown");
    const waiting = (await open()).filter(({ question }) => question.includes(root));
    expect(waiting.map(({ question }) => question.includes(no))).toEqual([true]);
    writeRules("{}\n");
  });

  it("The person is not asked about what a tool looks up by itself", async () => {
    const script = "curl -s https://github.com/ > a.txt; curl -s https://elsewhere.invalid/ > b.txt; true";
    const { job, output } = await run(script, [], {}, [], "codex-");
    expect(output).toMatch(/Refused: github\.com:443/);
    const rows = await t.query`select reach from agent_questions q join agent_jobs j
      on j.product_id = q.product_id where j.id = ${job.id}`;
    expect(rows).toEqual([{ reach: "elsewhere.invalid:443" }]);
  });

  it("The person need not list the model's address of Gemini's own file", async () => {
    put("person/.gemini/.env", `GOOGLE_GEMINI_BASE_URL=http://${here}\n`);
    mayGoOn = true;
    const ask = `curl -s --noproxy '' -x $HTTP_PROXY http://${here}/model > model.txt`;
    const { read, output } = await run(ask, [], {}, [], "gemini-");
    expect(read("model.txt"), output).toBe("go");
  });

  it("The person is asked about the path that an entry really leads to, and about no hidden one", async () => {
    const real = put("needed/real/secret.txt", "shown");
    symlinkSync(join(root, "needed/real"), join(root, "needed/link"));
    writeRules(`needs: ['${root}/needed/link']\n`);
    mayGoOn = false;
    const { worker, end } = await begin(untilTold, [
      ...listed,
      "--test",
      `grep -q shown ${root}/needed/link/secret.txt`,
    ]);
    await answer(`read ${root}/needed/real of your machine`, 0);
    await worker.said(new RegExp(`Allowed: ${root}/needed/real`));
    mayGoOn = true;
    const { job, output } = await end();
    expect(job.failure_reason, output).toBe(null);
    // The link leads elsewhere since: no one has allowed that.
    rmSync(join(root, "needed/link"));
    symlinkSync(home, join(root, "needed/link"));
    const next = await run(`ls ${root}/needed/link > seen.txt 2>&1 || true`);
    expect(next.read("seen.txt"), next.output).toContain("No such file");
    for (const path of ["/run/../home", "/run/a\u202eb", `/${"a".repeat(200)}`]) {
      writeRules(`needs: [${JSON.stringify(path)}]\n`);
      const refused = await run("echo x > x.txt");
      expect(refused.job.failure_reason, refused.output).toContain("is not a plain absolute path");
    }
    expect(real).toContain("real");
    writeRules("{}\n");
  });

  it("An answer after the job that asked counts for the next job", async () => {
    mayGoOn = true;
    const ask = `curl -s --noproxy '' -x $HTTP_PROXY http://${here}/late`;
    const run = await startRun(t, ada, { code: "LATE", tasks: 2 });
    const exec = `${ask} > "$BACKLOOM_TASK_CODE.txt"; echo done`;
    const work = () => serveOnce("LATE", ["--sandbox", "bwrap", "--exec", exec]);
    await work();
    await answer(`wants to reach ${here}`, 1);
    await work();
    const [one, two] = (await run.read()).jobs;
    expect([one?.status, two?.status]).toEqual(["done", "done"]);
    expect(git("show", `${one?.branch}:T-1.txt`)).toContain("is not among the hosts");
    expect(git("show", `${two?.branch}:T-2.txt`)).toBe("go");
    expect((await open()).filter(({ reach }) => reach === here)).toEqual([]);
  });

  it("A job reaches what its repository names once the person says yes for the product", async () => {
    writeRules(`net: ['${here}']\n`);
    mayGoOn = true;
    const ask = `curl -s --noproxy '' -x $HTTP_PROXY http://${here}/net`;
    const { worker, end } = await begin(
      `${ask} > before.txt; for i in $(seq 300); do ${ask} > after.txt; grep -q go after.txt && break; sleep 0.1; done`,
    );
    await answer(`wants to reach ${here}`, 1);
    await worker.said(new RegExp(`Allowed: ${here}`));
    const { job, read, output } = await end();
    expect(job, output).toMatchObject({ status: "done" });
    expect(read("before.txt")).toContain("is not among the hosts");
    expect(read("after.txt")).toBe("go");
    writeRules("{}\n");
  });
});
