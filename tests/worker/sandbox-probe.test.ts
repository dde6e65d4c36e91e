import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStage, startRun } from "./fixture";
import { flags } from "./flags";
import { endOf, startWorker } from "./worker-process";

const { t, ada, app, token, home, repo } = await openStage();
await startRun(t, ada, { code: "PROBE" });
const programs = join(home, "programs");
mkdirSync(programs);
const script = "#!/bin/sh\necho no namespaces >&2\nexit 1\n";
writeFileSync(join(programs, "bwrap"), script, { mode: 0o755 });

describe("where bwrap does not work", () => {
  const start = async (sandbox: string) => {
    const worker = startWorker(
      [
        ...flags({ url: app.origin, token, "work-dir": join(home, "work"), repo, exec: "true", once: true }),
        ...flags({ sandbox, product: "PROBE" }),
      ],
      { PATH: `${programs}:${process.env.PATH}` },
    );
    return { exitCode: await worker.ended, output: worker.output() };
  };

  it("A worker with --sandbox bwrap ends where bwrap does not work", async () => {
    const { exitCode, output } = await start("bwrap");
    expect(exitCode).toBe(1);
    expect(output).toMatch(/--sandbox bwrap: bwrap does not work here \(no namespaces\): .*--sandbox off/);
  });

  it("A worker with --sandbox auto continues without a sandbox where bwrap does not work, and says so", async () => {
    const { output } = await start("auto");
    expect(output).toContain("no sandbox (bwrap does not work here (no namespaces)");
  });
});

it.each([
  ["auto", /^sandbox {3}none: bwrap does not work here \(no namespaces\)/m],
  ["off", /^sandbox {3}none: switched off with --sandbox off$/m],
])("The agents command says which sandbox there is with --sandbox %s", async (sandbox, said) => {
  const path = { PATH: `${programs}:${process.env.PATH}` };
  const output = await endOf(startWorker(["agents", "--sandbox", sandbox], path));
  expect(output).toMatch(said);
});
