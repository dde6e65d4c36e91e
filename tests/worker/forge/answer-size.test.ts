import { createServer } from "node:http";
import { Readable } from "node:stream";
import { afterAll, expect, it } from "vitest";
import { openRequests } from "../../../worker/forge/requests";
import { portOf } from "../../setup/port-of";

const megabyte = 1_048_576;

/** A Git host that answers with as much as it likes: what the address names, in megabytes. */
const host = createServer((request, response) => {
  const [, type, size = "0"] = /^\/(text|json)\/(\d+)/.exec(request.url ?? "") ?? [];
  response.setHeader("content-type", type === "json" ? "application/json" : "text/plain");
  const filler = type === "json" ? " " : "x";
  const parts = Array.from({ length: Number(size) }, () => filler.repeat(megabyte));
  Readable.from([...parts, '"the end"'])
    .pipe(response)
    .on("error", () => undefined);
});
const api = `http://127.0.0.1:${await portOf(host)}`;
afterAll(() => host.close());
const requests = openRequests({ api, title: "The host", headers: {}, secret: "s3cret" });

it("The last megabyte of a Git host's log is kept, however long the log is", async () => {
  const log = String(await requests.get("/text/40"));
  expect(log).toHaveLength(megabyte);
  expect(log.endsWith('x"the end"')).toBe(true);
});

it("A Git host's log without end is given up, and a megabyte of it is kept", async () => {
  expect(await requests.get("/text/200")).toHaveLength(megabyte);
});

it("A Git host's long list is read whole, and one that is longer than any is refused", async () => {
  expect(await requests.get("/json/8")).toBe("the end");
  await expect(requests.get("/json/40")).rejects.toThrow("The host answered with more than 16 MB");
});
