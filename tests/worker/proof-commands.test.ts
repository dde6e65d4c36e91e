import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { answerQuestion, listQuestions } from "~/nouns/questions/operations.server";
import { at } from "../setup/world";
import { openStage, startRun } from "./fixture";
import { endOf } from "./worker-process";

const { t, ada, actor, home, serve } = await openStage();
const bin = join(home, "bin");
mkdirSync(bin);

/**
 * A Codex whose model names a command as proof that Codex itself would have kept in its sandbox. When it is asked for more, it waits
 * until a file is there.
 */
function install(ran: string, go: string): void {
  const words = `
    const { existsSync, readFileSync, writeFileSync } = require("fs");
    if (process.argv[2] !== "exec") process.exit(0);
    const { criteria } = JSON.parse(readFileSync(process.env.BACKLOOM_CONTEXT_FILE, "utf8"));
    const evidence = criteria.map(({ id }) => ({ criterion: id, command: "touch ${ran}; test -f x" }));
    writeFileSync(process.env.BACKLOOM_RESULT_FILE, JSON.stringify({ evidence }));
    while (existsSync("x") && !existsSync("${go}")) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
    writeFileSync("x", "x");
    console.log(JSON.stringify({ type: "thread.started", thread_id: "t-1" }));
    console.log(JSON.stringify({ type: "turn.completed", usage: { input_tokens: 1, output_tokens: 1 } }));
  `;
  writeFileSync(join(bin, "codex"), `#!${process.execPath}\n${words}`, { mode: 0o755 });
}

const start = (code: string, allow: string) =>
  serve(code, ["--work-dir", join(home, code), "--agent", "codex", "--allow", allow, "--once"], {
    PATH: `${bin}:${process.env.PATH}`,
    OPENAI_API_KEY: "sk-none",
  });

const criteria = "- [ ] It is there\n- [ ] It is whole\n";

it.each([
  ["KEPT", "commands", false],
  ["EDIT", "edit", false],
  ["FREE", "all", true],
])(
  "%s: What an agent names as proof is run outside of its sandbox only where it may do anything",
  async (code, allow, isRun) => {
    const ran = join(home, `${code}-ran`);
    install(ran, join(home, "never"));
    await startRun(t, ada, { code, criteria });
    const output = await endOf(start(code, allow));
    expect(existsSync(ran), output).toBe(isRun);
    expect(output.includes("Not run for proof")).toBe(!isRun);
  },
  120_000,
);

it.each([
  ["ALLOWED", 0, "done"],
  ["DENIED", 1, "failed"],
])(
  "%s: The worker's owner is asked once for a proof command that is not run, and the job continues",
  async (code, option, status) => {
    const [ran, go] = [join(home, `${code}-ran`), join(home, `${code}-go`)];
    install(ran, go);
    const run = await startRun(t, ada, { code, criteria, product: { done_requires: "worker" } });
    const asked = async () => {
      const { questions } = await listQuestions(actor, { product_id: run.productId });
      return questions;
    };
    const worker = start(code, "commands");
    const question = await vi.waitFor(async () => at(await asked(), 0), { timeout: 60_000 });
    expect(question).toMatchObject({
      kind: "permission",
      reader_id: ada.id,
      park: false,
      question: `Run \`touch ${ran}; test -f x\` as proof on this machine?`,
    });
    expect((await run.read()).jobs).toMatchObject([{ status: "running" }]);
    await answerQuestion(actor, { question_id: question.id, option });
    writeFileSync(go, "");
    expect(await worker.ended, worker.output()).toBe(0);
    expect(existsSync(ran), worker.output()).toBe(status === "done");
    expect((await run.read()).jobs).toMatchObject([{ status, attempt: 1 }]);
    const rows = await t.query`select count(*)::integer as asked from agent_questions
      where product_id = ${run.productId}`;
    expect(rows).toEqual([{ asked: 1 }]);
  },
  120_000,
);
