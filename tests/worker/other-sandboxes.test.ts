import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { projectRoot } from "../../supabase/embedded/project-root";
import { openSandboxScene, sandboxProblem } from "./sandbox-scene";
import { startWorker } from "./worker-process";

const image = "shop/tools:1";

describe.skipIf(sandboxProblem !== null)("a sandbox of another kind", async () => {
  const { root, app, token, repo, run, put } = await openSandboxScene();
  const programs = join(root, "programs");
  const state = join(root, "docker");
  const log = join(state, "calls");
  mkdirSync(programs);
  mkdirSync(state);
  copyFileSync(join(projectRoot, "tests/worker/docker-stand-in.mjs"), join(programs, "docker"));
  const path = { PATH: `${programs}:${process.env.PATH}`, DOCKER_STATE: state };
  const calls = () =>
    readFileSync(log, "utf8")
      .trim()
      .split("\n")
      .map((line): string[] => JSON.parse(line));
  const containers = () => readdirSync(state).filter((name) => name.endsWith(".json"));
  beforeEach(() => writeFileSync(log, ""));

  /** A worker that is to end before it asks for work. */
  const startAlone = async (sandbox: string, environment = {}) => {
    const worker = startWorker(
      [
        ...["--url", app.origin, "--token", token, "--work-dir", join(root, "alone")],
        ...["--repo", repo, "--exec", "true", "--sandbox", sandbox, "--until-idle"],
      ],
      { ...path, ...environment },
    );
    return { exitCode: await worker.ended, output: worker.output() };
  };

  it("runs each program by the line of its person", async () => {
    const wrapper = put(
      "wrapper.sh",
      `echo "$1" >> ${root}/wrapped.txt\nshift\nINSIDE=yes exec "$@"\n`,
    );
    const { job, read, output } = await run("echo $INSIDE > inside.txt; pwd > place.txt", [
      ...["--sandbox", `command:sh ${wrapper} {worktree}`],
    ]);
    expect(job, output).toMatchObject({ status: "done", confinement: "command" });
    expect(read("inside.txt")).toBe("yes");
    expect(readFileSync(join(root, "wrapped.txt"), "utf8")).toContain(read("place.txt"));
    expect(output).toContain("sandbox of your own: sh ");
  });

  it("ends the worker when that line runs nothing", async () => {
    const { exitCode, output } = await startAlone("command:sh -c 'echo no such jail >&2; exit 3'");
    expect(exitCode).toBe(1);
    expect(output).toMatch(/--sandbox command: .* does not work here \(no such jail\)/);
  });

  it("puts back a login that a container exchanged for another account's", async () => {
    const login = put("person/.codex/auth.json", '{"OPENAI_API_KEY":"own"}');
    const { job, output } = await run(
      `echo '{"OPENAI_API_KEY":"other"}' > "$HOME/.codex/auth.json"; echo x > x`,
      ["--sandbox", `docker:${image}`],
      path,
      [],
      "codex-",
    );
    expect(job, output).toMatchObject({ status: "done" });
    expect(readFileSync(login, "utf8"), output).toBe('{"OPENAI_API_KEY":"own"}');
    expect(output).toContain("After a program, .codex/auth.json was not the login");
  });

  it("runs each program in a container of the image", async () => {
    const { job, read, output } = await run(
      `echo "$HOME $SECRET_OF_MODEL" > inside.txt; git add . ; git commit -qm Work
(cat ${root}/person/.netrc || echo evil >> ${repo}/.git/config) 2>/dev/null && touch evil.txt
curl -s -m 5 -o /dev/null -w '%{http_code}' -X POST ${app.origin}/mcp > door.txt
curl -s -m 5 -o /dev/null https://example.com/ || true`,
      [
        ...["--sandbox", `docker:${image}`, "--mount", `${root}/person/.gitconfig`],
        ...["--env", "SECRET_OF_MODEL"],
      ],
      { ...path, SECRET_OF_MODEL: "of the person" },
    );
    expect(job, output).toMatchObject({ status: "done", confinement: "docker" });
    expect(read("inside.txt")).toMatch(/homes.* of the person$/);
    expect(read("door.txt")).toBe("401");
    expect(() => read("evil.txt")).toThrow();
    expect(output).toContain("Refused: example.com:443");
    const [words = []] = calls().filter(([call]) => call === "run");
    const place = words[words.indexOf("-w") + 1] ?? "";
    const [user, group] = [process.getuid?.(), process.getgid?.()];
    const label = expect.stringMatching(/^backloom\.worker=[0-9a-f]{16}$/);
    expect(words.slice(0, 18)).toEqual([
      ...["run", "--rm", "-i", "--init", "--name", `backloom-${job.id}-1-1`, "--label", label],
      ...["--network", "none", "--pull", "never", "--cap-drop", "ALL"],
      ...["--security-opt", "no-new-privileges", "--user", `${user}:${group}`],
    ]);
    const mounts = words.filter((_, index) => words[index - 1] === "-v");
    const common = join(repo, ".git");
    expect(mounts).toEqual(
      expect.arrayContaining([
        `${place}:${place}`,
        `${common}:${common}:ro`,
        `${root}/person/.gitconfig:${root}/person/.gitconfig:ro`,
        expect.stringMatching(/\/proxy:\/run\/backloom-proxy$/),
      ]),
    );
    expect(mounts.some((mount) => /docker\.sock|^\/(usr|etc)?:/.test(mount))).toBe(false);
    expect(words.join(" ")).not.toContain("of the person");
    expect(words).not.toContain("PATH");
    expect(words.slice(words.indexOf("-w") + 2, words.indexOf("-w") + 5)).toEqual([
      ...["--entrypoint=", image, "/bin/sh"],
    ]);
    expect(containers()).toEqual([]);
  });

  it("removes a container that does not end", async () => {
    const { job, output } = await run(
      "trap '' TERM INT; while :; do sleep 0.1; done",
      ["--sandbox", `docker:${image}`, "--timeout", "0.03"],
      path,
    );
    expect(job.failure_reason, output).toContain("stopped after its time");
    expect(calls()).toContainEqual(["rm", "-f", `backloom-${job.id}-1-1`]);
    expect(containers()).toEqual([]);
  });

  it("removes the containers of a life that was killed", async () => {
    mkdirSync(join(root, "alone"), { recursive: true });
    await startAlone(`docker:${image}`);
    const asked = calls().find(([call]) => call === "ps") ?? [];
    const label = asked.at(-1)?.replace("label=", "");
    put("docker/left.json", JSON.stringify({ name: "left", pid: 99_999_999, label }));
    put("docker/other.json", JSON.stringify({ name: "other", pid: 99_999_999, label: "other" }));
    await startAlone(`docker:${image}`);
    expect(containers()).toEqual(["other.json"]);
  });

  it("ends the worker when docker or its image is not there", async () => {
    const missing = await startAlone("docker:shop/none:1");
    expect(missing.exitCode).toBe(1);
    expect(missing.output).toContain("the image shop/none:1 is not here: docker pull shop/none:1");
    put("docker/down", "");
    const down = await startAlone(`docker:${image}`);
    expect(down.exitCode).toBe(1);
    expect(down.output).toMatch(/docker does not answer \(.*Docker daemon\)/);
  });
});
