import { once } from "node:events";
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import { expect, it } from "vitest";
import { openApp } from "../setup/app";
import type { TestUser } from "../setup/world";

const { t, app } = await openApp({ pages: ["_app.stories.$storyId"] });

const boundary = "part";
const bodyFor = (productId: string) =>
  [
    `--${boundary}\r\ncontent-disposition: form-data; name="product_id"\r\n\r\n${productId}\r\n`,
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="a.txt"\r\n\r\none\r\n`,
    `--${boundary}--\r\n`,
  ].join("");

async function begin(user: TestUser, productId: string) {
  const body = bodyFor(productId);
  const sent: ClientRequest = request(`${app.origin}/api/files`, {
    method: "POST",
    agent: false,
    headers: {
      ...(await t.bearerOf(user)),
      "content-type": `multipart/form-data; boundary=${boundary}`,
      "content-length": Buffer.byteLength(body),
    },
  });
  const status = once(sent, "response").then(([answer]: IncomingMessage[]) => {
    answer?.resume();
    return answer?.statusCode;
  });
  sent.write(body.slice(0, -1));
  return { status, finish: () => sent.end(body.slice(-1)) };
}

it("two uploads of an account are read at a time, twenty wait unread, and more are refused; others are not held up", async () => {
  const [ada, eve] = [await t.createUser(), await t.createUser()];
  const { product, story } = await t.seedBacklog(ada);
  const begun = await Promise.all(Array.from({ length: 23 }, () => begin(ada, product.id)));
  expect(await Promise.race(begun.map(({ status }) => status))).toBe(429);

  const form = new FormData();
  form.set("intent", "add-file");
  form.set("file", new File(["one"], "a.txt"));
  const cookie = await app.signIn(ada);
  const headers = { cookie, origin: app.origin };
  const page = `/stories/${story.id}`;
  expect((await app.request(page, { method: "POST", headers, body: form })).status).toBe(429);
  const ofEve = await begin(eve, (await t.seedBacklog(eve)).product.id);
  ofEve.finish();
  expect(await ofEve.status).toBe(201);

  for (const { finish } of begun) finish();
  const statuses = await Promise.all(begun.map(({ status }) => status));
  expect(statuses.sort()).toEqual([...Array.from({ length: 22 }, () => 201), 429]);
});
