import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { tunnelPath } from "~/previews/tunnel.server";
import { rawGet, rawRequest } from "../setup/raw-request";
import { openPreviews } from "./preview-scene";

const { t, app, owner, token, product, hostOf, seedPreview, openPreview, ticketFor, enter, send, ask, openSocket } =
  await openPreviews();

it("A request reaches the program of a preview, an answer comes back, and nothing of ours is with it", async () => {
  const { id } = await openPreview();
  const cookie = await enter(id);
  const origin = `http://${hostOf(id)}`;
  const { status, headers, body } = await ask(id, "/a?b=%20c", {
    method: "POST",
    body: Buffer.alloc(1_000_000),
    headers: {
      cookie: `app=1; ${cookie}; __Host-backloom-preview=x`,
      authorization: "Bearer blm_secret",
      "x-backloom-anything": "1",
      "x-forwarded-for": "6.6.6.6",
      forwarded: "for=6.6.6.6",
      origin,
      referer: `${origin}/start?x=1`,
    },
  });
  expect([status, JSON.parse(body)]).toEqual([
    200,
    {
      url: "/a?b=%20c",
      bytes: 1_000_000,
      headers: {
        cookie: "app=1",
        host: "localhost:3000",
        origin: "http://localhost:3000",
        referer: "http://localhost:3000/start?x=1",
        "x-forwarded-for": "127.0.0.1",
        "x-forwarded-host": hostOf(id),
        "x-forwarded-proto": "http",
        via: "1.1 backloom-preview",
        connection: "close",
        "content-length": "1000000",
      },
    },
  ]);
  expect(headers).toMatchObject({
    "cross-origin-opener-policy": "same-origin",
    "referrer-policy": "same-origin",
    "x-robots-tag": "noindex",
    "x-accel-buffering": "no",
  });
});

it("A worker that opens connections for a preview without using them keeps only the newest", async () => {
  const id = await seedPreview();
  const open = () => {
    const headers = { authorization: `Bearer ${token}` };
    return new WebSocket(`ws://127.0.0.1:${app.port}${tunnelPath}?preview=${id}`, "backloom-preview.1", { headers });
  };
  const first = open();
  const ended = once(first, "close");
  await once(first, "open");
  const second = open();
  await Promise.all([once(second, "open"), ended]);
  expect(second.readyState).toBe(WebSocket.OPEN);
  second.terminate();
});

it("Each part of a stream arrives by itself, and the program hears when its reader leaves", async () => {
  let left: () => void = () => undefined;
  const hasLeft = new Promise<void>((resolve) => {
    left = resolve;
  });
  const { id, server } = await openPreview((_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
    server.once("next", () => response.write("data: 2\n\n"));
    response.once("close", () => left());
  });
  const answer = await send(id, "/events", { headers: { cookie: await enter(id) } });
  expect(String((await once(answer, "data"))[0])).toBe("data: 1\n\n");
  server.emit("next");
  expect(String((await once(answer, "data"))[0])).toBe("data: 2\n\n");
  answer.destroy();
  await hasLeft;
});

it("A WebSocket keeps its address, protocol and messages, and ends on both sides", async () => {
  const { id, sockets } = await openPreview();
  const socket = openSocket(id, await enter(id), { origin: `http://${hostOf(id)}` }, ["vite-hmr"]);
  const [peer, asked] = await once(sockets, "connection");
  expect([asked.url, asked.headers.host, asked.headers.origin, asked.headers.cookie]).toEqual([
    "/hot?token=1",
    "localhost:3000",
    "http://localhost:3000",
    undefined,
  ]);
  if (socket.readyState !== WebSocket.OPEN) await once(socket, "open");
  expect(socket.protocol).toBe("vite-hmr");
  const large = "x".repeat(300_000);
  socket.send(large);
  expect(String((await once(socket, "message"))[0])).toBe(large);
  socket.close();
  await once(peer, "close");
});

