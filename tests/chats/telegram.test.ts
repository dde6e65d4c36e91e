import { describe, expect, it } from "vitest";
import { revokeOtherSessions } from "~/nouns/accounts/operations.server";
import { takeChatWork } from "~/nouns/chats/operations.server";
import { answerQuestion, getQuestion } from "~/nouns/questions/operations.server";
import { claim } from "../setup/world";
import type { FakePerson } from "./fakes/service";
import { openTelegram } from "./fakes/telegram";
import { button, messageWith, openRoom, pair, until, waitingJob } from "./room";

const room = await openRoom("telegram", await openTelegram());
const { t, app, fake } = room;

let lastId = 1000;
const newPerson = (name = "Grace"): FakePerson => ({ id: String(++lastId), name });

/** A question of a new product that was said to its owner. */
async function askedOwner(rest: Parameters<typeof waitingJob>[1] = {}) {
  const { world, job, ask } = await waitingJob(t, rest);
  const owner = newPerson();
  await pair(room, world.owner, owner);
  const question = await ask();
  const message = await messageWith(room, owner, question.question.slice(0, 10));
  const read = () => getQuestion(world.actor, { question_id: question.id });
  return { world, job, ask, owner, question, message, read };
}

const audited = (userId: string) =>
  t.query`select detail from public.audit_events where kind = 'question.answered' and user_id = ${userId}`;

it("A press ends the agent's wait, once, and the message says who answered where", async () => {
  const { world, job, owner, question, message, read } = await askedOwner();
  expect(message.options.map(({ label }) => label)).toEqual(["Left", "Right", "Snooze 1 h"]);

  fake.press(owner, message, button(message, "Right"));
  fake.repeat();
  await until(() => fake.answers.includes("Answered: Right"));
  const again = await claim(world.actor, "worker-2");
  expect(again).toMatchObject({ id: job.id, questions: [{ id: question.id, effective_answer: "Right" }] });
  expect(await read()).toMatchObject({ answered_by: world.owner.id, answered_via: "telegram" });
  const edited = await messageWith(room, owner, `Answered by ${world.owner.username} in Telegram: Right`);
  expect(edited).toMatchObject({ id: message.id, options: [] });
  expect(await audited(world.owner.id)).toMatchObject([
    { detail: { via: "telegram", account_id: owner.id, question_id: question.id } },
  ]);
});

it("One process of several holds the connection, and another takes it over", async () => {
  const other = room.start();
  await room.stop();
  const { world, owner, question, message, read } = await askedOwner();
  fake.press(owner, message, button(message, "Left"));
  await messageWith(room, owner, `Answered by ${world.owner.username} in Telegram: Left`);
  expect(await read()).toMatchObject({ id: question.id, answered_via: "telegram" });
  expect(fake.connections()).toBe(1);
  await other();
  await room.restart();
});

it("A reply in words is an answer, and an answer in the browser changes the message", async () => {
  const { owner, message, read } = await askedOwner();
  fake.write(owner, "  Straight \u0007on\u0000 ", message);
  await messageWith(room, owner, "in Telegram: Straight on");
  expect(await read()).toMatchObject({ answer: "Straight on" });

  const other = await askedOwner();
  const right = button(other.message, "Right");
  await answerQuestion(other.world.actor, { question_id: other.question.id, option: 0 });
  await messageWith(room, other.owner, `Answered by ${other.world.owner.username}: Left`);
  expect(await other.read()).toMatchObject({ answered_via: "web" });
  expect(await audited(other.world.owner.id)).toMatchObject([{ detail: { via: "web" } }]);
  fake.press(other.owner, other.message, right);
  await until(() => fake.answers.includes(`Already answered by ${other.world.owner.username}: Left`));
});

