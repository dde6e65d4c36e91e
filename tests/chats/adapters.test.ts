import { describe, expect, it, onTestFinished } from "vitest";
import { discord } from "~/chats/discord.server";
import { matrix } from "~/chats/matrix.server";
import {
  type ChatMessage,
  ChatProblem,
  type ChatService,
  type ChatState,
  type OpenChat,
  type PressEvent,
  type TextEvent,
} from "~/chats/service";
import { slack } from "~/chats/slack.server";
import { telegram } from "~/chats/telegram.server";
import { checkChats } from "../../app/cli/doctor/check-chats.server";
import { openDiscord } from "./fakes/discord";
import { openMatrix } from "./fakes/matrix";
import type { FakePerson, FakeService } from "./fakes/service";
import { openSlack } from "./fakes/slack";
import { openTelegram } from "./fakes/telegram";

interface Row {
  name: string;
  adapter: ChatService;
  openFake: () => Promise<FakeService>;
  longest: number;
  /** Matrix has none: it numbers the options in the text. */
  hasButtons: boolean;
}

const rows: Row[] = [
  { name: "Slack", adapter: slack, openFake: () => openSlack(), longest: 3000, hasButtons: true },
  { name: "Discord", adapter: discord, openFake: () => openDiscord(), longest: 2000, hasButtons: true },
  { name: "Matrix", adapter: matrix, openFake: () => openMatrix(), longest: 4000, hasButtons: false },
  { name: "Telegram", adapter: telegram, openFake: () => openTelegram(), longest: 4096, hasButtons: true },
];

const ada: FakePerson = { id: "4711", name: "ada" };
const link = "https://backloom.example.org/questions/1";
const question: ChatMessage = {
  text: "Which database?",
  link,
  options: [
    { id: "opt1", label: "Postgres" },
    { id: "opt2", label: "SQLite" },
  ],
  allowsText: true,
};
const answered: ChatMessage = { text: "Answered by ada: Postgres", link, options: [], allowsText: false };

type Heard = { presses: PressEvent[]; texts: TextEvent[]; states: ChatState[]; reply: () => Promise<string | null> };

/** An adapter that is connected to its fake, and what it reported. All of it ends with the test. */
async function connect({ adapter, openFake }: Row, given?: FakeService) {
  const fake = given ?? (await openFake());
  const heard: Heard = { presses: [], texts: [], states: [], reply: async () => null };
  const chat = await adapter.open(fake.config, {
    async press(event) {
      heard.presses.push(event);
      return { text: await heard.reply(), isKnown: true };
    },
    async text(event) {
      heard.texts.push(event);
      return { text: await heard.reply(), isKnown: true };
    },
    state: (state) => void heard.states.push(state),
  });
  onTestFinished(async () => {
    await chat.close();
    if (!given) await fake.close();
  });
  const isOn = () => expect.poll(() => heard.states.at(-1)).toEqual({ is: "on" });
  await isOn();
  return { fake, chat, heard, isOn };
}

const problemOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ChatProblem);
  return error instanceof ChatProblem ? error : new ChatProblem("none");
};

/** Sends it to Ada, and finds it in her room. */
async function ask({ fake, chat }: { fake: FakeService; chat: OpenChat }, message = question) {
  const ref = await chat.send(fake.roomOf(ada), message);
  const shown = fake.messages.at(-1);
  if (!shown) throw new Error("Nothing was sent.");
  return { ref, shown };
}

it.each(rows)("$name: doctor names a bad token, and how to get a good one", async ({ name, adapter, openFake }) => {
  const fake = await openFake();
  onTestFinished(() => fake.close());
  const check = () => checkChats({ [adapter.name]: fake.config });
  expect(await check()).toEqual([{ name: adapter.name, ok: true, message: `${name} knows the bot` }]);
  expect(fake.connections()).toBe(0);
  fake.revoke();
  // It ends connections, too, so the first check may find one that is closed.
  const refusal = async () => (await check()).map(({ ok, message }) => `${ok} ${message}`).join();
  await expect.poll(refusal).toMatch(/^false .* does not take [A-Z]+(_[A-Z]+)+ \(\d+\): [a-z]/);
});

