import http from "node:http";
import { z } from "zod";

/**
 * Many who look at boards, in their own process. Each returns when its stream ends, as a browser does, with the id of the
 * last message. The tasks that are looked at change between two states, so the same state twice in a row means that a
 * change between them did not come.
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
}

const changeSchema = z.object({
  entity: z.literal("task"),
  id: z.string(),
  task_status: z.string(),
});
const finalsSchema = z.object({ finals: z.array(z.tuple([z.string(), z.string(), z.string()])) });
const readySchema = z.object({ resumed: z.boolean().optional() });
const counts = { opened: 0, resumed: 0, changes: 0, missed: 0, refused: 0 };
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
    if (readySchema.parse(JSON.parse(data)).resumed === true) counts.resumed += 1;
    else viewer.states.clear();
    return;
  }
  const change = event === undefined ? changeSchema.safeParse(JSON.parse(data)) : undefined;
  if (!change?.success) return;
  const { id, task_status: state } = change.data;
  counts.changes += 1;
  if (viewer.states.get(id) === state) counts.missed += 1;
  viewer.states.set(id, state);
}

function sawTheEnd({ board, states }: Viewer): boolean {
  const own = finals.filter(([productId]) => productId === board.productId);
  return own.length > 0 && own.every(([, id, state]) => states.get(id) === state);
}

process.on("message", (message) => {
  if (message === "stop") process.exit(0);
  const told = finalsSchema.safeParse(message);
  if (told.success) finals = told.data.finals;
  const asked = startSchema.safeParse(message);
  if (asked.success) {
    port = asked.data.port;
    const { boards, count } = asked.data;
    for (let n = 0; n < count; n++) {
      const board = boards[n % boards.length];
      if (!board) break;
      const viewer = { board, lastId: "", isOpen: false, states: new Map<string, string>() };
      viewers.push(viewer);
      setTimeout(() => open(viewer), n * 5);
    }
  }
  process.send?.({
    ...counts,
    open: viewers.filter(({ isOpen }) => isOpen).length,
    saw: viewers.filter(sawTheEnd).length,
  });
});
