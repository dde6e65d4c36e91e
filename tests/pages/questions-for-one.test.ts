import pino from "pino";
import { beforeAll, describe, expect, it } from "vitest";
import webPush from "web-push";
import type { Actor } from "~/db/rpc.server";
import { getAgentJob, whyNotMoving } from "~/nouns/agent-jobs/operations.server";
import { createIdea } from "~/nouns/ideas/operations.server";
import { getInbox } from "~/nouns/inbox/operations.server";
import { createWebhook, subscribePush } from "~/nouns/notices/operations.server";
import { leaveProduct } from "~/nouns/products/operations.server";
import {
  answerQuestion,
  askQuestion,
  cancelQuestion,
  getNotificationsState,
  getQuestion,
  listQuestions,
} from "~/nouns/questions/operations.server";
import type { AgentQuestion, AskQuestionInput } from "~/wire/questions/contract";
import { asUser, outcomeOf } from "../db/as-user";
import { createDevice } from "../notices/push-device";
import { startReceiver } from "../notices/receiver";
import { sendBatch } from "../notices/send-batch";
import { openApp } from "../setup/app";
import { at, claim, type SprintWorld, type TestUser } from "../setup/world";
import { openStream } from "../streams/stream-reader";

const { t, app } = await openApp({ realtime: true, pages: true });
const secret = "May it read the heirloom?";
const events = ["question_opened", "question_answered", "question_expired"] as const;

interface Scene extends SprintWorld {
  /** A member whose worker and whose ideas these are. */
  ada: TestUser;
  asks: Actor;
  jobId: string;
  taskId: string;
}

/** The owner looks on while a worker of a member works. */
async function openScene(): Promise<Scene> {
  const world = await t.seedSprint({ stories: [1] });
  const ada = await t.createMember(world.product.id);
  await t.query`update product_members set workers_allowed = true, workers_decided_at = now()
    where user_id = ${ada.id}`;
  await world.start();
  const asks = t.actorOf(ada);
  const job = await claim(asks);
  return { ...world, ada, asks, jobId: job.id, taskId: at(world.tasks, 0).id };
}

const permission = ({ taskId, jobId }: Scene): AskQuestionInput => ({
  kind: "permission",
  task_id: taskId,
  question: secret,
  options: ["Allow", "Deny"],
  park: true,
  job_id: jobId,
  attempt: 1,
});

async function aboutIdea({ asks, product }: Scene): Promise<AskQuestionInput> {
  const idea = await createIdea(asks, { product_id: product.id, title: "Glow" });
  return { idea_id: idea.id, question: secret, options: ["Yes", "No"] };
}

