import { describe, expect, it } from "vitest";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { roundsOf } from "../setup/rounds";
import type { StreamMessage } from "./stream-reader";
import { openStream } from "./stream-reader";
import { addMember, createStory, createTask, createWorld, removeMember } from "./world";

const embedded = await createTestDatabase({ realtime: true });
const hosted = await createTestDatabase({ realtime: {} });
const sources = [
  { source: "embedded", t: embedded, app: await startTestApp(embedded), share: 1 },
  { source: "hosted", t: hosted, app: await startTestApp(hosted), share: 0.2 },
];
const allWrites = roundsOf("EXACT_WRITES", { whole: 1_000, short: 400 });
const writers = 4;
const streams = 20;

type Row = { id: string; assigneeId: string | null; written: string[] };

/**
 * Titles of one row's updates, in the order in which a stream delivered them since it last said `ready`: one that was
 * cut off from its source says so again, and its reader reads again what it missed.
 */
function titlesOf(messages: readonly StreamMessage[], id: string): unknown[] {
  const ready = messages.findLastIndex(({ event }) => event === "ready");
  return messages
    .slice(ready)
    .filter(({ data }) => data.id === id && data.op === "U")
    .map(({ data }) => data.task_title);
}

describe.each(sources)("many writers beside many streams, $source", ({ t, app, share }) => {
  const writes = allWrites * share;
  it(`${writes} writes: each of ${streams} streams gets exactly what its filter allows, in order per row, none twice`, async () => {
    const w = await createWorld(t);
    const people = await Promise.all(Array.from({ length: streams - 1 }, () => t.createUser()));
    for (const person of people) await addMember(t, w.productId, person.id);
    await removeMember(t, w.productId, w.stranger.id);

    const rows: Row[] = [];
    for (const assignee of [w.member, ...people]) {
      const storyId = await createStory(t, { ...w, assigneeId: assignee.id });
      rows.push({ id: await createTask(t, storyId), assigneeId: assignee.id, written: [] });
    }
    const readers = await Promise.all(
      [w.member, ...people].map(async (person) => {
        const url = `${app.origin}/api/realtime/solo?product_id=${w.productId}`;
        const reader = await openStream(url, await t.bearerOf(person));
        await reader.nextNamed("workers");
        return { person, reader };
      }),
    );

    let number = 0;
    await Promise.all(
      Array.from({ length: writers }, async (_, writer) => {
        // A row belongs to one writer, so that what was written to it has one order.
        const own = rows.filter((_row, index) => index % writers === writer);
        while (number < writes) {
          number += 1;
          const row = own[number % own.length];
          if (!row) throw new Error("A writer has no row");
          const title = `write ${number}`;
          row.written.push(title);
          await t.query`update public.tasks set title = ${title} where id = ${row.id}`;
        }
      }),
    );
    for (const row of rows) {
      row.written.push("last");
      await t.query`update public.tasks set title = 'last' where id = ${row.id}`;
    }

    for (const { person, reader } of readers) {
      const mine = rows.find(({ assigneeId }) => assigneeId === person.id);
      if (!mine) throw new Error("A person has no row");
      await reader.nextWhere(({ data }) => data.id === mine.id && data.task_title === "last");
      const titles = titlesOf(reader.messages, mine.id);
      const greetings = reader.messages.filter(({ event }) => event === "ready").length;
      expect(titles).toEqual(greetings === 1 ? mine.written : mine.written.slice(-titles.length));
      const others = reader.messages.filter(({ event, data }) => event === "message" && data.id !== mine.id);
      expect(others).toEqual([]);
      reader.close();
    }
  }, 300_000);
});
