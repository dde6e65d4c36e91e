import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { getAgentJob } from "~/nouns/agent-jobs/operations.server";
import { at } from "../setup/world";
import { openStage, startUnplanned } from "./fixture";
import { fakeAgent, read } from "./worker-process";

const { t, ada, actor, home, git, serveOnce } = await openStage("--heartbeat", "0.3");

type Strategy = "STORY" | "SPRINT_BATCH";

/** Tasks without plans that no one has put into a sprint, and their own run in which agents plan first. */
async function begin(code: string, strategy: Strategy = "STORY", tasks = 1) {
  const wish = { plan_first: true, strategy };
  const { story, run } = await startUnplanned(t, ada, code, wish, tasks);
  const plans = async () => {
    const rows = await t.query<{ implementation_plan: string }>`select implementation_plan
      from tasks where story_id = ${story.id} order by sort_order`;
    return rows.map(({ implementation_plan }) => implementation_plan);
  };
  return { run, plans, story };
}

const workOnce = (product: string, ...words: string[]) => serveOnce(product, words);

const seen = join(home, "seen");
/** Plans where it is asked to, and works by the plan that it is then handed. */
const command = `if [ -n "$BACKLOOM_PLAN_FIRST" ]; then cp "$BACKLOOM_PROMPT_FILE" ${seen}-plan; echo '{"implementation_plan":"1. Write the footer"}' > "$BACKLOOM_RESULT_FILE"; else cp "$BACKLOOM_PROMPT_FILE" ${seen}-work; echo $BACKLOOM_TASK_CODE > $BACKLOOM_PRODUCT_CODE-$BACKLOOM_TASK_CODE; echo '{"verify_result":"ALIGNED"}' > "$BACKLOOM_RESULT_FILE"; fi`;

it("A command is asked for a plan first, which is written into the task and the prompt of the work", async () => {
  const { run, plans, story } = await begin("PLANEXEC");
  await workOnce("PLANEXEC", "--exec", command);
  expect(await plans()).toEqual(["1. Write the footer"]);
  expect(read(`${seen}-plan`)).toContain('"implementation_plan"');
  expect(read(`${seen}-plan`)).toContain("change no file");
  expect(read(`${seen}-work`)).toContain("## Plan\n\n1. Write the footer");
  const done = await run();
  expect(done).toMatchObject({ status: "done", sprint_id: null });
  const job = at(done.jobs, 0);
  expect(job).toMatchObject({ status: "done", plan_snapshot: "1. Write the footer" });
  expect(git("show", `backloom/${story.code}:PLANEXEC-T-1`)).toBe("T-1");
  expect((await getAgentJob(actor, { job_id: job.id })).attempts).toHaveLength(1);
});

it("A plan is asked for before each task of a batch", { tags: "thorough" }, async () => {
  const { run, plans } = await begin("PLANBATCH", "SPRINT_BATCH", 2);
  await workOnce("PLANBATCH", "--exec", command);
  expect(await plans()).toEqual(["1. Write the footer", "1. Write the footer"]);
  expect(await run()).toMatchObject({
    status: "done",
    executions: [
      { status: "done", plan_snapshot: "1. Write the footer" },
      { status: "done", plan_snapshot: "1. Write the footer" },
    ],
  });
});

it("An agent says its plan and then works in the same conversation", async () => {
  const { run, plans } = await begin("PLANACP");
  const own = join(home, "acp");
  mkdirSync(own);
  writeFileSync(join(own, "ending"), "plans");
  const agent = `acp:HOME="${own}" exec "${process.execPath}" "${fakeAgent}"`;
  await workOnce("PLANACP", "--agent", agent);
  expect(await plans()).toEqual(["1. Make it"]);
  expect(await run()).toMatchObject({ status: "done", jobs: [{ summary: "Made as planned." }] });
  const { words } = JSON.parse(readFileSync(join(own, "fake-session.json"), "utf8"));
  expect(words).toHaveLength(2);
  expect(words[0]).toMatch(/^# Plan T-1/);
  expect(words[1]).toContain("You planned this work in this conversation. Do it now.");
  expect(words[1]).toContain("1. Make it");
});

it("Work begins without a plan when a command writes none, and the demo writes its own", {
  tags: "thorough",
}, async () => {
  const without = await begin("PLANLESS");
  const lazy = `echo x > without-plan; echo '{"verify_result":"ALIGNED"}' > "$BACKLOOM_RESULT_FILE"`;
  expect(await workOnce("PLANLESS", "--exec", lazy)).toContain("No plan was written");
  expect(await without.run()).toMatchObject({ status: "done" });
  const demo = await begin("PLANDEMO");
  await workOnce("PLANDEMO", "--exec", "demo");
  expect(await demo.plans()).toEqual([expect.stringContaining("Write the notes on")]);
  expect(await demo.run()).toMatchObject({ status: "done" });
});
