import { expect, it } from "vitest";
import { programs } from "./programs";

/** Everything in app that opens a connection, and to where. An address that a user gives goes through the first alone. */
const allowed: Readonly<Record<string, string>> = {
  "app/outgoing/": "the one sender: guarded look-up, one deadline, few bytes",
  "app/db/": "the project's own Supabase, from the environment",
  "app/server/scheduler.server.ts": "this process's own scheduled endpoints",
  "app/server/http-server.ts": "listens",
  "app/server/with-previews.ts": "listens",
  "app/previews/": "a preview's program, over the connection that its worker opened",
  "app/chats/": "the chat services that the operator named, in the environment",
  "app/cli/": "commands of the operator on the operator's machine",
  "worker/": "the service that the worker was told to serve",
  "app/live/": "the browser, to the service it came from",
  "app/features/diff/changed-file.tsx": "the browser, to the service it came from",
  "app/features/diff/use-viewed.ts": "the browser, to the service it came from",
  "app/features/files/attach.tsx": "the browser, to the service it came from",
  "app/features/items/item-actions.ts": "the browser, to the service it came from",
  "app/features/transfers/import-parts.tsx": "the browser, to the service it came from",
  "app/features/output/use-job-stream.ts": "the browser, to the service it came from",
  "app/routes/_auth.login/use-pairing.ts": "the browser, to the service it came from",
  "app/routes/m.pair/": "the browser, to the service it came from",
};

const opensConnection =
  /(?<![.\w#])fetch\(|new (?:WebSocket|EventSource)\(|sendNotification|^import (?!type)[^;]*?from "(?:node:)?(?:https?|http2|tls|dgram|undici|ws|pg)"/m;
const connectsByNet = /^import (?!type)[^;]*?\b(?:connect|createConnection|Socket)\b[^;]*?from "node:net"/m;

const openers = programs
  .filter(({ code }) => opensConnection.test(code) || connectsByNet.test(code))
  .map(({ file }) => file);

it("Every outgoing request leaves by a module that is listed here with its destinations", () => {
  const places = Object.keys(allowed);
  expect(openers.filter((file) => !places.some((place) => file.startsWith(place)))).toEqual([]);
});

it("A request to an address from a user leaves by the one sender in app/outgoing", () => {
  expect(openers.some((file) => file.startsWith("app/outgoing/"))).toBe(true);
  expect(openers.filter((file) => /^app\/(notices|nouns|http|mcp|sse|realtime)\//.test(file))).toEqual([]);
});