/** All of an answer but its time. */
async function answerTo(id: string, path: string, headers: Record<string, string> = {}) {
  const { status, headers: given, body } = await ask(id, path, { headers });
  const { date: _, ...rest } = given;
  return { status, headers: rest, body };
}

it("Who may not see a preview cannot distinguish it from one that never was", async () => {
  const { id } = await openPreview();
  const [ended, other] = [await seedPreview(), await seedPreview()];
  const outsider = await t.createUser();
  const used = await ticketFor(id);
  await ask(id, `/.backloom/enter?ticket=${used}`);
  const cookie = await enter(id);
  const ofOther = await enter(other);
  const [late, ofRemoved] = [await ticketFor(id), await enter(id, outsider)];
  await t.query`update preview_tickets set expires_at = now() - interval '1 s'`;
  await t.query`update previews set state = 'stopped', stopped_by = 'idle' where id = ${ended}`;
  const nothing = await answerTo("0".repeat(32), "/");
  expect(nothing.status).toBe(404);
  const cases: [string, string, Record<string, string>][] = [
    [id, "/", {}],
    [ended, "/", {}],
    ["www", "/", {}],
    [id, `/.backloom/enter?ticket=${used}`, { cookie }],
    [id, `/.backloom/enter?ticket=${late}`, {}],
    [id, `/.backloom/enter?ticket=${await ticketFor(other)}`, {}],
    [id, "/.backloom/enter", {}],
    [id, "/.backloom", { cookie }],
    [id, "/", { cookie: ofOther }],
    [id, "/", { cookie: cookie.replace(/.$/, (last) => (last === "A" ? "E" : "A")) }],
    // A cookie is good for as long as its person is a member.
    [id, "/", { cookie: ofRemoved }],
    [id, "/", { cookie: await app.signIn(owner) }],
    [id, "/api/health", {}],
  ];
  for (const [of, path, headers] of cases) expect(await answerTo(of, path, headers), path).toEqual(nothing);
  expect(await rawRequest(app.port, rawGet("/", [`Host: ${hostOf(id)}`, "Host: localhost"]))).toMatchObject({
    status: 400,
  });
});

it("A preview that has ended says so to its viewers, and clears what it kept but no cookies", async () => {
  const { id } = await openPreview();
  const cookie = await enter(id);
  await t.query`update previews set state = 'stopped', stopped_by = 'person' where id = ${id}`;
  const { status, headers, body } = await ask(id, "/", { headers: { cookie } });
  expect([status, headers["clear-site-data"], body]).toEqual([
    410,
    '"cache", "storage"',
    expect.stringContaining("This preview has ended"),
  ]);
});

it("A preview waits for a worker that was cut off, and continues once it is back", async () => {
  const { id, tunnel } = await openPreview();
  const cookie = await enter(id);
  await tunnel.close();
  await expect
    .poll(async () => (await ask(id, "/", { headers: { cookie } })).status, { message: "the service saw the end" })
    .toBe(503);
});

it("Only the worker of a preview opens the way to it, with its token and nothing else", async () => {
  const id = await seedPreview();
  const bearer = { authorization: `Bearer ${token}` };
  const stranger = { authorization: `Bearer ${await t.createToken(await t.createUser())}` };
  const member = { authorization: `Bearer ${await t.createToken(await t.createMember(product.id))}` };
  const cases: [number, string, Record<string, string>, string?][] = [
    [401, id, { cookie: await app.signIn(owner) }],
    [401, id, { authorization: "Basic eDp5" }],
    [404, id, { authorization: "Bearer blm_wrong" }],
    [404, id, stranger],
    [404, id, member],
    [404, "0".repeat(32), bearer],
    [404, "", bearer],
    [403, id, { ...bearer, origin: app.origin }],
    [400, id, bearer, "other"],
  ];
  for (const [status, of, headers, protocol = "backloom-preview.1"] of cases) {
    const socket = new WebSocket(`${app.origin}/api/workers/preview?preview=${of}`, protocol, { headers });
    const [, answer] = await once(socket, "unexpected-response");
    expect(answer.statusCode, JSON.stringify(headers)).toBe(status);
    answer.destroy();
  }
});

