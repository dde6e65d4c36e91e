import { expect, it, vi } from "vitest";
import { getQuestion } from "~/nouns/questions/operations.server";
import { ownDataDir } from "../embedded/own-stack";
import { killService, openOwnDatabase, startService } from "../server/own-service";
import { atTheEnd } from "../setup/at-the-end";
import { openTelegram } from "./fakes/telegram";
import { button, until, waitingJob } from "./room";

const dataDir = await ownDataDir();
const fake = await openTelegram();
atTheEnd(fake.close);
const env = { TELEGRAM_BOT_TOKEN: fake.config.token, TELEGRAM_API: fake.config.api };
/** The process that holds the connection; the other is there to take it over. */
let holder = await startService(dataDir, { env });
await vi.waitFor(() => expect(fake.connections()).toBe(1), 60_000);
let other = await startService(dataDir, { env });
const store = await openOwnDatabase(dataDir);

let lastId = 5000;
/** A question that was said in a chat, and a press of its first button. */
async function asked() {
  const { world, ask } = await waitingJob(store);
  const person = { id: String(++lastId), name: "grace" };
  await store.query`
    insert into public.chats (user_id, service, code_expires_at, account_id, account_name, room, confirmed_at)
    values (${world.owner.id}, 'telegram', now(), ${person.id}, 'grace', ${person.id}, now())`;
  const { id } = await ask();
  const message = await until(() => fake.messages.find(({ room }) => room === person.id));
  // Noted, so that nothing but the press is under way.
  await until(
    async () =>
      (await store.query`select from public.chat_messages where question_id = ${id} and state = 'sent'`).length,
  );
  const press = () => fake.press(person, message, button(message, "Left"));
  return { world, id, message, press, read: () => getQuestion(world.actor, { question_id: id }) };
}

type Asked = Awaited<ReturnType<typeof asked>>;
const stages: [string, (asked: Asked) => Promise<() => Promise<unknown>>][] = [
  [
    "before the press is stored",
    async ({ press, message }) => {
      // Whoever notes this event waits for the end of this transaction.
      const client = await store.sql.connect();
      await client.query("begin");
      await client.query(
        "insert into public.chat_events select 'telegram', n::text from generate_series($1::integer, $1 + 20) n",
        [Number(message.id)],
      );
      press();
      await vi.waitFor(async () => {
        const waiting = await store.query`select from pg_locks where locktype = 'transactionid' and not granted`;
        expect(waiting.length).toBeGreaterThan(0);
      }, 60_000);
      return async () => {
        await client.query("rollback");
        client.release();
      };
    },
  ],
  [
    "after the press is stored, before the service hears of it",
    async ({ press }) => {
      const answering = fake.hold("answerCallbackQuery");
      press();
      await answering;
      return async () => undefined;
    },
  ],
  [
    "while the message changes",
    async ({ press, id }) => {
      const editing = fake.hold("editMessageText");
      press();
      await editing;
      // It is tried again after a minute.
      return () => store.query`update public.chat_messages set next_attempt_at = now() where question_id = ${id}`;
    },
  ],
];

it.each(stages)(
  "A process killed %s leaves one answer, and another changes the message",
  { timeout: 240_000 },
  async (_name, reach) => {
    const question = await asked();
    const afterwards = await reach(question);
    await killService(holder);
    await afterwards();
    const { message, read, world, id } = question;
    const said = `Answered by ${world.owner.username} in Telegram: Left`;
    await until(() => message.text.includes(said));
    expect(message.options).toEqual([]);
    expect(await read()).toMatchObject({ status: "answered", answered_via: "telegram" });
    const answers = await store.query`
    select from public.audit_events where kind = 'question.answered' and detail ->> 'question_id' = ${id}`;
    expect(answers).toHaveLength(1);
    holder = other;
    other = await startService(dataDir, { env });
  },
);
