// The reference program: bare node:http and one pooled, prepared `call_as` a request, and nothing around it. No checks,
// no headers, no log. It has been the same since the first release, so figures of all versions compare.
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import pg from "pg";

const pool = new pg.Pool({
  connectionString: process.argv[2],
  max: 8,
  onConnect: (client) => client.query("set role service_role"),
});

const routes = [
  [/^\/api\/products\/([^/]+)\/agent-context$/, "get_agent_context", "p_product_id"],
  [/^\/api\/products\/([^/]+)\/next-story$/, "get_next_story", "p_product_id"],
  [/^\/api\/products\/([^/]+)\/backlog$/, "get_backlog", "p_product_id"],
  [/^\/api\/sprints\/([^/]+)\/tasks$/, "list_sprint_tasks", "p_sprint_id"],
  [/^\/api\/tasks\/([^/]+)$/, "update_task", "p_task_id"],
];

const server = createServer(async (request, response) => {
  const [path, query = ""] = (request.url ?? "").split("?");
  const found = routes.find(([pattern]) => pattern.test(path));
  const [pattern, operation, parameter] = found ?? [];
  const callArguments = { [parameter]: pattern.exec(path)[1] };
  if (query.startsWith("limit=")) callArguments.p_limit = Number(query.slice(6));
  if (request.method === "PATCH") callArguments.p_status = JSON.parse(await read(request)).status;
  const token = (request.headers.authorization ?? "").slice("Bearer ".length);
  const { rows } = await pool.query({
    name: "call",
    text: "select public.call_as(p_credential => $1::jsonb, p_function => $2::text, p_arguments => $3::jsonb)::text",
    values: [
      JSON.stringify({ token_hash: createHash("sha256").update(token).digest("hex") }),
      operation,
      JSON.stringify(callArguments),
    ],
    rowMode: "array",
  });
  const text = rows[0][0];
  response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(text) });
  response.end(text);
});

async function read(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