describe("what a program says is not taken at its word", () => {
  const hostile = {
    "strict-transport-security": "max-age=1; includeSubDomains",
    "clear-site-data": '"cookies"',
    "alt-svc": 'h3="evil.example:443"',
    "x-accel-redirect": "/internal/secrets",
    "x-sendfile": "/etc/passwd",
    "x-backloom-anything": "1",
    "keep-alive": "timeout=9",
    "x-accel-buffering": "yes",
    "content-security-policy": "default-src 'self'",
    "x-frame-options": "SAMEORIGIN",
    "cross-origin-opener-policy": "unsafe-none",
    location: "http://127.0.0.1:3000/next",
    refresh: "1; url=http://localhost:3000/soon",
    "set-cookie": [
      "app=1; Domain=localhost; Path=/a; HttpOnly",
      "__Host-backloom-preview=x; Path=/; Secure",
      "backloom-preview=x",
      " BACKLOOM_session_3000=x",
      "=backloom-preview=x",
    ],
  };

  it("A program says nothing to the domain, to the proxy in front, or in our name", async () => {
    const { id } = await openPreview((_, response) => response.writeHead(200, hostile).end());
    const { headers } = await ask(id, "/", { headers: { cookie: await enter(id) } });
    const { date: _, connection: __, ...rest } = headers;
    expect(rest).toEqual({
      "content-security-policy": "default-src 'self'",
      "x-frame-options": "SAMEORIGIN",
      "cross-origin-opener-policy": "unsafe-none",
      "referrer-policy": "same-origin",
      "x-robots-tag": "noindex",
      "cdn-cache-control": "no-store",
      "x-accel-buffering": "no",
      location: `http://${hostOf(id)}/next`,
      refresh: `1; url=http://${hostOf(id)}/soon`,
      "set-cookie": ["app=1; Path=/a; HttpOnly"],
      "transfer-encoding": "chunked",
    });
  });

  it("An address of another port or host stays as it is", async () => {
    const { id } = await openPreview((asked, response) => {
      response.writeHead(302, { location: decodeURIComponent(asked.url?.slice(2) ?? "") }).end();
    });
    const cookie = await enter(id);
    for (const location of ["/next", "http://localhost:30001/", "https://example.com/", "//localhost:4000/"]) {
      const { headers } = await ask(id, `/?${encodeURIComponent(location)}`, { headers: { cookie } });
      expect(headers.location).toBe(location);
    }
  });

  it("An answer without end stops when its reader stops, and costs no memory", async () => {
    let sent = 0;
    const { id } = await openPreview((_, response) => {
      const part = Buffer.alloc(65_536);
      const more = () => {
        while (response.write(part)) sent += part.length;
        response.once("drain", more);
      };
      more();
    });
    const answer = await send(id, "/", { headers: { cookie: await enter(id) } });
    answer.pause();
    const seen = [-1];
    await expect.poll(() => seen.at(-1) === sent || void seen.push(sent), { interval: 300 }).toBe(true);
    expect(sent).toBeLessThan(30_000_000);
    answer.destroy();
  });

  it("A program that breaks off breaks the answer off, so that no half of it is taken for whole", async () => {
    const { id } = await openPreview((asked, response) => {
      if (asked.url === "/half") response.writeHead(200, { "content-length": 100 }).write("half");
      setTimeout(() => response.destroy(), 50);
    });
    const cookie = await enter(id);
    expect((await ask(id, "/", { headers: { cookie } })).status).toBe(502);
    await expect(ask(id, "/half", { headers: { cookie } })).rejects.toThrow("aborted");
  });
});

