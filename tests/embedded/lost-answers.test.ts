import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { describe, expect, it, onTestFinished } from "vitest";
import { connectDatabase } from "~/db/database.server";

/** A hosted Data API whose first answer is this one and whose second is "again". */
async function dataApi(answer: (response: ServerResponse) => void) {
  let calls = 0;
  const server = createServer((request: IncomingMessage, response) => {
    request.resume();
    calls += 1;
    if (calls === 1) answer(response);
    else response.writeHead(200, { "content-type": "application/json" }).end('"again"');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port.");
  const database = connectDatabase({
    supabaseUrl: `http://127.0.0.1:${address.port}`,
    publishableKey: "none",
    secretKey: "none",
  });
  onTestFinished(async () => {
    await database.close();
    server.closeAllConnections();
    server.close();
  });
  return { database, calls: () => calls };
}

const page = (status: number) => (response: ServerResponse) =>
  response.writeHead(status, { "content-type": "text/html" }).end("<h1>Bad gateway</h1>");
const problem = (status: number, code: string) => (response: ServerResponse) =>
  response
    .writeHead(status, { "content-type": "application/json" })
    .end(JSON.stringify({ code, message: "Database client error", details: null }));

describe("a call whose answer was lost on the way", () => {
  it.each([
    ["502 of a proxy", page(502)],
    ["503 of a proxy", page(503)],
    ["504 of a proxy", page(504)],
    ["PGRST001, the connection was lost in the call", problem(503, "PGRST001")],
  ])("is not done twice: %s", async (_title, answer) => {
    const { database, calls } = await dataApi(answer);
    await expect(database.call("create_task", {})).rejects.toMatchObject({ status: 503 });
    expect(calls()).toBe(1);
  });

  it.each([
    ["PGRST000, no connection was made", problem(503, "PGRST000")],
    ["40P01, a deadlock was rolled back", problem(500, "40P01")],
  ])("is repeated where nothing can have happened: %s", async (_title, answer) => {
    const { database, calls } = await dataApi(answer);
    expect(await database.call("create_task", {})).toBe('"again"');
    expect(calls()).toBe(2);
  });
});
