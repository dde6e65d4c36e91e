import pino from "pino";
import { startChats } from "~/chats/room.server";
import { askQuestion } from "~/nouns/questions/operations.server";
import type { ChatServiceName } from "~/wire/chats/contract";
import type { AskQuestionInput } from "~/wire/questions/contract";
import { openApp } from "../setup/app";
import { atTheEnd } from "../setup/at-the-end";
import { at, claim, type WorldStore } from "../setup/world";
import type { FakeMessage, FakePerson, FakeService } from "./fakes/service";

/** An app whose process talks to a stand-in for one chat service. */
export async function openRoom(name: ChatServiceName, fake: FakeService) {
  const { t, app } = await openApp({ env: { chats: { [name]: fake.config } } });
  const { database, env } = app.services;
  const lines: string[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(line) });
  const start = () => startChats({ database, log, env });
  let stop = start();
  atTheEnd(() => stop());
  atTheEnd(fake.close);
  const restart = async () => {
    await stop();
    stop = start();
  };
  return { t, app, name, fake, lines, start, restart, stop: () => stop() };
}
export type OpenRoom = Awaited<ReturnType<typeof openRoom>>;

/** Waits until it is so; the test's own time is the limit. */
export async function until<T>(read: () => T | Promise<T>): Promise<NonNullable<T>> {
  for (;;) {
    const value = await read();
    if (value) return value;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

/** Pairs the account with the user, from both sides. Returns the chat's id. */
export async function pair({ app, name, fake }: OpenRoom, user: { id: string }, person: FakePerson): Promise<string> {
  const cookie = await app.signIn(user);
  const headers = { cookie, origin: app.origin };
  const begun = await app.send("POST", "/api/chats", { service: name }, headers);
  const { id, code } = await begun.json();
  fake.write(person, code);
  await until(async () => (await app.send("POST", `/api/chats/${id}/confirm`, {}, headers)).ok);
  return id;
}

/** A job of a new product's run that waits for a person's answer. */
export async function waitingJob(t: WorldStore, rest: Partial<AskQuestionInput> = {}) {
  const world = await t.seedSprint({ strategy: "STORY", stories: [1, 1] });
  await world.start();
  const job = await claim(world.actor);
  const ask = (more: Partial<AskQuestionInput> = {}) =>
    askQuestion(world.actor, {
      task_id: at(world.tasks, 0).id,
      question: "Which way?",
      options: ["Left", "Right"],
      park: true,
      job_id: job.id,
      attempt: 1,
      ...rest,
      ...more,
    });
  return { world, job, ask };
}

/** The message in the person's room that has this text in it, now. */
export const messageWith = ({ fake }: OpenRoom, person: FakePerson, text: string): Promise<FakeMessage> =>
  until(() => fake.messages.find((message) => message.room === fake.roomOf(person) && message.text.includes(text)));

export function button(message: FakeMessage, label: string): string {
  const found = message.options.find((option) => option.label === label);
  if (!found) throw new Error(`There is no button ${label}`);
  return found.id;
}
