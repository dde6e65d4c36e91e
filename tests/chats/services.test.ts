import { describe, expect, it } from "vitest";
import { answerQuestion, getQuestion } from "~/nouns/questions/operations.server";
import { chatTitles } from "~/wire/chats/contract";
import { openDiscord } from "./fakes/discord";
import { openMatrix } from "./fakes/matrix";
import type { FakePerson } from "./fakes/service";
import { openSlack } from "./fakes/slack";
import { button, messageWith, openRoom, pair, until, waitingJob } from "./room";

/** Telegram has more in a file of its own; what is refused is decided before the service matters. */
const rooms = [
  await openRoom("slack", await openSlack()),
  await openRoom("discord", await openDiscord()),
  await openRoom("matrix", await openMatrix()),
];

describe.each(rooms.map((room) => [chatTitles[room.name], room] as const))("%s", (title, room) => {
  /** A question in the chat of a person who may answer it. */
  async function askPerson(person: FakePerson, text: string) {
    const { world, ask } = await waitingJob(room.t);
    await pair(room, world.owner, person);
    const { id } = await ask({ question: text });
    const message = await messageWith(room, person, text);
    return { world, id, message, read: () => getQuestion(world.actor, { question_id: id }) };
  }

  it("A press of the person who was asked answers once, and no press of another", async () => {
    const grace = { id: "2001", name: "grace" };
    const { world, message, read } = await askPerson(grace, "Which way by a press?");
    expect(message.options.map(({ label }) => label)).toEqual(["Left", "Right", "Snooze 1 h"]);
    const [left, right] = [button(message, "Left"), button(message, "Right")];
    room.fake.press({ id: "2002", name: "grace" }, message, left);
    await until(() => room.fake.answers.some((text) => text.startsWith("This bot answers people who connected")));
    expect(await read()).toMatchObject({ status: "open" });

    room.fake.press(grace, message, right);
    room.fake.repeat();
    room.fake.press(grace, message, left);
    await until(() => room.fake.answers.some((text) => text.startsWith("Already answered by")));
    expect(await read()).toMatchObject({ effective_answer: "Right", answered_via: room.name });
    const edited = await messageWith(room, grace, `Answered by ${world.owner.username} in ${title}: Right`);
    expect(edited).toMatchObject({ id: message.id, options: [] });
  });

  it("A reply in words answers, and an answer in the browser changes the message", async () => {
    const ada = { id: "2003", name: "ada" };
    const first = await askPerson(ada, "Which way in words?");
    room.fake.write(ada, "Neither, go up", first.message);
    await until(async () => (await first.read()).status === "answered");
    expect(await first.read()).toMatchObject({ effective_answer: "Neither, go up", answered_via: room.name });

    const bob = { id: "2004", name: "bob" };
    const second = await askPerson(bob, "Which way in the browser?");
    await answerQuestion(second.world.actor, { question_id: second.id, option: 0 });
    const changed = await messageWith(room, bob, `Answered by ${second.world.owner.username}: Left`);
    expect(changed.id).toBe(second.message.id);
  });
});