describe.each(rows)("$name", (row) => {
  it("A question shows its text, its options and its link, and an edit replaces all of it", async () => {
    const open = await connect(row);
    const { ref, shown } = await ask(open);
    expect(shown).toMatchObject({ room: open.fake.roomOf(ada), options: question.options });
    expect(shown.text).toContain("Which database?");
    expect(shown.text).toContain(link);
    await open.chat.edit(ref, answered);
    expect(shown.text).toContain("Answered by ada: Postgres");
    expect(shown.options).toEqual([]);
    await open.chat.edit(ref, answered);
  });

  it("A press says who pressed what, and its answer reaches the person", async () => {
    const open = await connect(row);
    const { ref, shown } = await ask(open);
    open.heard.reply = async () => "Answered: SQLite";
    open.fake.press(ada, shown, "opt2");
    await expect.poll(() => open.fake.answers).toEqual(["Answered: SQLite"]);
    expect(open.heard.presses).toMatchObject([{ from: { id: ada.id }, ref, option: "opt2" }]);
  });

  it("A reply says which message it answers, and words of their own say none", async () => {
    const open = await connect(row);
    const { ref, shown } = await ask(open);
    open.heard.reply = async () => "Thank you <& you>";
    open.fake.write(ada, "MariaDB, please", shown);
    open.fake.write(ada, "BL-ABCD-EFGH");
    await expect.poll(() => open.heard.texts.length).toBe(2);
    const [reply, words] = open.heard.texts;
    expect(reply).toMatchObject({ from: { id: ada.id }, replyTo: ref, text: "MariaDB, please" });
    expect(words).toMatchObject({ room: open.fake.roomOf(ada), text: "BL-ABCD-EFGH" });
    expect(words?.replyTo).toBeUndefined();
    expect(await open.chat.send(words?.room ?? "", answered)).not.toBe(ref);
    await expect.poll(() => open.fake.answers.length).toBe(2);
  });

  it("An event that comes twice has one id, and two presses have two", async () => {
    const open = await connect(row);
    const { shown } = await ask(open);
    open.fake.press(ada, shown, "opt1");
    open.fake.repeat();
    open.fake.press(ada, shown, "opt1");
    await expect.poll(() => new Set(open.heard.presses.map(({ eventId }) => eventId)).size).toBe(2);
  });

  it("An event that could not be stored comes again", async () => {
    const open = await connect(row);
    let attempts = 0;
    open.heard.reply = async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("The database is gone.");
      return null;
    };
    open.fake.write(ada, "MariaDB");
    await expect.poll(() => open.heard.texts.length).toBe(2);
    expect(new Set(open.heard.texts.map(({ eventId }) => eventId)).size).toBe(1);
  });

  it("A lost connection is opened again, and no message is lost with it", async () => {
    const open = await connect(row);
    open.fake.drop();
    open.fake.write(ada, "while away");
    await expect.poll(() => open.heard.texts.map(({ text }) => text)).toEqual(["while away"]);
    await open.isOn();
    await ask(open);
  });

  it("A pause that the service asks for is passed on in its seconds", async () => {
    const open = await connect(row);
    open.fake.slowDown(30);
    const problem = await problemOf(open.chat.send(open.fake.roomOf(ada), question));
    expect(problem.options.retryAfterSeconds).toBe(30);
    await ask(open);
  });

  it("A token that does not hold any more ends in a sentence without the token", async () => {
    const open = await connect(row);
    open.fake.revoke();
    await expect.poll(() => open.heard.states.at(-1)?.is).toBe("refused");
    const { token, appToken = token } = open.fake.config;
    const said = JSON.stringify(open.heard.states);
    expect(said).toContain(`${row.name} does not take`);
    expect([token, appToken].some((secret) => said.includes(secret))).toBe(false);
    const problem = await problemOf(open.chat.send(open.fake.roomOf(ada), question));
    expect(problem.message).not.toContain(token);
    expect(problem.options.isFinal).not.toBe(true);
  });

  it("A text of 10,000 characters is cut at what the service takes, with its link", async () => {
    const open = await connect(row);
    const { ref, shown } = await ask(open, { ...question, text: "🦊".repeat(5000) });
    expect(shown.text.length).toBeLessThanOrEqual(row.longest + link.length + 4);
    expect(Buffer.from(shown.text).toString()).toBe(shown.text);
    expect(shown.text).toContain("…");
    expect(shown.text).toContain(link);
    await open.chat.edit(ref, { ...question, text: "<&>".repeat(5000) });
  });

  it("Labels of 200 characters are cut at 60, and the text has them in full", async () => {
    const open = await connect(row);
    const options = ["a", "b"].map((letter) => ({ id: `opt${letter}`, label: letter.repeat(200) }));
    const { shown } = await ask(open, { ...question, options });
    for (const { label } of options) expect(shown.text).toContain(label);
    const labels = row.hasButtons ? [`${"a".repeat(59)}…`, `${"b".repeat(59)}…`] : options.map(({ label }) => label);
    expect(shown.options.map(({ label }) => label)).toEqual(labels);
  });

  it("Right-to-left text and mentions arrive as they are written", async () => {
    const open = await connect(row);
    const text = "איזה מסד נתונים? <@U1> @everyone <!channel> & *so* on";
    const { shown } = await ask(open, { ...question, text });
    expect(shown.text.split("\n\n")[0]).toBe(text);
  });

  it("An edit of a message that is gone counts as done", async () => {
    const open = await connect(row);
    const { ref, shown } = await ask(open);
    open.fake.remove(shown);
    await open.chat.edit(ref, answered);
  });

  it("A room that is not there is a final problem", async () => {
    const open = await connect(row);
    const problem = await problemOf(open.chat.send("1", question));
    expect(problem.options.isFinal).toBe(true);
  });

  it("Two connections at once make one event of a press", async () => {
    const open = await connect(row);
    const second = await connect(row, open.fake);
    const { shown } = await ask(open);
    for (const press of [1, 2, 3]) open.fake.press({ ...ada, id: `471${press}` }, shown, "opt1");
    const ids = () => new Set([...open.heard.presses, ...second.heard.presses].map(({ eventId }) => eventId));
    await expect.poll(() => ids().size).toBe(3);
  });

  it("Nothing is left open at the end", async () => {
    const { fake, chat, heard } = await connect(row);
    await expect.poll(() => fake.connections()).toBe(1);
    await chat.close();
    expect(heard.states.at(-1)).toEqual({ is: "off" });
    await expect.poll(() => fake.connections()).toBe(0);
  });
});