it("Snooze puts the question off for an hour, in the inbox too", async () => {
  const { world, owner, message } = await askedOwner();
  fake.press(owner, message, button(message, "Snooze 1 h"));
  await messageWith(room, owner, "Snoozed until");
  const put = () => t.query`
      select m.id from public.chat_messages m join public.chats c on c.id = m.chat_id
      where c.user_id = ${world.owner.id} and m.state = 'queued'`;
  await until(async () => (await put()).length);
  const marks =
    await t.query`select later_until > now() + interval '50 minutes' as is_later from public.inbox_marks where user_id = ${world.owner.id}`;
  expect(marks).toEqual([{ is_later: true }]);
  await t.query`update public.inbox_marks set later_until = now() where user_id = ${world.owner.id}`;
  await t.query`update public.chat_messages set next_attempt_at = now(), snoozed_until = now() where state = 'queued'`;
  const again = await until(() => fake.messages.find(({ room: at, options }) => at === owner.id && options.length > 0));
  expect(again.id).not.toBe(message.id);
});

it("An answer that was stored before the process ended is not given twice, nor lost", async () => {
  const { owner, message, read } = await askedOwner();
  await room.stop();
  fake.press(owner, message, button(message, "Left"));
  await room.restart();
  await until(async () => (await read()).status === "answered");
  fake.repeat();
  await messageWith(room, owner, "in Telegram: Left");
  await room.restart();
  const events =
    await t.query`select count(*)::integer as events from public.audit_events where kind = 'question.answered' and detail ->> 'question_id' = ${(await read()).id}`;
  expect(events).toEqual([{ events: 1 }]);
});

