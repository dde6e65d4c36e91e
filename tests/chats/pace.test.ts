import { randomUUID } from "node:crypto";
import pino from "pino";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { catalog, paces } from "~/chats/catalog.server";
import { Room } from "~/chats/room.server";
import { holdChat, noteChatWork, takeChatWork } from "~/nouns/chats/operations.server";
import { type ChatServiceName, chatTitles } from "~/wire/chats/contract";
import { createTestDatabase } from "../setup/database";
import { openDiscord } from "./fakes/discord";
import { openMatrix } from "./fakes/matrix";
import type { FakeService } from "./fakes/service";
import { openSlack } from "./fakes/slack";
import { openTelegram } from "./fakes/telegram";
import { waitingJob } from "./room";

const t = await createTestDatabase();

// One clock for database, process and fake, which the tests move.
await t.query`create table private.test_clock (at timestamptz not null)`;
await t.query`grant select on private.test_clock to public`;
await t.query`insert into private.test_clock values (now())`;
await t.query`create or replace function private.now() returns timestamptz language plpgsql stable set search_path = ''
  as 'begin return (select at from private.test_clock); end'`;
const forward = async (milliseconds: number) => {
  vi.setSystemTime(Date.now() + milliseconds);
  await t.query`update private.test_clock set at = ${new Date().toISOString()}`;
};
const minutes = (count: number) => forward(count * 60_000);
beforeEach(async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
  await minutes(0);
});
afterEach(() => void vi.useRealTimers());

interface Asked {
  user: { id: string };
  /** Questions to this person, which hold a job, one after another. */
  ask(count?: number): Promise<void>;
}

/** A person with a paired account, who owns a product in which an agent works. */
async function pairedPerson(service: ChatServiceName, room: string, { bundle = false } = {}): Promise<Asked> {
  const { world, job } = await waitingJob(t);
  const { owner, product, stories } = world;
  await t.query`
    insert into public.chats (user_id, service, code_expires_at, account_id, account_name, room, confirmed_at, bundle)
    values (${owner.id}, ${service}, now(), ${room}, 'ada', ${room}, now(), ${bundle})`;
  const ask = async (count = 1) => {
    await t.query`
      insert into public.agent_questions (product_id, story_id, job_id, question, options, park, created_at)
      select ${product.id}, ${stories[0]?.id}, ${job.id}, 'Which way?', '[{"label": "Left"}, {"label": "Right"}]', true,
        private.now() + n * interval '1 microsecond' from generate_series(1, ${count}::integer) n`;
  };
  return { user: owner, ask };
}

describe("when something is sent", () => {
  const service = "telegram";
  const taken = async (...rooms: string[]) => {
    const works = (await takeChatWork(t.database, { service })).filter(({ room }) => rooms.includes(room));
    for (const { ids, room } of works) await noteChatWork(t.database, { ids, ref: `${room}:${Date.now()}` });
    return works.map(({ room, total }) => `${room} ${total}`).sort();
  };

  it("Collected questions come in one message, and the next message 15 minutes later has all that came since", async () => {
    const { ask } = await pairedPerson(service, "301", { bundle: true });
    await ask(2);
    expect(await taken("301")).toEqual(["301 2"]);
    await ask(150);
    await minutes(14.9);
    expect(await taken("301")).toEqual([]);
    await minutes(0.2);
    expect(await taken("301")).toEqual(["301 150"]);
    await ask();
    await minutes(1);
    expect(await taken("301")).toEqual([]);
  });

  it("The assignee is asked at once, and the owner too after 15 minutes without an answer", async () => {
    const owner = await pairedPerson(service, "302");
    const [{ id: productId } = { id: "" }] =
      await t.query`select id from public.products where owner_id = ${owner.user.id}`;
    const member = await t.createMember(productId);
    await t.query`
      insert into public.chats (user_id, service, code_expires_at, account_id, account_name, room, confirmed_at)
      values (${member.id}, ${service}, now(), '303', 'bob', '303', now())`;
    await owner.ask();
    await t.query`update public.agent_questions set assignee_id = ${member.id} where product_id = ${productId}`;
    expect(await taken("302", "303")).toEqual(["303 1"]);
    await minutes(14.9);
    expect(await taken("302", "303")).toEqual([]);
    await minutes(0.2);
    expect(await taken("302", "303")).toEqual(["302 1"]);
  });

  it("A connection stays with the process that holds it, and goes to another when that was silent for 20 seconds", async () => {
    const [first, second] = [randomUUID(), randomUUID()];
    const hold = (holder: string) => holdChat(t.database, { service, holder, state: "on" });
    expect(await hold(first)).toBe(true);
    await forward(19_000);
    expect(await hold(second)).toBe(false);
    await forward(2_000);
    expect(await hold(second)).toBe(true);
    expect(await hold(first)).toBe(false);
    await t.query`delete from public.chat_connections`;
  });

  it("A message that is to be tried again keeps its place before later ones, and holds up no other chat", async () => {
    const [ada, bob] = [await pairedPerson(service, "304"), await pairedPerson(service, "305")];
    await ada.ask();
    const [work] = (await takeChatWork(t.database, { service })).filter(({ room }) => room === "304");
    await noteChatWork(t.database, { ids: work?.ids ?? [], error: "Telegram asks to wait.", retry_seconds: 30 });
    await forward(1);
    await ada.ask();
    await bob.ask();
    expect(await taken("304", "305")).toEqual(["305 1"]);
    await minutes(0.6);
    const [again] = (await takeChatWork(t.database, { service })).filter(({ room }) => room === "304");
    expect(again?.ids).toEqual(work?.ids);
  });
});