describe("what others ask of a preview is refused", () => {
  const navigation = { "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" };
  const cases: [number, string, Record<string, string>, string?][] = [
    [200, "its own page", { "sec-fetch-site": "same-origin" }],
    [200, "a link of the service", { "sec-fetch-site": "cross-site", ...navigation }],
    [403, "a form of another site", { "sec-fetch-site": "cross-site", ...navigation }, "POST"],
    [403, "a frame of another preview", { "sec-fetch-site": "same-site", ...navigation, "sec-fetch-dest": "iframe" }],
    [403, "a script of another preview", { "sec-fetch-site": "same-site", "sec-fetch-mode": "no-cors" }],
    [403, "a page of another origin", { origin: "http://evil.example" }],
    [403, "the script of a service worker", { "sec-fetch-site": "same-origin", "service-worker": "script" }],
    [403, "a page without an origin", { origin: "null" }, "POST"],
    [508, "the program itself, again and again", { via: Array(6).fill("1.1 backloom-preview").join(", ") }],
    [413, "an upload of more than 25 MB", { "content-length": String(26 * 1024 * 1024) }, "POST"],
  ];
  it.each(cases)("%i for %s", async (status, _, headers, method = "GET") => {
    const { id } = await openPreview();
    expect((await ask(id, "/", { method, headers: { cookie: await enter(id), ...headers } })).status).toBe(status);
  });

  it("An upload that does not say its length ends at 25 MB", async () => {
    const { id } = await openPreview();
    const headers = { cookie: await enter(id), "transfer-encoding": "chunked" };
    const upload = ask(id, "/", { method: "POST", body: Buffer.alloc(26 * 1024 * 1024), headers });
    expect((await upload.catch(() => ({ status: 413 }))).status).toBe(413);
  });

  it("The body of a request that does not say its length never becomes a second request", async () => {
    const { id } = await openPreview();
    const body = "POST /other HTTP/1.1\r\nhost: localhost\r\n\r\n";
    const headers = { cookie: await enter(id), "transfer-encoding": "chunked" };
    expect(JSON.parse((await ask(id, "/", { body, headers })).body)).toMatchObject({ url: "/", bytes: body.length });
  });

  it("403 for a WebSocket of another page, 404 for one of a stranger", async () => {
    const { id } = await openPreview();
    const cookie = await enter(id);
    for (const [status, given, origin] of [
      [403, cookie, "null"],
      [403, cookie, app.origin],
      [404, "", `http://${hostOf(id)}`],
    ] as const) {
      const [, answer] = await once(openSocket(id, given, { origin }), "unexpected-response");
      expect(answer.statusCode).toBe(status);
      answer.destroy();
    }
  });
});

it("A viewer who asks for more than there is room for holds up no other", async () => {
  const visitor = await t.createMember(product.id, { demo: true });
  const held: ServerResponse[] = [];
  let isHolding = true;
  const { id } = await openPreview(({ url }, response) => {
    if (url === "/held" && isHolding) held.push(response);
    else response.end();
  });
  const [cookie, other] = [await enter(id, visitor), await enter(id)];
  let answered = 0;
  const asked = Array.from({ length: 120 }, async () => {
    const { status } = await ask(id, "/held", { headers: { cookie } });
    answered += 1;
    return status;
  });
  await expect.poll(() => held.length).toBe(50);
  expect([(await ask(id, "/", { headers: { cookie: other } })).status, answered]).toEqual([200, 0]);
  isHolding = false;
  for (const response of held) response.end();
  expect(await Promise.all(asked)).toEqual(Array(120).fill(200));
});

it("A page of a preview asks nothing of the service", async () => {
  const id = await seedPreview();
  const cookie = await app.signIn(owner);
  for (const path of ["/api/products", "/mcp", "/api/health", "/token"]) {
    for (const method of ["GET", "POST"]) {
      const headers = { cookie, authorization: `Bearer ${token}`, origin: `http://${hostOf(id)}` };
      expect((await app.request(path, { method, headers })).status, `${method} ${path}`).toBe(403);
    }
  }
});