describe("an attempt to answer that does not count", () => {
  const stranger = "This bot answers people who connected this account in the settings";
  type Asked = Awaited<ReturnType<typeof askedOwner>>;
  const attempts: [name: string, said: string, act: (asked: Asked) => Promise<void> | void][] = [
    [
      "A forwarded button pressed by a stranger",
      stranger,
      ({ message }) => fake.press(newPerson(), message, button(message, "Left")),
    ],
    [
      "A forwarded button pressed by another paired person",
      "This message is no longer current",
      async ({ message }) => {
        const other = await t.seedWorld();
        const person = newPerson();
        await pair(room, other.owner, person);
        fake.press(person, message, button(message, "Left"));
      },
    ],
    [
      "A press after the account was removed",
      stranger,
      async ({ world, owner, message }) => {
        await t.query`delete from public.chats where user_id = ${world.owner.id}`;
        fake.press(owner, message, button(message, "Left"));
      },
    ],
    [
      "A press after signing out everywhere else",
      stranger,
      async ({ world, owner, message }) => {
        await revokeOtherSessions(world.actor);
        fake.press(owner, message, button(message, "Left"));
      },
    ],
    [
      "A press of a button that the message does not have",
      "This message is no longer current",
      ({ owner, message }) => fake.press(owner, message, "000000000000"),
    ],
    [
      "A press of an option that the question does not have",
      "option is the index of one of the options",
      ({ owner, message }) => fake.press(owner, message, `${button(message, "Left").slice(0, 12)}7`),
    ],
    [
      "A press of a button with a letter for its option",
      "This message is no longer current",
      ({ owner, message }) => fake.press(owner, message, `${button(message, "Left").slice(0, 12)}x`),
    ],
    ["A text that replies to nothing", "Reply to the message of a question", ({ owner }) => fake.write(owner, "Left")],
    [
      "A reply of a megabyte",
      "Answer with an option, a text of at most 4000 characters",
      ({ owner, message }) => fake.write(owner, "x".repeat(1_000_000), message),
    ],
    [
      "A reply without a letter",
      "Answer with an option, a text of at most 4000 characters",
      ({ owner, message }) => fake.write(owner, "\u0007\u0001", message),
    ],
  ];
  it.each(attempts)("%s", async (_name, said, act) => {
    const asked = await askedOwner();
    const before = [...fake.answers, ...fake.messages.map(({ text }) => text)].filter((text) =>
      text.includes(said),
    ).length;
    await act(asked);
    await until(
      () =>
        [...fake.answers, ...fake.messages.map(({ text }) => text)].filter((text) => text.includes(said)).length >
        before,
    );
    expect(await asked.read()).toMatchObject({ status: "open" });
  });

  it("A member who is now a viewer, or has left, neither hears nor answers", async () => {
    const { world, job, ask } = await waitingJob(t);
    expect(job.id).toBeDefined();
    const member = await t.createMember(world.product.id);
    const person = newPerson("Ｇrace\u202eecarg");
    await pair(room, member, person);
    const question = await ask({ assignee_id: member.id });
    const message = await messageWith(room, person, "Which way?");
    await t.query`update public.product_members set role = 'VIEWER' where user_id = ${member.id}`;
    fake.press(person, message, button(message, "Left"));
    await until(() => fake.answers.some((text) => text.startsWith(stranger)));
    expect(await getQuestion(world.actor, { question_id: question.id })).toMatchObject({ status: "open" });
    expect(await t.query`select id from public.chats where user_id = ${member.id}`).toEqual([]);
  });

  it("Who left one of two products hears no more of it, not even how its question ended", async () => {
    const { world, ask } = await waitingJob(t);
    const member = await t.createMember(world.product.id);
    await t.addMember((await t.seedWorld()).product.id, member);
    const person = newPerson();
    await pair(room, member, person);
    const question = await ask({ assignee_id: member.id });
    const message = await messageWith(room, person, "Which way?");
    const { text } = message;
    await t.query`delete from public.product_members where user_id = ${member.id} and product_id = ${world.product.id}`;
    await answerQuestion(world.actor, { question_id: question.id, answer: "Over the secret bridge" });
    fake.press(person, message, button(message, "Left"));
    await until(() => fake.answers.at(-1)?.startsWith("This message is no longer current"));
    const due = await takeChatWork(t.database, { service: "telegram" });
    expect(JSON.stringify(due)).not.toContain("secret bridge");
    expect(message.text).toBe(text);
  });

  it("An event that the database refuses gets words in return, and holds up no later one", async () => {
    const [broken, other] = [await askedOwner(), await askedOwner()];
    await t.query`create function public.refuse() returns trigger language plpgsql as 'begin perform 1 / 0; end'`;
    await t.query`create trigger refuse before update of answer on public.agent_questions for each row
      when (new.answer = 'Poison') execute function public.refuse()`;
    fake.write(broken.owner, "Poison", broken.message);
    fake.write(other.owner, "Straight on", other.message);
    await messageWith(room, broken.owner, "This could not be stored.");
    await messageWith(room, other.owner, "in Telegram: Straight on");
    expect(await broken.read()).toMatchObject({ status: "open" });
    await t.query`drop trigger refuse on public.agent_questions`;
    fake.write(broken.owner, "Turn left", broken.message);
    await messageWith(room, broken.owner, "in Telegram: Turn left");
  });

  it("A stranger gets one sentence a day", async () => {
    const person = newPerson();
    fake.write(person, "Hello");
    fake.write(person, "Anyone there?");
    fake.write(person, "BL-2222-2222");
    await messageWith(room, person, "This code is unknown");
    expect(fake.messages.filter(({ room: at }) => at === person.id)).toHaveLength(2);
  });
});

it("A code that someone else typed pairs nothing until its person confirms, and the page names the account", async () => {
  const { owner } = await t.seedWorld();
  const headers = { cookie: await app.signIn(owner), origin: app.origin };
  const begun = await (await app.send("POST", "/api/chats", { service: "telegram" }, headers)).json();
  const early = await app.send("POST", `/api/chats/${begun.id}/confirm`, {}, headers);
  expect(early.status).toBe(409);
  const thief = newPerson("Not Grace");
  fake.write(thief, `/start ${begun.code}`);
  await messageWith(room, thief, "Now confirm in your browser");
  const list = await (await app.send("GET", "/api/chats", undefined, headers)).json();
  expect(list).toMatchObject({
    available: ["telegram"],
    chats: [{ confirmed: false, account: { id: thief.id, name: "Not Grace" } }],
  });
  fake.write(newPerson(), begun.code);
  await until(() => fake.messages.some(({ text }) => text.includes("no longer good")));
  expect((await app.send("DELETE", `/api/chats/${begun.id}`, undefined, headers)).status).toBe(204);
});

