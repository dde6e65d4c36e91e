import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { answerQuestion } from "~/nouns/questions/operations.server";
import { at } from "../setup/world";
import { openStage, startRun } from "./fixture";
import { read } from "./worker-process";

const { t, ada, actor, home, serve, serveOnce } = await openStage();

/** Lets a worker do the one job there is, and answers what its pull request command was told, a line a call. */
async function workOnce(product: string, exec: string): Promise<string[]> {
  const told = join(home, `told-${product}`);
  const open = `echo "$BACKLOOM_TITLE" >> ${told}; echo https://example.com/1`;
  await serveOnce(product, ["--exec", exec, "--pr", open]);
  return read(told).split("\n").slice(0, -1);
}

const product = { auto_pr: true };

it.each([
  ["TSTORY", "STORY", "SPRINT", "ST-001: A story"],
  ["TSPRINT", "SPRINT", "STORY", "SP-1: All of it"],
] as const)("%s: A pull request is named by its run, not by later settings", async (code, strategy, since, title) => {
  const run = await startRun(t, ada, { code, strategy, product });
  await t.query`update products set pr_strategy = ${since} where id = ${run.productId}`;
  expect(await workOnce(code, "echo x > x")).toEqual([title]);
  expect((await run.read()).jobs).toMatchObject([{ pr_url: "https://example.com/1" }]);
});

it.each([
  ["WANTED", true, "Opens pull requests ready for review."],
  ["UNWANTED", false, 'UNWANTED is set to "Do not open pull requests"'],
])("%s: The worker's first lines say whether it opens pull requests", async (code, auto_pr, sentence) => {
  await startRun(t, ada, { code, product: { auto_pr } });
  const worker = serve(code, ["--exec", "echo x > x", "--pr", "--once"]);
  await worker.ended;
  expect(worker.output()).toContain(sentence);
});

it("A pull request is not opened with a question, but with the work after the answer", {
  tags: "thorough",
}, async () => {
  const run = await startRun(t, ada, { code: "TASK", product });
  const script = join(home, "ask.sh");
  const asking = JSON.stringify({ question: { question: "Which way?", options: ["Left"] } });
  // Asks before it did anything, asks once more with a commit, then is done.
  writeFileSync(
    script,
    `case $BACKLOOM_ATTEMPT in 1) ;; *) echo $BACKLOOM_ATTEMPT > work ;; esac
[ $BACKLOOM_ATTEMPT = 3 ] || echo '${asking}' > "$BACKLOOM_RESULT_FILE"\n`,
  );
  for (const status of ["queued", "queued", "done"]) {
    const told = await workOnce("TASK", `sh ${script}`);
    const { jobs } = await run.read();
    expect(jobs).toMatchObject([{ status }]);
    expect(told).toEqual(status === "done" ? ["SP-1: All of it"] : []);
    const rows = await t.query`select id from agent_questions where status = 'OPEN'`;
    if (status === "done") expect(rows).toEqual([]);
    else await answerQuestion(actor, { question_id: at(rows, 0).id, answer: "Left" });
  }
});