describe.each([
  ["a permission", async (scene: Scene) => permission(scene), "Only "],
  ["a question about an idea", aboutIdea, "No such question."],
])("%s", (_, inputFor, refusal) => {
  let scene: Scene;
  let question: AgentQuestion;
  beforeAll(async () => {
    scene = await openScene();
    question = await askQuestion(scene.asks, await inputFor(scene));
  });

  it("A question for one person is in no list of anyone else", async () => {
    for (const [actor, count] of [
      [scene.asks, 1],
      [scene.actor, 0],
    ] as const) {
      expect((await listQuestions(actor, { product_id: scene.product.id })).questions).toHaveLength(count);
      expect((await getNotificationsState(actor)).questions).toHaveLength(count);
      const { items } = await getInbox(actor, { kinds: ["question"] });
      expect(items).toHaveLength(count);
    }
    const rows = (user: TestUser) =>
      asUser(t, user, (client) => outcomeOf(client, "select * from public.agent_questions"));
    expect(await rows(scene.ada)).toBe(1);
    expect(await rows(scene.owner)).toBe(0);
  });

  it("A question for one person is on no page of anyone else", async () => {
    const paths = [
      "/inbox?show=questions",
      "/inbox",
      "/dashboard",
      `/jobs/${scene.jobId}`,
      `/tasks/${scene.taskId}`,
      `/stories/${at(scene.stories, 0).id}`,
      `/products/${scene.product.id}/sprints/${scene.sprint.id}`,
    ];
    const theirs = await app.visitorOf(scene.owner);
    for (const path of paths) expect(await theirs.read(path), path).not.toContain(secret);
    const own = await app.visitorOf(scene.ada);
    expect(await own.read("/inbox?show=questions")).toContain(secret);
    expect(await own.read("/inbox")).toContain(secret);
  });

  it("A question for one person cannot be read, answered or closed by anyone else", async () => {
    const question_id = question.id;
    const { actor } = scene;
    await expect(getQuestion(actor, { question_id })).rejects.toThrow(refusal);
    await expect(answerQuestion(actor, { question_id, option: 0 })).rejects.toThrow(refusal);
    await expect(cancelQuestion(actor, { question_id })).rejects.toThrow(refusal);
    expect((await getQuestion(scene.asks, { question_id })).status).toBe("open");
    const { questions } = await getAgentJob(scene.actor, { job_id: scene.jobId });
    expect(questions).toEqual([]);
    const { text } = await whyNotMoving(scene.actor, { kind: "job", id: scene.jobId });
    expect(text).not.toContain(secret);
  });

  it("A question for one person is answered by that person, whose worker learns who answered", async () => {
    const answered = await answerQuestion(scene.asks, { question_id: question.id, option: 0 });
    expect(answered).toMatchObject({ status: "answered", answered_by: scene.ada.id });
    expect(await getQuestion(scene.asks, { question_id: question.id })).toMatchObject({
      kind: question.kind,
      answered_by: scene.ada.id,
      reader_name: scene.ada.username,
    });
  });
});

it.each([
  ["a permission", async (scene: Scene) => permission(scene)],
  ["what is asked about an idea", aboutIdea],
])("%s is told to the devices and streams of its person alone, and to no webhook", async (_, inputFor) => {
  const scene = await openScene();
  const receiver = await startReceiver("https");
  const devices = { ada: createDevice(`${receiver.origin}/ada`), owner: createDevice(`${receiver.origin}/owner`) };
  await subscribePush(scene.asks, devices.ada.subscription);
  await subscribePush(scene.actor, devices.owner.subscription);
  const url = `${receiver.origin}/webhook`;
  await createWebhook(scene.actor, { product_id: scene.product.id, url, events: [...events] });
  const streams = await Promise.all(
    [scene.ada, scene.owner].map(async (user) =>
      openStream(`${app.origin}/api/realtime/notifications`, { cookie: await app.signIn(user) }),
    ),
  );
  for (const stream of streams) await stream.nextNamed("state");

  const question = await askQuestion(scene.asks, await inputFor(scene));
  await answerQuestion(scene.asks, { question_id: question.id, option: 0 });
  // Something that both hear, after what only one of them may.
  const last = await askQuestion(scene.actor, { task_id: scene.taskId, question: "For all" });

  const heard = async (stream: (typeof streams)[number]) => {
    const ids: unknown[] = [];
    while (ids.at(-1) !== last.id) {
      const { event, data } = await stream.next();
      if (event === "message") ids.push(Reflect.get(Object(data), "id"));
    }
    stream.close();
    return ids;
  };
  expect(await heard(at(streams, 0))).toContain(question.id);
  expect(await heard(at(streams, 1))).not.toContain(question.id);

  const sender = {
    database: t.database,
    log: pino({ level: "silent" }),
    vapid: { ...webPush.generateVAPIDKeys(), subject: "mailto:operator@example.com" },
    allowPrivateDestinations: true,
  };
  while ((await sendBatch(sender)) > 0);
  const paths = receiver.deliveries.map(({ path }) => path).sort();
  expect(paths).toEqual(["/ada", "/ada", "/owner", "/webhook"]);
});

