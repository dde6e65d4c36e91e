import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener } from "node:http";
import { createServer as createNetServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it, vi } from "vitest";
import { answerQuestion, listQuestions } from "~/nouns/questions/operations.server";
import { portOf } from "../setup/port-of";
import { openSandboxScene, sandboxProblem } from "./sandbox-scene";

const closing: (() => void)[] = [];
afterAll(() => {
  for (const close of closing) close();
});

async function startServer(listener: RequestListener) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    listener(request, response);
  });
  closing.push(() => server.close());
  return { port: await portOf(server), asked };
}

const greet: RequestListener = (_request, response) => response.end("hello");

describe.skipIf(sandboxProblem !== null)("the network of a sandbox", async () => {
  const { t, ada, app, run, put, repo, git } = await openSandboxScene();
  const service = new URL(app.origin);
  const ask = (url: string, words = "") => `curl -s -m 5 -o out.txt -w '%{http_code}' ${words} ${url}`;

  it("A sandbox reaches neither this machine, nor the service, nor hosts that no one listed", async () => {
    const secret = await startServer(greet);
    const attempts = {
      loopback: ask(`http://127.0.0.1:${secret.port}/`),
      name: ask(`http://localhost:${secret.port}/`, "--noproxy ''"),
      proxied: ask(`http://127.0.0.1:${secret.port}/`, "--noproxy '' -p -x $HTTPS_PROXY"),
      zero: ask(`http://0.0.0.0:${secret.port}/`),
      six: ask(`http://[::ffff:127.0.0.1]:${secret.port}/`, "--noproxy ''"),
      api: ask(`${app.origin}/api/products`),
      worker: ask(`${app.origin}/mcp/worker`),
      around: ask(`${app.origin}/mcp/../api/products`, "--path-as-is"),
      elsewhere: ask("https://example.com/"),
      address: ask("https://93.184.216.34/"),
      dns: "getent hosts example.com",
      straight: "timeout 3 bash -c 'exec 3<>/dev/tcp/93.184.216.34/443'",
    };
    const lines = Object.entries(attempts).map(
      ([name, command]) => `code=$(${command}); [ $? = 0 ] && echo "${name} $code" >> got.txt`,
    );
    const { job, read, output } = await run(`echo tried > got.txt\n${lines.join("\n")}\nrm -f out.txt`);
    expect(job, output).toMatchObject({ status: "done" });
    const got = read("got.txt").split("\n");
    expect(got.filter((line) => !/^tried$| (403|000)?$/.test(line))).toEqual([]);
    expect(secret.asked).toEqual([]);
    expect(output).toContain("Refused: example.com:443");
  });

  it("The owner of the product cannot open a sandbox to the worker's machine", async () => {
    const secret = await startServer(greet);
    const named = [`127.0.0.1:${secret.port}`, `localhost:${secret.port}`];
    const { job, read, output } = await run(
      `curl -s -m 5 ${named[0]} > straight.txt; curl -s -m 5 --noproxy '' -p -x $HTTPS_PROXY ${named[1]} > named.txt
curl -s -m 5 --noproxy '' -x $HTTPS_PROXY ${named[0]} > said.txt`,
      [],
      {},
      named,
    );
    expect(job, output).toMatchObject({ status: "done" });
    expect(`${read("straight.txt")}${read("named.txt")}`).not.toContain("hello");
    expect(read("said.txt")).toContain("is this machine itself");
    expect(secret.asked).toEqual([]);
  });

  it("A sandbox reaches /mcp of the service", async () => {
    const { read, job, output } = await run(`${ask(`${service.origin}/mcp`, "-X POST")} > code.txt; rm -f out.txt`);
    expect(job, output).toMatchObject({ status: "done" });
    expect(read("code.txt")).toBe("401");
  });

  it("A sandbox reaches what --net names, by its name and port", async () => {
    const listed = await startServer(greet);
    const { read, job, output } = await run(
      `curl -s http://127.0.0.1:${listed.port}/ > direct.txt
curl -s --noproxy '' -p -x $HTTPS_PROXY http://localhost:${listed.port}/ > proxied.txt`,
      ["--net", `localhost:${listed.port}`],
    );
    expect(job, output).toMatchObject({ status: "done" });
    expect([read("direct.txt"), read("proxied.txt")]).toEqual(["hello", "hello"]);
  });

  it("The network of a sandbox outlives a server that answers what is not HTTP", async () => {
    const broken = createNetServer((socket) => {
      socket.on("error", () => undefined);
      socket.once("data", () => socket.end("HTTP/1.1 042 Odd\r\nContent-Length: 0\r\n\r\n"));
    });
    closing.push(() => broken.close());
    const port = await portOf(broken);
    const { read, job, output } = await run(
      `curl -s --noproxy '' -x $HTTP_PROXY http://127.0.0.1:${port}/ > said.txt`,
      ["--net", `127.0.0.1:${port}`],
    );
    expect(job, output).toMatchObject({ status: "done" });
    expect(read("said.txt")).toContain("does not speak HTTP");
  });

  it("A refused host is told to the tool and asked of the person, whose word counts from then on", async () => {
    const actor = t.actorOf(ada);
    const running = run(
      `for i in $(seq 60); do
  curl -s -o said.txt http://registry.invalid/ ; curl -s https://registry.invalid/ -o /dev/null
  grep -q "is not among" said.txt && cp said.txt first.txt
  grep -q "no host" said.txt && break
  sleep 0.5
done`,
    );
    const question = await vi.waitFor(
      async () => {
        const { questions } = await listQuestions(actor, { state: "open", limit: 50 });
        const found = questions.find(({ reach }) => reach === "registry.invalid:80");
        if (found === undefined) throw new Error("No one was asked yet");
        return found;
      },
      { timeout: 60_000, interval: 200 },
    );
    expect(question).toMatchObject({ kind: "permission", reader_id: ada.id });
    await answerQuestion(actor, { question_id: question.id, option: 1 });
    const { job, read, output } = await running;
    expect(job, output).toMatchObject({ status: "done" });
    expect(read("first.txt")).toContain("registry.invalid:80 is not among the hosts");
    expect(read("said.txt")).toContain("There is no host registry.invalid");
    expect(output).toContain("Allowed: registry.invalid:80");
  });

  it("A host that the repository names is asked about at once, and stays closed before", async () => {
    const actor = t.actorOf(ada);
    put("repo/.backloom.yml", "net: ['named.invalid:443']\nneeds: [/run/postgresql]\n");
    git("add", ".backloom.yml");
    git("commit", "-qm", "Name");
    const { job, read, output } = await run(
      "curl -s -o /dev/null -w '%{http_connect}' https://named.invalid/ > said.txt; true",
    );
    expect(job, output).toMatchObject({ status: "done" });
    expect(read("said.txt")).toBe("403");
    expect(output).toContain("start the worker with --mount /run/postgresql");
    const { questions } = await listQuestions(actor, { state: "open", limit: 50 });
    expect(questions.filter(({ reach }) => reach === "named.invalid:443")).toHaveLength(1);
    git("rm", "-q", ".backloom.yml");
    git("commit", "-qm", "Name nothing");
  });

  it("A sandbox has the machine's network with --net all, and sees what --mount names, read-only", async () => {
    const listed = await startServer(greet);
    const shown = put("shown/file.txt", "shown");
    const { read, job, output } = await run(
      `curl -s http://127.0.0.1:${listed.port}/ > direct.txt
cat ${shown} > shown.txt; (echo evil > ${shown}) 2>/dev/null && touch evil.txt; true`,
      ["--net", "all", "--mount", shown],
    );
    const confinement = "bwrap_open";
    expect(job, output).toMatchObject({ status: "done", attempts: [{ confinement }] });
    expect([read("direct.txt"), read("shown.txt")]).toEqual(["hello", "shown"]);
    expect(() => read("evil.txt")).toThrow();
  });

  it("A lockfile opens no registry of this machine to a sandbox, and what was fetched is kept", async () => {
    const actor = t.actorOf(ada);
    const registry = await startServer((request, response) => {
      if (request.url !== "/left/-/left-1.0.0.tgz") return response.writeHead(404).end();
      response.end(packedLeft);
    });
    const host = `127.0.0.1:${registry.port}`;
    const resolved = `http://${host}/left/-/left-1.0.0.tgz`;
    const manifest = { name: "shop", version: "1.0.0", dependencies: { left: "1.0.0" } };
    const integrity = `sha512-${createHash("sha512").update(packedLeft).digest("base64")}`;
    const locked = { version: "1.0.0", resolved, integrity };
    const lockfile = {
      name: "shop",
      version: "1.0.0",
      lockfileVersion: 3,
      requires: true,
      packages: { "": manifest, "node_modules/left": locked },
    };
    put("repo/package.json", JSON.stringify(manifest));
    put("repo/package-lock.json", JSON.stringify(lockfile));
    put("repo/.gitignore", "node_modules\n");
    git("add", "--all");
    git("commit", "-qm", "Lock");
    expect(repo).toContain("repo");
    const peek = `curl -s -m 5 ${resolved} > straight.txt
curl -s -m 5 --noproxy '' -x $HTTP_PROXY ${resolved} > said.txt
curl -s -m 5 --noproxy '' -p -x $HTTP_PROXY ${resolved} > tunnel.txt; true`;
    const refused = await run(peek);
    expect(refused.job, refused.output).toMatchObject({ status: "done" });
    expect(refused.read("said.txt")).toContain("only a lockfile names it");
    expect(registry.asked).toEqual([]);
    const { questions } = await listQuestions(actor, { state: "open", limit: 50 });
    expect(questions.filter(({ reach }) => reach === host)).toMatchObject([
      { kind: "permission", question: expect.stringContaining("on this machine or its network") },
    ]);
    const install = "npm ci --no-audit --no-fund > npm.txt 2>&1; cp node_modules/left/index.js left.txt";
    const first = await run(install, ["--net", host]);
    expect(first.job, first.output).toMatchObject({ status: "done" });
    expect(first.read("left.txt")).toBe("module.exports = 1;");
    await run(install, ["--net", host]);
    expect(registry.asked).toEqual(["GET /left/-/left-1.0.0.tgz"]);
  });
});

/** A package of one file, as `npm pack` makes it. */
const packedLeft = (() => {
  const folder = mkdtempSync(join(tmpdir(), "backloom-pack-"));
  mkdirSync(join(folder, "package"));
  writeFileSync(join(folder, "package", "package.json"), '{"name":"left","version":"1.0.0"}');
  writeFileSync(join(folder, "package", "index.js"), "module.exports = 1;\n");
  execFileSync("tar", ["-czf", "left.tgz", "package"], { cwd: folder });
  const packed = readFileSync(join(folder, "left.tgz"));
  rmSync(folder, { recursive: true });
  return packed;
})();
