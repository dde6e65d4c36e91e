// The reference program of the pages: Express with compression before Remix's own request handler, written
// as the template of Remix for Express writes it, and nothing else. It shows what the framework can do here.
import { join } from "node:path";
import { createRequestHandler, writeReadableStreamToWritable } from "@remix-run/node";
import compression from "compression";
import express from "express";

const build = await import(join(process.cwd(), "build/bench/bare-remix/server/index.js"));
const handle = createRequestHandler(build, "production");
const app = express();
app.disable("x-powered-by");
app.use(compression());
app.all("*", async (request, response, next) => {
  try {
    const controller = new AbortController();
    response.on("close", () => controller.abort());
    const url = new URL(request.originalUrl, `http://${request.headers.host}`);
    const headers = new Headers();
    for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value));
    const init = { method: request.method, headers, signal: controller.signal };
    const answer = await handle(new Request(url, init));
    response.status(answer.status);
    for (const [name, value] of answer.headers) response.append(name, value);
    if (answer.body) await writeReadableStreamToWritable(answer.body, response);
    else response.end();
  } catch (error) {
    next(error);
  }
});

const server = app.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