describe("a permission whose person has left", () => {
  let scene: Scene;
  let question: AgentQuestion;
  beforeAll(async () => {
    scene = await openScene();
    question = await askQuestion(scene.asks, { ...permission(scene), reach: "pypi.org:443" });
    await leaveProduct(scene.asks, { product_id: scene.product.id });
  });

  it("A permission whose person has left is shown to the product's owner alone, to dismiss", async () => {
    const member = await t.createMember(scene.product.id);
    const product_id = scene.product.id;
    for (const [user, count] of [
      [scene.owner, 1],
      [member, 0],
      [scene.ada, 0],
    ] as const) {
      const actor = t.actorOf(user);
      expect((await getInbox(actor, { kinds: ["question"] })).items).toHaveLength(count);
      expect((await getNotificationsState(actor)).questions).toHaveLength(count);
      if (user === scene.ada) continue;
      expect((await listQuestions(actor, { product_id })).questions).toHaveLength(count);
      const { questions } = await getAgentJob(actor, { job_id: scene.jobId });
      expect(questions).toHaveLength(count);
    }
    const page = await (await app.visitorOf(scene.owner)).read("/inbox?show=questions");
    expect(page).toContain(`${scene.ada.username} has left the product`);
    expect(page).toContain("Dismiss");
    expect(page).not.toContain(">Allow<");
  });

  it("A permission whose person has left is given by no one; its job continues once the owner dismisses it", async () => {
    const question_id = question.id;
    const { actor } = scene;
    const member = await t.createMember(scene.product.id);
    await expect(cancelQuestion(t.actorOf(member), { question_id })).rejects.toThrow("Only ");
    await expect(answerQuestion(actor, { question_id, option: 0 })).rejects.toMatchObject({
      status: 403,
      message: expect.stringContaining("has left the product"),
    });
    await expect(cancelQuestion(scene.asks, { question_id })).rejects.toMatchObject({ status: 403 });
    expect(await cancelQuestion(actor, { question_id })).toMatchObject({ status: "cancelled" });
    expect(await claim(actor)).toMatchObject({ id: scene.jobId });
  });
});

it("a permission for a host shows the host that an answer counts for, next to what its agent says", async () => {
  const scene = await openScene();
  const words = { question: "May it reach pypi.org?", reach: "evil.example:443" };
  await askQuestion(scene.asks, { ...permission(scene), ...words });
  const own = await app.visitorOf(scene.ada);
  for (const path of ["/inbox?show=questions", "/inbox"]) {
    const page = await own.read(path);
    expect(page).toMatch(/<strong[^>]*>evil\.example:443<\/strong>/);
    expect(page.indexOf("evil.example:443")).toBeLessThan(page.indexOf("May it reach pypi.org?"));
  }
});

it("A permission cannot be assigned to another person, given by silence or ask for an invalid host", async () => {
  const scene = await openScene();
  const ask = (rest: Partial<AskQuestionInput>) =>
    askQuestion(scene.asks, { kind: "permission", task_id: scene.taskId, question: "?", ...rest });
  await expect(ask({ assignee_id: scene.owner.id })).rejects.toThrow("Only you can answer");
  await expect(ask({ on_expiry: "ESCALATE", escalate_to: scene.owner.id })).rejects.toThrow("Only you can answer");
  await expect(ask({ on_expiry: "RECOMMENDED", options: ["Allow"], recommended_option: 0 })).rejects.toThrow(
    "Only a person can give a permission",
  );
  await expect(ask({ kind: "question", reach: "pypi.org" })).rejects.toThrow("reach belongs to");
  for (const reach of ["999.1.1.1", "[....]", "pypi.org/../evil.example", "pypi.org evil.example"]) {
    await expect(ask({ reach })).rejects.toMatchObject({ status: 422 });
  }
  expect(await ask({ reach: "pypi.org:443" })).toMatchObject({ reach: "pypi.org:443" });
});

it("Other members are told that a job waits for a permission and who can give it", async () => {
  const scene = await openScene();
  await askQuestion(scene.asks, permission(scene));
  const { text } = await whyNotMoving(scene.actor, { kind: "job", id: scene.jobId });
  expect(text).toContain(`It is waiting for a permission that only ${scene.ada.username} can give.`);
});