it("A program with names of its own is asked by its public one", async () => {
  const { id } = await openPreview(undefined, "keep");
  const origin = `http://${hostOf(id)}`;
  const { body } = await ask(id, "/", { headers: { cookie: await enter(id), origin } });
  expect(JSON.parse(body).headers).toMatchObject({ host: hostOf(id), origin });
});

it("A request for another protocol gets the usual response", async () => {
  const wish = ["Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk"];
  const message = ["GET /api/health HTTP/1.1", "Host: localhost", ...wish, "", ""].join("\r\n");
  expect(await rawRequest(app.port, message)).toMatchObject({ status: 200 });
  const { id } = await openPreview();
  const own = [`Host: ${hostOf(id)}`, `Cookie: ${await enter(id)}`, "Content-Length: 5"];
  const post = ["POST / HTTP/1.1", ...own, ...wish, "", "hello"].join("\r\n");
  expect((await rawRequest(app.port, post)).body).toContain('"bytes":5');
});

/** Longer than three seconds each: they wait for the clocks of the service. */
describe("what is open ends in time", { tags: "thorough" }, () => {
  const endless = () => openPreview((_, response) => void response.writeHead(200).write("data"));

  it("A removed member with an open stream and an open WebSocket is out within ten seconds", async () => {
    const { id } = await endless();
    const member = await t.createMember(product.id);
    const cookie = await enter(id, member);
    const stream = await send(id, "/", { headers: { cookie } });
    const socket = openSocket(id, cookie);
    await Promise.all([once(socket, "open"), once(stream, "data")]);
    const ended = Promise.all([once(socket, "close"), once(stream, "error")]);
    await t.query`delete from product_members where user_id = ${member.id}`;
    const removedAt = performance.now();
    await ended;
    expect(performance.now() - removedAt).toBeLessThan(10_000);
    expect((await ask(id, "/", { headers: { cookie } })).status).toBe(404);
  });

  it("A session that is ended elsewhere ends its previews, too", async () => {
    const { id } = await endless();
    const stream = await send(id, "/", { headers: { cookie: await enter(id) } });
    await t.query`update user_sessions set revoked_at = now()`;
    stream.resume();
    await once(stream, "error");
  });

  it("A preview ends within 30 seconds of its worker, streams at once", async () => {
    const { id, end } = await endless();
    const cookie = await enter(id);
    const stream = await send(id, "/", { headers: { cookie } });
    stream.resume();
    const cut = once(stream, "error");
    await end();
    await cut;
    const status = async () => (await ask(id, "/", { headers: { cookie } })).status;
    await expect.poll(status, { timeout: 30_000, interval: 1_000 }).toBe(410);
  });

  it("A program that does not begin to answer is given up after 30 seconds, and what it says later harms no one", async () => {
    let late: ServerResponse | undefined;
    const { id } = await openPreview((asked, response) => {
      if (asked.url === "/first") response.write("It has begun");
      if (asked.url === "/second") late = response;
    });
    const cookie = await enter(id);
    // On one connection, so that the second 504 waits behind the first response when the program responds.
    const pair = connect(app.port, "127.0.0.1").on("error", () => undefined);
    for (const path of ["/first", "/second"]) {
      pair.write(`GET ${path} HTTP/1.1\r\nhost: ${hostOf(id)}\r\ncookie: ${cookie}\r\n\r\n`);
    }
    expect((await ask(id, "/", { headers: { cookie } })).status).toBe(504);
    await expect.poll(() => late?.closed, { timeout: 10_000 }).toBe(true);
    late?.end("Here I am");
    expect((await app.request("/api/health")).status).toBe(200);
    pair.destroy();
  });
});