it("Tokens, viewers and demo accounts cannot pair, and a service without a bot is refused", async () => {
  const { owner, product } = await t.seedWorld();
  const viewer = await t.createMember(product.id, { viewer: true });
  const demo = await t.createUser({ demo: true });
  const session = async (user: { id: string }) => ({ cookie: await app.signIn(user), origin: app.origin });
  const begin = async (headers: Record<string, string>, service = "telegram") =>
    (await app.send("POST", "/api/chats", { service }, headers)).status;
  expect(await begin(await t.bearerOf(owner))).toBe(403);
  expect(await begin(await session(viewer))).toBe(403);
  expect(await begin(await session(demo))).toBe(403);
  expect(await begin(await session(owner), "matrix")).toBe(409);
  expect((await app.send("GET", "/api/chats", undefined, await t.bearerOf(owner))).status).toBe(403);
});

it("A number in a message is that of one choice, also where more can be chosen in the browser", async () => {
  const labels = ["Try again", "Skip it and what it blocks", "Stop the run", "I take it over"];
  const { owner, message } = await askedOwner({
    options: labels.map((label) => ({ label, description: `${label}.` })),
  });
  expect(message.options.map(({ label }) => label)).toEqual([...labels.slice(0, 3), "Snooze 1 h"]);
  expect(message.text).toContain("3. Stop the run: Stop the run.");
  expect(message.text).not.toContain("4.");
  expect(owner.id).toBe(message.room);
});

it("Without titles a message has no word of the product, and quiet hours, other products and a chosen bundle hold it back", async () => {
  const { world, ask } = await waitingJob(t);
  const person = newPerson();
  const id = await pair(room, world.owner, person);
  const headers = { cookie: await app.signIn(world.owner), origin: app.origin };
  const set = async (fields: object) =>
    expect((await app.send("PATCH", `/api/chats/${id}`, fields, headers)).status).toBe(200);
  await set({ titles: false, quiet_from: "00:00", quiet_to: "23:59", time_zone: "Europe/Vienna" });
  await ask({ question: "A secret plan?" });
  expect((await app.send("PATCH", `/api/chats/${id}`, { time_zone: "Nowhere/Land" }, headers)).status).toBe(422);
  const due = await takeChatWork(t.database, { service: "telegram" });
  expect(due.filter(({ chat_id }) => chat_id === id)).toEqual([]);
  expect(fake.messages.filter(({ room: at, text }) => at === person.id && text.includes("waits"))).toEqual([]);
  await set({ quiet_from: null, quiet_to: null });
  const message = await messageWith(room, person, "waits for an answer.");
  expect(message.text).not.toContain("secret");
  expect(message.text).toContain("/inbox?show=questions&question=");
});

it("A key in a question is masked, and a permission or plan has no button that approves", async () => {
  const { owner, message } = await askedOwner({ question: "Is this right: ghp_0123456789012345678901234567?" });
  expect(message.text).toContain("Is this right: •••");
  expect(message.text).not.toContain("ghp_");
  const permission = await askedOwner({
    question: "May it reach npm?",
    kind: "permission",
    options: ["Allow", "Deny"],
  });
  expect(permission.message.options.map(({ label }) => label)).toEqual(["Snooze 1 h"]);
  fake.write(permission.owner, "Allow", permission.message);
  await messageWith(room, permission.owner, "Open the link to decide this in Backloom.");
  expect(await permission.read()).toMatchObject({ status: "open" });
  expect(owner.id).not.toBe(permission.owner.id);
});
