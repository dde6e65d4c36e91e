import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openSandboxScene, sandboxProblem } from "./sandbox-scene";

describe.skipIf(sandboxProblem !== null)("the variables of a job in a sandbox", async () => {
  const { run, put, git, root } = await openSandboxScene();
  const persons = {
    GITHUB_TOKEN: "ghp_x",
    NPM_TOKEN: "x",
    AWS_SECRET_ACCESS_KEY: "x",
    DATABASE_URL: "x",
    NODE_OPTIONS: "",
    SSH_AUTH_SOCK: "/run/x",
    OPENAI_API_KEY: "sk-x",
    OF_NEXT_YEAR: "x",
    LANG: "C.UTF-8",
    LC_TIME: "C",
    TZ: "UTC",
    OF_THE_WORK: "shown",
  };

  it("A job in a sandbox gets listed variables only, and the worker says which it left out", async () => {
    const { job, read, output } = await run(
      "env > all.txt; cut -d= -f1 all.txt | sort > names.txt; rm all.txt",
      ["--env", "OF_THE_WORK", "--test", 'test "$OF_THE_WORK" = shown && test -z "$NPM_TOKEN"'],
      persons,
    );
    expect(job, output).toMatchObject({ status: "done" });
    const names = read("names.txt").split("\n");
    const known =
      /^(HOME|TMPDIR|PATH|LANG|LANGUAGE|TZ|OF_THE_WORK|(OLD)?PWD|SHLVL|_|SHELL|USER|LOGNAME|(COLOR)?TERM|CI|NO_COLOR|FORCE_COLOR|LC_\w+|BACKLOOM_\w+|\w+_PROXY|\w+_(ROOT|HOME|DIR)|\w+_CA_\w+|\w*SSL_\w+)$/i;
    expect(names.filter((name) => !known.test(name))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(["LANG", "LC_TIME", "TZ", "OF_THE_WORK"]));
    const [, leftOut = ""] = /Variables that jobs do not get: (.*) \(--env/.exec(output) ?? [];
    expect(leftOut.split(", ")).toEqual(
      expect.arrayContaining(["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "OF_NEXT_YEAR", "OPENAI_API_KEY"]),
    );
    expect(leftOut.split(", ")).not.toContain("OF_THE_WORK");
  });

  it("A job in a sandbox has the keys of the tool that its command names, and no other tool's", async () => {
    const { job, read, output } = await run(
      'echo "$OPENAI_API_KEY $GITHUB_TOKEN." > got.txt',
      [],
      persons,
      [],
      "codex-",
    );
    expect(job, output).toMatchObject({ status: "done" });
    expect(read("got.txt")).toBe("sk-x .");
  });

  it("Variables of .backloom.yml reach the job in the sandbox, and nothing that starts outside of it", async () => {
    const trace = put("traces/.keep", "").replace(".keep", "trace");
    const traced = `LD_DEBUG: libs, LD_DEBUG_OUTPUT: ${trace},`;
    put("repo/.backloom.yml", `env: { ${traced} OF_THE_WORK: shown }\n`);
    git("add", ".backloom.yml");
    git("commit", "-qm", "Name variables");
    const { job, read, output } = await run('echo "$OF_THE_WORK" > got.txt');
    expect(job, output).toMatchObject({ status: "done" });
    expect(read("got.txt")).toBe("shown");
    expect(readdirSync(join(root, "traces"))).toEqual([".keep"]);
  });
});
