import { expect, it } from "vitest";
import { addComment, listJobMessages } from "~/nouns/comments/operations.server";
import { cancelSprintRun } from "~/nouns/sprint-runs/operations.server";
import { at } from "../setup/world";
import type { KillPoint } from "./breakpoint";
import { openScene } from "./kill-scene";

const scene = await openScene();

/** Waits until a message is there, says that it was, and leaves it in the work. */
const heed = 'while ! [ -s "$BACKLOOM_MESSAGES" ]; do sleep 0.05; done; cp "$BACKLOOM_MESSAGES" heeded.jsonl';

const beat = { tool: "job_heartbeat" } as const;
const report = { tool: "update_job_status" } as const;

/** Steps between a message and the end of the job, and where the worker is killed. */
const steps: [name: string, place: KillPoint][] = [
  ["has not heard that it got the job with the message", { tool: "wait_for_job", when: "after" }],
  ["says that it begins", { ...report, status: "running", when: "before" }],
  ["runs the command, which has read it", { command: "exec" }],
  ["says that it was seen", { ...beat, when: "before" }],
  ["was heard that it was seen", { ...beat, when: "after" }],
  ["says so once more", { ...beat, when: "after", nth: 2 }],
  ["reports that it is done", { ...report, status: "done", when: "before" }],
];

/** Someone writes to the agent of the only task before any worker has it. */
async function say(productId: string): Promise<void> {
  const rows = await scene.t.query`select id from tasks where product_id = ${productId}`;
  const task = { kind: "task", id: at(rows, 0).id } as const;
  await addComment(scene.actor, { ...task, body: "Use tabs.", send_to_agent: true });
}

it.each(steps)("A message whose worker is killed when it %s is acted on by the next attempt", async (name, place) => {
  const index = steps.findIndex(([other]) => other === name);
  const { actor } = scene;
  const killed = await scene.killAt(place, {
    code: `M${index}`,
    exec: heed,
    args: ["--heartbeat", "0.3"],
    prepare: say,
  });
  const statesNow = async () =>
    (await listJobMessages(actor, { job_id: killed.job.id })).messages.map(({ state }) => state);
  expect(["sent", "seen"]).toEqual(expect.arrayContaining(await statesNow()));
  await scene.outliveLease(killed);
  await killed.rescue(heed);
  expect((await killed.read()).jobs).toMatchObject([{ status: "done", attempt: 2 }]);
  const { branch } = at((await killed.read()).jobs, 0);
  const heeded = killed.origin("show", `${branch}:heeded.jsonl`);
  expect(JSON.parse(heeded)).toMatchObject({ text: "Use tabs." });
  expect(await statesNow()).toEqual(["acted_on"]);
  await scene.letGo(killed);
});

it("A message whose worker was killed is undelivered when the run is cancelled, with the reason", async () => {
  const { actor } = scene;
  const place: KillPoint = { tool: "wait_for_job", when: "after" };
  const killed = await scene.killAt(place, { code: "MX", exec: heed, prepare: say });
  await cancelSprintRun(actor, { sprint_run_id: String(killed.job.sprint_run_id) });
  const { messages } = await listJobMessages(actor, { job_id: killed.job.id });
  expect(messages).toMatchObject([
    { state: "undelivered", reason: "The job was cancelled before its agent saw this." },
  ]);
  await scene.letGo(killed);
});
