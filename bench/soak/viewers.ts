import http from "node:http";
import { z } from "zod";

/**
 * Many who look at boards, in their own process. Each returns when its stream ends, as a browser does, with the id of the
 * last message. The changes of a task are numbered in its title, so a number that is left out is a change that did not come.
 * That is all right only when the stream says soon afterwards that all is to be read again.
 */
const startSchema = z.object({
  port: z.number(),
  count: z.number(),
  boards: z.array(z.object({ productId: z.string(), token: z.string() })),
});

interface Viewer {
  board: { productId: string; token: string };
  lastId: string;
  isOpen: boolean;
  /** The state of each task as it came last; forgotten when the stream says that all is to be read again. */
  states: Map<string, string>;
  /** The number of each task's last change, likewise. */
  numbers: Map<string, number>;
  /** Changes that did not come, and of which the stream has said nothing yet. */
  gaps: Gap[];
  /** How the stream began that is open, and when. */
  began: { how: string; at: number };
}

type Gap = { count: number; at: number; story: string };

const changeSchema = z.object({
  entity: z.literal("task"),
  id: z.string(),
  task_status: z.string(),
  task_title: z.string(),
});
const finalsSchema = z.object({ finals: z.array(z.tuple([z.string(), z.string(), z.string()])) });
const readySchema = z.object({ resumed: z.boolean().optional() });
const counts = { opened: 0, resumed: 0, changes: 0, announced: 0, announcedAfter: 0, repeated: 0, refused: 0 };
const viewers: Viewer[] = [];
const agent = new http.Agent({ maxSockets: Number.POSITIVE_INFINITY });
let port = 0;
/** The last change of each task, which everyone who looks at its board has to see. */
let finals: z.infer<typeof finalsSchema>["finals"] = [];

function open(viewer: Viewer): void {
  const { productId, token } = viewer.board;
  const headers: Record<string, string> = { authorization: `Bearer ${token}` };
  if (viewer.lastId) headers["last-event-id"] = viewer.lastId;
  const path = `/api/realtime/solo?product_id=${productId}`;
  const comeBack = () => {
    viewer.isOpen = false;
    setTimeout(() => open(viewer), 500 + Math.random() * 1_500);
  };
  let isAnswered = false;
  const request = http.get({ host: "127.0.0.1", port, path, headers, agent }, (response) => {
    isAnswered = true;
    if (response.statusCode !== 200) {
      counts.refused += 1;
      response.resume();
      response.once("close", comeBack);
      return;
    }
    counts.opened += 1;
    let rest = "";
    response.setEncoding("utf8");
    response.on("data", (chunk: string) => {
      const blocks = (rest + chunk).split("\n\n");
      rest = blocks.pop() ?? "";
      for (const block of blocks) take(viewer, block);
    });
    response.on("error", () => undefined);
    response.once("close", comeBack);
  });
  request.once("error", () => {
    if (!isAnswered) comeBack();
  });
}

function take(viewer: Viewer, block: string): void {
  const field = (name: string) => new RegExp(`^${name}: (.*)$`, "m").exec(block)?.[1];
  const data = field("data");
  if (data === undefined) return;
  viewer.lastId = field("id") ?? viewer.lastId;
  const event = field("event");
  if (event === "ready") {
    viewer.isOpen = true;
    const isResumed = readySchema.parse(JSON.parse(data)).resumed === true;
    viewer.began = { how: isResumed ? "resumed" : "read", at: Date.now() };
    if (isResumed) counts.resumed += 1;
    else startOver(viewer);
    return;
  }
  const change = event === undefined ? changeSchema.safeParse(JSON.parse(data)) : undefined;
  if (!change?.success) return;
  const { id, task_status: state, task_title: title } = change.data;
  counts.changes += 1;
  viewer.states.set(id, state);
  count(viewer, id, Number(/^Change (\d+)$/.exec(title)?.[1]));
}

function count(viewer: Viewer, id: string, number: number): void {
  const last = viewer.numbers.get(id);
  if (Number.isNaN(number)) return;
  if (last !== undefined && number <= last) counts.repeated += 1;
  if (last !== undefined && number > last + 1) {
    const { how, at } = viewer.began;
    const story = `${id} ${last}, then ${number}, ${(Date.now() - at) / 1_000} s after the stream was ${how} (${viewer.lastId})`;
    viewer.gaps.push({ count: number - last - 1, at: Date.now(), story });
  }
  viewer.numbers.set(id, number);
}

/** The stream says that all is to be read again: with that it owns up to what did not come. */
function startOver(viewer: Viewer): void {
  for (const { count: changes, at } of viewer.gaps) {
    counts.announced += changes;
    counts.announcedAfter = Math.max(counts.announcedAfter, (Date.now() - at) / 1_000);
  }
  viewer.gaps = [];
  viewer.states.clear();
  viewer.numbers.clear();
}

function sawTheEnd({ board, states }: Viewer): boolean {
  const own = finals.filter(([productId]) => productId === board.productId);
  return own.length > 0 && own.every(([, id, state]) => states.get(id) === state);
}

process.on("message", (message) => {
  if (message === "stop") process.exit(0);
  const announced = finalsSchema.safeParse(message);
  if (announced.success) finals = announced.data.finals;
  const start = startSchema.safeParse(message);
  if (start.success) {
    port = start.data.port;
    const { boards, count } = start.data;
    for (let n = 0; n < count; n++) {
      const board = boards[n % boards.length];
      if (!board) break;
      const viewer: Viewer = {
        board,
        lastId: "",
        isOpen: false,
        gaps: [],
        began: { how: "", at: 0 },
        states: new Map(),
        numbers: new Map(),
      };
      viewers.push(viewer);
      setTimeout(() => open(viewer), n * 5);
    }
  }
  const gaps = viewers.flatMap((viewer) => viewer.gaps);
  process.send?.({
    ...counts,
    missed: gaps.reduce((sum, gap) => sum + gap.count, 0),
    stories: gaps.slice(0, 5).map(({ story }) => story),
    open: viewers.filter(({ isOpen }) => isOpen).length,
    saw: viewers.filter(sawTheEnd).length,
  });
});
