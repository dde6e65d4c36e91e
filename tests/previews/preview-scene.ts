import { createHash, randomBytes } from "node:crypto";
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type ServerResponse,
} from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket, WebSocketServer } from "ws";
import { openTunnel } from "../../worker/previews/tunnel";
import { openBacklog } from "../setup/app";
import { atTheEnd } from "../setup/at-the-end";

export type Asked = { method?: string; headers?: OutgoingHttpHeaders; body?: string | Buffer };

type Program = (request: IncomingMessage, response: ServerResponse) => void;

/** Says what it was asked. */
const echo: Program = (asked, response) => {
  let bytes = 0;
  asked.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
  });
  asked.on("end", () => response.end(JSON.stringify({ url: asked.url, headers: asked.headers, bytes })));
};

/** A service with a job in review, whose previews are programs here, behind Unix sockets. */
export async function openPreviews(options: Parameters<typeof openBacklog>[0] = {}) {
  const { t, app, owner, token, backlog } = await openBacklog(options);
  const { product, task } = backlog;
  const { rows } = await t.sql.query(`insert into agent_workers (user_id, name) values ($1, 'desk') returning id`, [
    owner.id,
  ]);
  const workerId = String(rows[0]?.id);

  // A job has one preview at a time.
  await t.query`alter table agent_jobs disable trigger user`;
  await t.query`
    insert into agent_jobs (product_id, task_id, lane_id, kind, status, finished_at)
    select ${product.id}, ${task.id}, gen_random_uuid(), 'TASK_IMPLEMENTATION', 'DONE', now() from generate_series(1, 50)`;
  await t.query`alter table agent_jobs enable trigger user`;

  const hostOf = (id: string) => `${id}.localhost:${app.port}`;

  async function seedPreview(): Promise<string> {
    const rows = await t.query`insert into previews (product_id, job_id, worker_id, head_sha, state, heard_at)
       select ${product.id}, j.id, ${workerId}, 'abc', 'ready', now() + interval '1 h' from agent_jobs j
       where j.status = 'DONE' and not exists (select from previews p where p.job_id = j.id) limit 1 returning id`;
    return String(rows[0]?.id);
  }

  async function openPreview(program: Program = echo, host: "rewrite" | "keep" = "rewrite") {
    const id = await seedPreview();
    const path = join(tmpdir(), `preview-${randomBytes(6).toString("hex")}`);
    const server = createServer(program);
    const sockets = new WebSocketServer({ server, handleProtocols: (offered) => [...offered][0] ?? false });
    sockets.on("connection", (socket, { headers }) => {
      socket.on("error", () => socket.terminate());
      socket.on("message", (data) => socket.send(String(data) === "headers" ? JSON.stringify(headers) : data));
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
    const reach = () => ({ connect: () => connect(path), port: 3000, host });
    const tunnel = openTunnel({ service: app.origin, token, previewId: id, reach });
    await tunnel.opened;
    const end = async () => {
      await tunnel.close();
      for (const socket of sockets.clients) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
    atTheEnd(end);
    return { id, server, sockets, tunnel, end };
  }

  /** What leads someone to a preview, as the service's page does. */
  async function ticketFor(id: string, user: { id: string } = owner): Promise<string> {
    const ticket = randomBytes(32).toString("base64url");
    const hash = createHash("sha256").update(ticket).digest();
    await app.signIn(user);
    await t.query`insert into preview_tickets (ticket_hash, preview_id, user_id, session_id, expires_at)
       select ${hash}, ${id}, ${user.id}, s.id, now() + interval '30 s' from user_sessions s
         where s.user_id = ${user.id} and s.revoked_at is null limit 1`;
    return ticket;
  }

  async function enter(id: string, user: { id: string } = owner): Promise<string> {
    const { headers } = await ask(id, `/.backloom/enter?ticket=${await ticketFor(id, user)}`);
    return String(headers["set-cookie"]?.[0]?.split(";")[0]);
  }

  /** Sends a request whose answer may still be on its way. */
  function send(
    id: string,
    path: string,
    { method = "GET", headers = {}, body }: Asked = {},
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const sent = request(
        { host: "127.0.0.1", port: app.port, path, method, agent: false, headers: { host: hostOf(id), ...headers } },
        resolve,
      );
      sent.on("error", reject);
      sent.end(body);
    });
  }

  async function ask(id: string, path: string, asked: Asked = {}) {
    const answer = await send(id, path, asked);
    let body = "";
    for await (const chunk of answer.setEncoding("utf8")) body += chunk;
    const { statusCode: status = 0, headers } = answer;
    return { status, headers: headers as IncomingHttpHeaders, body };
  }

  function openSocket(id: string, cookie: string, headers: Record<string, string> = {}, protocols: string[] = []) {
    const given = { host: hostOf(id), cookie, ...headers };
    return new WebSocket(`ws://127.0.0.1:${app.port}/hot?token=1`, protocols, { headers: given });
  }

  return { t, app, owner, token, product, hostOf, seedPreview, openPreview, ticketFor, enter, send, ask, openSocket };
}
