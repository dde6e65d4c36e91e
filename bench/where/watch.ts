import type { ServerBuild } from "@remix-run/node";
import type { Database } from "~/db/database.server";
import type { BuildSource } from "~/server/page-app";

/** Where the time of one answer goes, in milliseconds; `calls` counts those of the database. */
export interface Times {
  calls: number;
  database: number;
  /** Asking who the caller is. The API does that within its one call. */
  session: number;
  /** From the first loader's begin to the last one's end, the database included. */
  loaders: number;
  render: number;
  /** From there until the last byte has arrived. */
  compress: number;
  total: number;
}

/** Watches the app of this process answer one request at a time. */
export class Watch {
  #calls = 0;
  #database = 0;
  #session = 0;
  #began = Number.POSITIVE_INFINITY;
  #ended = 0;
  #rendered = 0;
  #render = 0;

  database = (database: Database): Database => {
    const timed = async (call: () => Promise<string>) => {
      const startedAt = performance.now();
      const answer = await call();
      this.#calls += 1;
      this.#database += performance.now() - startedAt;
      return answer;
    };
    return {
      ...database,
      callAs: (...given) => timed(() => database.callAs(...given)),
      call: (...given) => timed(() => database.call(...given)),
      authenticate: async (credential) => {
        const before = this.#database;
        const answer = await timed(() => database.authenticate(credential));
        this.#session += this.#database - before;
        return answer;
      },
    };
  };

  source = async (source: BuildSource): Promise<BuildSource> => {
    const { entry, routes, ...build } = await source.load();
    const draw = entry.module.default;
    const drawTimed: typeof draw = async (...given) => {
      const startedAt = performance.now();
      const answer = await draw(...given);
      this.#rendered = performance.now();
      this.#render += this.#rendered - startedAt;
      return answer;
    };
    const watched: ServerBuild = {
      ...build,
      entry: { module: { ...entry.module, default: drawTimed } },
      routes: Object.fromEntries(
        Object.entries(routes).map(([id, route]) => {
          if (!route) return [id, route];
          const { loader, action } = route.module;
          const module = { ...route.module, ...(loader && { loader: this.#timed(loader) }) };
          return [id, { ...route, module: { ...module, ...(action && { action: this.#timed(action) }) } }];
        }),
      ),
    };
    return { ...source, load: () => Promise.resolve(watched) };
  };

  #timed<Given extends unknown[], Answer>(
    load: (...given: Given) => Answer,
  ): (...given: Given) => Promise<Awaited<Answer>> {
    const timed = async (...given: Given): Promise<Awaited<Answer>> => {
      this.#began = Math.min(this.#began, performance.now());
      const answer = await load(...given);
      this.#ended = performance.now();
      return answer;
    };
    // What the front reads of a route's function, such as its methods.
    return Object.assign(timed, { ...load });
  }

  async times(ask: () => Promise<unknown>): Promise<Times> {
    [this.#calls, this.#database, this.#session, this.#render, this.#rendered] = [0, 0, 0, 0, 0];
    [this.#began, this.#ended] = [Number.POSITIVE_INFINITY, 0];
    const startedAt = performance.now();
    await ask();
    const endedAt = performance.now();
    const [calls, database, session, render] = [this.#calls, this.#database, this.#session, this.#render];
    const loaders = Math.max(0, this.#ended - this.#began);
    const compress = endedAt - (this.#rendered || this.#ended || endedAt);
    return { calls, database, session, loaders, render, compress, total: endedAt - startedAt };
  }
}
