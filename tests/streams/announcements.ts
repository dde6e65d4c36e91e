import { z } from "zod";
import { changeEventSchema } from "~/wire/events";
import type { TestDatabase } from "../setup/database";

const rowSchema = z.object({ topic: z.string(), payload: changeEventSchema });

/** Every event of every message that was sent. */
export const sentEvents = `select m.topic, e.value as payload
  from realtime.messages m cross join jsonb_array_elements(m.payload -> 'events') as e`;

/** What left the database; each look takes away what it saw. */
export function announcements(t: TestDatabase) {
  /** In the order of the numbers that the events took. */
  async function announced(topic?: string) {
    const { rows } = await t.sql.query(
      `select topic, payload from (${sentEvents}) sent order by (payload ->> 'seq')::bigint`,
    );
    await t.query`delete from realtime.messages`;
    const events = z.array(rowSchema).parse(rows);
    return events.filter((event) => topic === undefined || event.topic === topic);
  }

  async function eventsOf(productId: string, entity: string) {
    const events = await announced(`product:${productId}`);
    return events.map(({ payload }) => payload).filter((payload) => payload.entity === entity);
  }

  return { announced, eventsOf };
}