const services: [ChatServiceName, () => Promise<FakeService>, roomOf: (n: number) => string][] = [
  ["telegram", () => openTelegram(), (n) => `40${n}`],
  ["slack", () => openSlack(), (n) => `D-${n}`],
  ["discord", () => openDiscord(), (n) => `90${n}`],
  ["matrix", () => openMatrix({ isLimited: true }), (n) => `!${n}`],
];

describe.each(services.map(([name, ...rest]) => [chatTitles[name], name, ...rest] as const))(
  "%s",
  (_title, name, openFake, roomOf) => {
    it("1,000 questions in an hour arrive in their order, within the limits of the service", {
      tags: ["thorough"],
    }, async () => {
      const fake = await openFake();
      // A homeserver takes a message each five seconds, if its operator does not lift that.
      const stepMilliseconds = name === "matrix" ? 5000 : paces[name].lookMilliseconds;
      await t.query`delete from public.chats`;
      const log = pino({ level: "silent" });
      const env = { chats: { [name]: fake.config }, appOrigin: "https://backloom.example.org" };
      const room = new Room(name, catalog[name], fake.config, { database: t.database, log, env });
      onTestFinished(async () => {
        await room.stop();
        await fake.close();
      });
      await room.look();
      await expect.poll(fake.connections).toBe(1);
      /** Looks until nothing is to be sent at once, or changed. */
      const settle = async (): Promise<void> => {
        for (let left = 1; left > 0; ) {
          await forward(stepMilliseconds);
          // As its timer does: a call that fails is made again.
          await room.look().catch(() => undefined);
          const rows = await t.query<{ left: number }>`
            select count(*)::integer as left from public.chat_messages m join public.chats c on c.id = m.chat_id
            join public.agent_questions q on q.id = m.question_id
            where c.service = ${name} and (m.state = 'queued' and not c.bundle or m.state = 'sent' and q.status <> 'OPEN')`;
          left = rows[0]?.left ?? 0;
        }
      };

      const collector = await pairedPerson(name, roomOf(0), { bundle: true });
      const others: Asked[] = [];
      for (let n = 1; n <= 9; n++) others.push(await pairedPerson(name, roomOf(n)));
      for (let quarter = 0; quarter < 4; quarter++) {
        // Half of them in one moment, as when a service that all agents need is gone.
        await collector.ask(142);
        for (const person of others) await person.ask(10);
        await settle();
        for (let n = 0; n < 2; n++) {
          for (const person of others) await person.ask();
          await settle();
        }
        await minutes(15);
      }
      await settle();
      // Each question was said once; in each room a message is about later ones than those before it.
      const rows = await t.query<{ room: string; ref: string; questions: number; is_in_order: boolean }>`
        select c.room, m.ref, count(*)::integer as questions,
          coalesce(min(q.created_at) > max(max(q.created_at)) over (partition by c.room order by min(q.created_at) rows between unbounded preceding and 1 preceding), true)
          and coalesce(min(m.sent_at) > max(max(m.sent_at)) over (partition by c.room order by min(q.created_at) rows between unbounded preceding and 1 preceding), true) as is_in_order
        from public.chat_messages m join public.chats c on c.id = m.chat_id join public.agent_questions q on q.id = m.question_id
        where c.service = ${name} and m.state = 'sent' group by c.room, m.ref`;
      expect(rows.reduce((sum, { questions }) => sum + questions, 0)).toBe(1000);
      expect(rows.filter((row) => !row.is_in_order)).toEqual([]);
      expect(rows.length).toBe(fake.messages.length);
      // Who collects them saw a list each quarter of an hour, which says how many there are.
      const lists = fake.messages.filter((message) => message.room === roomOf(0)).map(({ text }) => text.split("\n"));
      expect(lists.map(([head]) => head)).toEqual(Array(4).fill("142 questions for you:"));
      expect(lists[0]?.[21]).toBe("… and 122 more");

      await t.query`update public.agent_questions set status = 'CANCELLED' where status = 'OPEN'`;
      await settle();
      for (const { text, options } of fake.messages)
        expect([text, options]).toEqual([expect.stringContaining("No longer needed."), []]);
      // Each homeserver has its own limit, which only it knows.
      if (name !== "matrix") expect(fake.overruns).toEqual([]);
    });
  },
);
