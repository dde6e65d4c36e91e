import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { matrix } from "~/chats/matrix.server";
import { ChatProblem, type ChatState, type PressEvent, type TextEvent } from "~/chats/service";
import { type MatrixAccount, type Synapse, startSynapse, synapseProgram } from "./fakes/synapse";

if (!synapseProgram) console.log("Left out: Matrix for real, as SYNAPSE_PROGRAM and synapse_homeserver are not there.");

const timeline = z.object({
  chunk: z.array(
    z.object({
      event_id: z.string(),
      sender: z.string(),
      type: z.string(),
      content: z.looseObject({
        body: z.string().optional(),
        "m.new_content": z.object({ body: z.string() }).optional(),
        "m.relates_to": z.looseObject({ key: z.string().optional() }).optional(),
      }),
    }),
  ),
});
const memberList = z.object({ joined: z.record(z.string(), z.unknown()) });
const options = [
  { id: "opt1", label: "Postgres" },
  { id: "opt2", label: "SQLite" },
];
const question = { text: "Which database?", link: "https://backloom.example.org/q/1", options, allowsText: true };

describe.skipIf(!synapseProgram)("Matrix on a real homeserver", () => {
  let synapse: Synapse;
  beforeAll(async () => {
    synapse = await startSynapse(synapseProgram ?? "");
  });
  afterAll(() => synapse.stop());

  async function open() {
    const [bot, ada] = await Promise.all(["bot", "ada"].map((name) => synapse.register(`${name}-${randomUUID()}`)));
    if (!bot || !ada) throw new Error("No accounts.");
    const heard = {
      presses: [] as PressEvent[],
      texts: [] as TextEvent[],
      states: [] as ChatState[],
      reply: async (): Promise<string | null> => null,
    };
    const begin = async () => {
      const chat = await matrix.open(
        { api: synapse.api, token: bot.token },
        {
          async press(event) {
            heard.presses.push(event);
            return { text: await heard.reply(), isKnown: true };
          },
          async text(event) {
            heard.texts.push(event);
            return { text: await heard.reply(), isKnown: true };
          },
          state: (state) => void heard.states.push(state),
        },
      );
      onTestFinished(() => chat.close());
      await expect.poll(() => heard.states.at(-1)).toEqual({ is: "on" });
      return chat;
    };
    return { bot, ada, heard, begin, chat: await begin() };
  }

  async function roomWith(ada: MatrixAccount, bot: MatrixAccount, more: object = {}) {
    const made = await ada.ask("POST", "/createRoom", { is_direct: true, invite: [bot.id], ...more });
    return z.object({ room_id: z.string() }).parse(made).room_id;
  }
  const membersOf = async (ada: MatrixAccount, room: string) =>
    Object.keys(memberList.parse(await ada.ask("GET", `/rooms/${room}/joined_members`)).joined);
  const joined = async (ada: MatrixAccount, bot: MatrixAccount, room: string) =>
    expect.poll(() => membersOf(ada, room)).toContain(bot.id);
  const say = (ada: MatrixAccount, room: string, content: object, type = "m.room.message") =>
    ada.ask("PUT", `/rooms/${room}/send/${type}/${randomUUID()}`, content);
  const write = (ada: MatrixAccount, room: string, body: string, to?: string) =>
    say(ada, room, {
      msgtype: "m.text",
      body,
      ...(to ? { "m.relates_to": { "m.in_reply_to": { event_id: to } } } : {}),
    });
  const seenBy = async (ada: MatrixAccount, room: string, sender: string) =>
    timeline
      .parse(await ada.ask("GET", `/rooms/${room}/messages?dir=f&limit=100`))
      .chunk.filter((event) => event.sender === sender);

  it("A direct chat is joined, and a question there is answered by reaction, by number and in words", async () => {
    const { bot, ada, heard, chat } = await open();
    const room = await roomWith(ada, bot);
    await joined(ada, bot, room);
    await write(ada, room, "BL-ABCD-EFGH");
    await expect.poll(() => heard.texts).toMatchObject([{ from: { id: ada.id }, room, text: "BL-ABCD-EFGH" }]);

    const ref = await chat.send(room, question);
    const sent = async () => (await seenBy(ada, room, bot.id)).find(({ content }) => content.body);
    expect((await sent())?.content.body).toBe(
      "Which database?\n\n1. Postgres\n2. SQLite\n\nhttps://backloom.example.org/q/1",
    );
    const id = (await sent())?.event_id ?? "";
    const keys = async () =>
      (await seenBy(ada, room, bot.id)).flatMap(({ content }) => content["m.relates_to"]?.key ?? []);
    await expect.poll(keys).toEqual(["1️⃣", "2️⃣"]);

    heard.reply = async () => "Answered: SQLite";
    await say(ada, room, { "m.relates_to": { rel_type: "m.annotation", event_id: id, key: "2️⃣" } }, "m.reaction");
    await expect.poll(() => heard.presses).toMatchObject([{ from: { id: ada.id }, ref, option: "opt2" }]);
    await write(ada, room, "1", id);
    await expect.poll(() => heard.presses.at(-1)).toMatchObject({ ref, option: "opt1" });
    await write(ada, room, "> <@bot> Which database?\n\nMariaDB", id);
    await expect.poll(() => heard.texts.at(-1)).toMatchObject({ replyTo: ref, text: "MariaDB" });
    await expect
      .poll(async () => (await seenBy(ada, room, bot.id)).map(({ content }) => content.body))
      .toContain("Answered: SQLite");

    await chat.edit(ref, { ...question, text: "Answered by ada: SQLite", options: [] });
    const edits = (await seenBy(ada, room, bot.id)).flatMap(({ content }) => content["m.new_content"]?.body ?? []);
    expect(edits).toEqual(["Answered by ada: SQLite\n\nhttps://backloom.example.org/q/1"]);
  });

  it("An encrypted room gets a sentence, and is left", async () => {
    const { bot, ada } = await open();
    const encryption = { type: "m.room.encryption", state_key: "", content: { algorithm: "m.megolm.v1.aes-sha2" } };
    const room = await roomWith(ada, bot, { initial_state: [encryption] });
    await expect
      .poll(async () => (await seenBy(ada, room, bot.id)).map(({ content }) => content.body ?? ""))
      .toContainEqual(expect.stringContaining("encryption switched off"));
    await expect.poll(() => membersOf(ada, room)).toEqual([ada.id]);
  });

  it("An invitation to a group is declined, and a private room that becomes one is left unread", async () => {
    const { bot, ada, heard } = await open();
    const group = await roomWith(ada, bot, { is_direct: false });
    const invitation = `/rooms/${group}/state/m.room.member/${bot.id}`;
    await expect.poll(() => ada.ask("GET", invitation)).toMatchObject({ membership: "leave" });

    const room = await roomWith(ada, bot);
    await joined(ada, bot, room);
    const eve = await synapse.register(`eve-${randomUUID()}`);
    await ada.ask("POST", `/rooms/${room}/invite`, { user_id: eve.id });
    await eve.ask("POST", `/join/${room}`, {});
    await write(eve, room, "BL-ABCD-EFGH");
    await expect.poll(() => membersOf(ada, room)).toEqual(expect.not.arrayContaining([bot.id]));
    expect(heard.texts).toEqual([]);
  });

  it("Words that were written while the bot was away, or could not be stored, are heard afterwards with one id", async () => {
    const { bot, ada, heard, chat, begin } = await open();
    const room = await roomWith(ada, bot);
    await joined(ada, bot, room);
    await chat.close();
    expect(heard.states.at(-1)).toEqual({ is: "off" });
    await write(ada, room, "while away");
    let attempts = 0;
    heard.reply = async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("The database is gone.");
      return null;
    };
    await begin();
    await expect.poll(() => heard.texts.length).toBeGreaterThanOrEqual(2);
    expect(new Set(heard.texts.map(({ eventId, text }) => `${eventId} ${text}`)).size).toBe(1);
  });

  it("The homeserver's own limit is passed on in its seconds, and a text of 10,000 characters fits", async () => {
    const { bot, ada, chat } = await open();
    const room = await roomWith(ada, bot);
    await joined(ada, bot, room);
    await chat.send(room, { ...question, text: "איזה 🦊".repeat(2000), options: [] });
    const sendings = await Promise.allSettled(
      Array.from({ length: 20 }, () => chat.send(room, { ...question, options: [] })),
    );
    const problems = sendings.flatMap((each) => (each.status === "rejected" ? [each.reason] : []));
    expect(problems.length).toBeGreaterThan(0);
    for (const problem of problems) {
      expect(problem).toBeInstanceOf(ChatProblem);
      expect(problem.options.retryAfterSeconds).toBeGreaterThan(0);
    }
  });

  it("A token that was signed out ends in a sentence without it", async () => {
    const { bot, ada, heard, chat } = await open();
    const room = await roomWith(ada, bot);
    await joined(ada, bot, room);
    await bot.ask("POST", "/logout", {});
    await expect.poll(() => heard.states.at(-1)?.is).toBe("refused");
    expect(JSON.stringify(heard.states)).toContain("MATRIX_ACCESS_TOKEN");
    expect(JSON.stringify(heard.states)).not.toContain(bot.token);
    await expect(chat.send(room, question)).rejects.toBeInstanceOf(ChatProblem);
  });
});