const [slackRow, discordRow, matrixRow] = rows;

it("Slack's request for a new connection loses no press, and the old one ends only then", async () => {
  if (!slackRow) throw new Error("No row.");
  const fake = await openSlack();
  onTestFinished(() => fake.close());
  const open = await connect(slackRow, fake);
  const { shown } = await ask(open);
  fake.refresh();
  fake.press(ada, shown, "opt1");
  await expect.poll(() => open.heard.presses.length).toBe(1);
  await expect.poll(() => fake.connections()).toBe(1);
  expect(open.heard.states.map(({ is }) => is)).not.toContain("refused");
  fake.press(ada, shown, "opt2");
  await expect.poll(() => open.heard.presses.map(({ option }) => option)).toEqual(["opt1", "opt2"]);
});

it("Slack repeats an event whose acknowledgment is late, with the same id", async () => {
  if (!slackRow) throw new Error("No row.");
  const fake = await openSlack({ acknowledgeWithinMilliseconds: 20 });
  onTestFinished(() => fake.close());
  const open = await connect(slackRow, fake);
  open.heard.reply = () => new Promise((resolve) => setTimeout(() => resolve(null), 100));
  fake.write(ada, "Postgres");
  await expect.poll(() => open.heard.texts.length).toBe(2);
  expect(new Set(open.heard.texts.map(({ eventId }) => eventId)).size).toBe(1);
});

it("Discord's session is resumed after a request, and replaced once it is lost", async () => {
  if (!discordRow) throw new Error("No row.");
  const fake = await openDiscord();
  onTestFinished(() => fake.close());
  const open = await connect(discordRow, fake);
  fake.refresh();
  await expect.poll(() => fake.resumed).toBe(1);
  fake.forget();
  await expect.poll(() => fake.identified).toBe(2);
  fake.write(ada, "Postgres");
  await expect.poll(() => open.heard.texts.length).toBe(1);
});

it("A gateway that acknowledges no heartbeat is left, and the session is resumed", async () => {
  if (!discordRow) throw new Error("No row.");
  const fake = await openDiscord({ heartbeatMilliseconds: 50 });
  onTestFinished(() => fake.close());
  await connect(discordRow, fake);
  fake.fallSilent();
  await expect.poll(() => fake.resumed).toBeGreaterThan(0);
  expect(fake.identified).toBe(1);
});

it.for([
  ["within its time", 3000, 0],
  ["that it did not wait for", 0, 50],
] as const)("A press on Discord %s is heard once", async ([, within, takes]) => {
  if (!discordRow) throw new Error("No row.");
  const fake = await openDiscord({ firstAnswerMilliseconds: within });
  onTestFinished(() => fake.close());
  const open = await connect(discordRow, fake);
  const { shown } = await ask(open);
  open.heard.reply = () => new Promise((resolve) => setTimeout(() => resolve("Answered"), takes));
  fake.press(ada, shown, "opt1");
  fake.press(ada, shown, "opt2");
  await expect.poll(() => open.heard.presses.length).toBe(2);
  await open.chat.close();
});

it("A number on Matrix that the message does not have is no press", async () => {
  if (!matrixRow) throw new Error("No row.");
  const open = await connect(matrixRow);
  const { ref, shown } = await ask(open);
  open.fake.press(ada, shown, "unknown");
  open.fake.write(ada, "to what no event has as its id", { ...shown, id: "\u0000" });
  open.fake.write(ada, "7", shown);
  open.fake.write(ada, "2", shown);
  await expect.poll(() => open.heard.presses).toMatchObject([{ ref, option: "opt2" }]);
  expect(open.heard.texts.map(({ text }) => text)).toEqual(["7"]);
});
