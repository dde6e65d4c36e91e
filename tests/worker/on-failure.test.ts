import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { answerQuestion, listQuestions } from "~/nouns/questions/operations.server";
import { reviewJob } from "~/nouns/reviews/operations.server";
import { at } from "../setup/world";
import { openStage, startRun } from "./fixture";
import { openScene } from "./kill-scene";

const scene = await openScene();
const { t, ada, actor, home, serve } = await openStage();

const asking = '{"question": {"question": "Which way?", "options": [{"label": "Left"}, {"label": "Right"}]}}';

/** Asks in T-4 until it was answered, fails in T-7 until it was told more, and works in all others. */
const exec = [
  'case "$BACKLOOM_TASK_CODE" in',
  `T-4) grep -q Left "$BACKLOOM_CONTEXT_FILE" || { echo '${asking}' > "$BACKLOOM_RESULT_FILE"; exit 0; };;`,
  'T-7) grep -q "Mind the gap" "$BACKLOOM_CONTEXT_FILE" || { echo "fell" >&2; exit 3; };;',
  "esac",
  'echo "$BACKLOOM_TASK_CODE" > "$BACKLOOM_TASK_CODE"',
].join("\n");

describe("a night with two workers where the product asks about failures", { timeout: 180_000 }, () => {
  it("A night's run does all that waits for no question or failure, and the morning's answers do the rest", async () => {
    const run = await startRun(t, ada, {
      code: "NIGHT",
      strategy: "STORY",
      tasks: 3,
      stories: ["One", "Two", "Three", "Four"],
      product: { on_failure: "ask", done_requires: "person" },
    });
    await t.query`insert into task_dependencies (product_id, blocked_id, blocker_id)
      select a.product_id, a.id, b.id from tasks a join tasks b on b.product_id = a.product_id
      where a.product_id = ${run.productId} and a.code = 'T-12' and b.code = 'T-7'`;
    const start = (name: string) =>
      serve("NIGHT", ["--work-dir", join(home, name), "--name", name, "--exec", exec, "--test", "true"]);
    start("night-1");
    start("night-2");
    const states = async () => {
      const { jobs } = await run.read();
      return jobs.map((job) => (job.parked_question_id === null ? job.task_status : "asks"));
    };
    const works = ["done", "done", "review"];
    await vi.waitFor(
      // The question holds its own story only, the failure only what waits for it.
      async () =>
        expect(await states()).toEqual(
          [works, ["asks", "todo", "todo"], ["asks", "done", "done"], ["done", "done", "todo"]].flat(),
        ),
      { timeout: 60_000, interval: 200 },
    );
    const { questions } = await listQuestions(actor, { state: "open" });
    for (const { id, question } of questions) {
      const answer = question === "Which way?" ? { option: 0 } : { option: 0, answer: "Mind the gap" };
      await answerQuestion(actor, { question_id: id, ...answer });
    }
    const approve = async (place: number) => {
      await vi.waitFor(async () => expect((await states())[place]).toBe("review"), 60_000);
      const { id } = at((await run.read()).jobs, place);
      await reviewJob(actor, { job_id: id, verdict: "approve" });
    };
    // What waits for the task that had failed begins once a person has seen it; each story ends with a review.
    for (const place of [6, 2, 5, 11]) await approve(place);
    expect(await run.read()).toMatchObject({ status: "done", counts: { done: 12 } });
  });
});

it.each(["before", "after"] as const)(
  "A worker killed %s its report of a failure leaves one question, whose answer is heeded",
  async (when) => {
    const fails = 'grep -q "Mind the gap" "$BACKLOOM_CONTEXT_FILE" || exit 3; echo a > a';
    const killed = await scene.killAt(
      { tool: "update_job_status", status: "failed", when },
      { code: `KILLED-${when}`, exec: fails, product: { on_failure: "ask" } },
    );
    if (when === "before") {
      await scene.outliveLease(killed);
      await killed.rescue(fails);
    }
    const { questions } = await listQuestions(scene.actor, { state: "open", product_id: killed.productId });
    expect(questions).toHaveLength(1);
    await answerQuestion(scene.actor, { question_id: at(questions, 0).id, option: 0, answer: "Mind the gap" });
    await killed.rescue(fails);
    expect((await killed.read()).jobs).toMatchObject([{ status: "done" }]);
    await scene.letGo(killed);
  },
);
