import { setTimeout as wait } from "node:timers/promises";
import pg from "pg";
import { z } from "zod";

const answerSchema = z.array(z.object({ all_visible: z.boolean() })).length(1);

/** WAL has only the lower half of an id; the full one is nearest to the newest, which a logged commit may exceed. */
const question = `
  with now as (select pg_current_snapshot() as snapshot),
  newest as (select snapshot, pg_snapshot_xmax(snapshot)::text::bigint as id from now)
  select bool_and(pg_visible_in_snapshot(
    (newest.id + ((x.id - newest.id + 2147483648) & 4294967295) - 2147483648)::text::xid8, newest.snapshot)) as all_visible
  from newest, unnest($1::bigint[]) as x (id)`;

/** If transactions end faster than queries are answered, those of this many milliseconds share one query. */
const gatherFor = 4;

export interface Transaction<T> {
  id: number;
  messages: T[];
}

/** WAL reports a commit before snapshots include it: a reader who joins then would neither receive nor read it. */
export class VisibleTransactions<T> {
  #waiting: Transaction<T>[] = [];
  #draining: Promise<void> | undefined;

  constructor(
    private readonly client: pg.Client,
    private readonly deliver: (message: T) => void,
  ) {}

  static async open<T>(
    databaseUrl: string,
    deliver: (message: T) => void,
    onLost: () => void,
  ): Promise<VisibleTransactions<T>> {
    const client = new pg.Client({
      connectionString: databaseUrl,
      application_name: "backloom realtime visibility",
      query_timeout: 20_000,
    });
    client.on("error", onLost);
    await client.connect();
    return new VisibleTransactions(client, deliver);
  }

  /** Never rejects. If the database is lost, waiting transactions are lost too, and `onLost` is called. */
  push(transaction: Transaction<T>, onLost: () => void): void {
    this.#waiting.push(transaction);
    this.#draining ??= this.#drain()
      .catch(onLost)
      .finally(() => {
        this.#draining = undefined;
      });
  }

  async close(): Promise<void> {
    this.#waiting = [];
    await this.client.end().catch(() => undefined);
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting;
      this.#waiting = [];
      const ids = batch.map(({ id }) => id);
      while (!(await this.#areVisible(ids))) await wait(1);
      for (const { messages } of batch) messages.forEach(this.deliver);
      if (this.#waiting.length > 0) await wait(gatherFor);
    }
  }

  async #areVisible(ids: number[]): Promise<boolean> {
    const { rows } = await this.client.query({ name: "visible", text: question, values: [ids] });
    return answerSchema.parse(rows).every((row) => row.all_visible);
  }
}
