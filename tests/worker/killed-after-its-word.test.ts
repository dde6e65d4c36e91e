import { describe, expect, it } from "vitest";
import { createIdea } from "~/nouns/ideas/operations.server";
import { answerQuestion, askAboutIdea } from "~/nouns/questions/operations.server";
import { claimRefusal } from "../setup/world";
import { type KillOptions, openScene, work } from "./kill-scene";

const scene = await openScene();
const { actor } = scene;

const question = { question: "Which way?", options: ["Left", "Right"] };
/** Asks before its first work, and writes the answer down afterwards. */
const asking = `if grep -q Left "$BACKLOOM_PROMPT_FILE"; then ${work};
  else echo half > half.txt; echo '${JSON.stringify({ question })}' > "$BACKLOOM_RESULT_FILE"; fi`;
/** Moves the branch under its own hands, so that the push meets a conflict. */
const conflicting = `git -c user.name=Theirs -c user.email=theirs@example.com commit-tree -p HEAD -m Theirs "$( (echo "100644 blob $(echo theirs | git hash-object -w --stdin)\tT-1.txt") | git mktree)" > theirs
  git push --quiet origin "$(cat theirs):refs/heads/$BACKLOOM_BRANCH"; rm theirs; ${work}`;

describe("J7: a worker killed with -9 right after its word was heard", { timeout: 120_000 }, () => {
  it("J7: Work stays done when its worker is killed with -9 after reporting it", async () => {
    const place = { tool: "update_job_status", status: "done", when: "after" } as const;
    const killed = await scene.killAt(place, { code: "DONE" });
    const end = { status: "done", attempt: 1, retry_count: 0, lease_until: null };
    expect(killed.job).toMatchObject(end);
    expect(await killed.read()).toMatchObject({ status: "done" });
    await scene.expectDeaf(killed);
    await scene.sweepAfter(killed);
    expect(await killed.readJob()).toEqual(killed.job);
  });

  it("J7: A run stays failed, and gives out no other job, when its worker is killed after reporting it", async () => {
    const place = { tool: "update_job_status", status: "failed", when: "after" } as const;
    const killed = await scene.killAt(place, { code: "FAILED", tasks: 2, exec: "exit 3" });
    expect(killed.job).toMatchObject({ status: "failed", failure_class: "agent_error" });
    await scene.expectDeaf(killed);
    await scene.sweepAfter(killed);
    const run = await killed.read();
    expect(run.status).toBe("failed");
    expect(run.jobs.map(({ status }) => status)).toEqual(["failed", "cancelled"]);
    expect(await claimRefusal(actor)).toBe("empty");
  });

  it.each([
    ["while it hears that its question is asked", "PARK", { tool: "ask_user_question" }],
    ["when it waits for the next job", "WAIT", { tool: "wait_for_job", nth: 2 }],
  ])("J7: A job whose worker asks a person and is killed %s waits for the answer", async (_when, code, call) => {
    const when = call.tool === "ask_user_question" ? "after" : "before";
    const killed = await scene.killAt({ ...call, when }, { code, exec: asking });
    expect(killed.job).toMatchObject({ status: "queued", attempt: 1, lease_until: null });
    await scene.expectDeaf(killed);
    await scene.sweepAfter(killed);
    expect(await killed.readJob()).toMatchObject({ status: "queued", retry_count: 0 });
    expect(await claimRefusal(actor)).toBe("question");

    await answerQuestion(actor, { question_id: String(killed.job.parked_question_id), option: 0 });
    await killed.rescue();
    expect(await killed.read()).toMatchObject({
      status: "done",
      jobs: [{ status: "done", attempt: 2, retry_count: 0, worker_name: "rescuer" }],
    });
    const files = killed.origin("ls-tree", "--name-only", String(killed.job.branch));
    expect(files.split("\n")).toEqual(["T-1.txt", "half.txt"]);
    await scene.expectDeaf(killed);
  });

  it("J7: A conflict whose worker is killed after telling it waits, and another worker mends it", async () => {
    const place = { tool: "POST conflicts", when: "after" } as const;
    const killed = await scene.killAt(place, { code: "HOME", exec: conflicting });
    expect(killed.job).toMatchObject({ status: "queued", attempt: 1, lease_until: null });
    await scene.expectDeaf(killed);
    await scene.sweepAfter(killed);
    expect(await killed.read()).toMatchObject({ status: "running", pause_context: null });
    await killed.rescue(work);
    expect(await killed.read()).toMatchObject({ status: "done", jobs: [{ attempt: 2, retry_count: 0 }] });
    expect((await killed.readJob()).attempts).toMatchObject([{ outcome: "conflict" }, { outcome: "done" }]);
  });
});

describe("J7: a worker killed with -9 before its word was heard", { timeout: 120_000 }, () => {
  it.each([
    ["that it asks a person", "ASK", "ask_user_question", asking],
    ["that its branch has a conflict", "CLASH", "POST conflicts", conflicting],
  ])(
    "J7: The job of a worker killed before it was heard %s is ended by another one, and no one is asked",
    async (_what, code, tool, exec) => {
      const killed = await scene.killAt({ tool, when: "before" }, { code, exec });
      expect(killed.job).toMatchObject({ status: "running", attempt: 1 });
      await scene.outliveLease(killed);
      await scene.expectDeaf(killed);
      await killed.rescue(work);
      await scene.letGo(killed);
      expect(await killed.read()).toMatchObject({
        status: "done",
        pause_context: null,
        jobs: [{ status: "done", attempt: 2, retry_count: 1 }],
      });
      expect((await killed.readJob()).questions).toEqual([]);
    },
  );
});

describe("J7: a worker killed with -9 over a question about an idea", { timeout: 120_000 }, () => {
  const chat = {
    args: ["--kinds", "PLAN_CHAT"],
    exec: "echo Not much",
    prepare: async (product_id: string) => {
      const idea = await createIdea(actor, { product_id, title: "Dark mode" });
      await askAboutIdea(actor, { idea_id: idea.id, question: "Is it much work?" });
    },
  } satisfies Omit<KillOptions, "code">;
  const answers = async (productId: string) => {
    const rows = await scene.t.query`select q.status, q.answer from user_questions q
      join ideas i on i.id = q.idea_id where i.product_id = ${productId}`;
    return rows;
  };

  it.each([
    ["while the command runs", "CHAT", { command: "exec" }],
    ["when it reports", "TOLD", { tool: "update_job_status", status: "done", when: "before" }],
  ] as const)("J7: An idea's question whose worker is killed %s is answered by another", async (_when, code, place) => {
    const killed = await scene.killAt(place, { code, ...chat });
    expect(killed.job).toMatchObject({ kind: "PLAN_CHAT", status: "running", attempt: 1 });
    await scene.outliveLease(killed);
    await scene.expectDeaf(killed);
    expect(await answers(killed.productId)).toEqual([{ status: "PENDING", answer: null }]);
    await killed.rescue();
    await scene.letGo(killed);
    expect(await killed.readJob()).toMatchObject({ status: "done", attempt: 2 });
    expect(await answers(killed.productId)).toEqual([{ status: "ANSWERED", answer: "Not much" }]);
  });
});
