import { expect, it } from "vitest";
import { z } from "zod";
import { expectRefusal } from "../setup/endpoint-checks";
import { bearer } from "../setup/world";
import { isForUsers, type Operation, openEveryEndpoint } from "./every-endpoint";

const every = await openEveryEndpoint();
const { app, token, session, document, openCopy, operations, bodies, credentialFor, pathFor } = every;

/** The documented schema as a check that also refuses keys which the document does not name. */
function checkOf(schema: Record<string, unknown>): z.ZodType {
  const whole = { ...schema, $defs: document.components.schemas };
  const text = JSON.stringify(whole).replaceAll("#/components/schemas/", "#/$defs/");
  return z.fromJSONSchema(closed(JSON.parse(text)));
}

function closed(schema: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(closeObjects(schema) ?? {}));
}

function closeObjects(schema: unknown): object | null {
  if (typeof schema !== "object" || schema === null) return null;
  if (Array.isArray(schema)) return schema.map((item) => closeObjects(item) ?? item);
  const entries = Object.entries(schema).map(([key, value]) => [key, closeObjects(value) ?? value]);
  const isClosed = "properties" in schema && !("additionalProperties" in schema);
  return Object.fromEntries(isClosed ? [...entries, ["additionalProperties", false]] : entries);
}

function schemaOf(operation: Operation, status: number): Record<string, unknown> {
  const content = operation.responses[String(status)]?.content ?? {};
  return content["application/json"]?.schema ?? { not: {} };
}

/** What is empty in an answer that says all it can: what can start waits for nothing. */
const mayBeEmpty: Record<string, readonly string[]> = {
  // Each file fits.
  getJobDiff: [".rest"],
  getStoryChanges: [".rest"],
  // No story is settled.
  getCosts: [".rows", ".total"],
  listReady: ["[].blocked_by"],
  // The product names no hosts.
  nextLanding: [".landing.may_reach"],
  // No preview is this worker's.
  syncPreviews: [".previews"],
  // No attempt is at work on it.
  observePulls: [".again"],
  // Nothing is spent on what has just begun.
  startRun: [".run.costs"],
  reviewPlan: [".costs"],
};

/** Where an answer has lists and none of them holds anything: no matter what their items were, no one has looked at them. */
function emptyLists(answer: unknown): string[] {
  const filled = new Map<string, boolean>();
  const look = (value: unknown, place: string) => {
    if (typeof value !== "object" || value === null) return;
    if (Array.isArray(value)) {
      filled.set(place, filled.get(place) === true || value.length > 0);
      for (const item of value) look(item, `${place}[]`);
    } else for (const [key, item] of Object.entries(value)) look(item, `${place}.${key}`);
  };
  look(answer, "");
  return [...filled].filter(([, isFilled]) => !isFilled).map(([place]) => place);
}

it("GET /api/openapi.json needs a credential, as all of /api does, and /openapi.json needs none", async () => {
  const path = "/api/openapi.json";
  for (const headers of [{}, bearer("blm_wrong"), { cookie: "session=x" }]) {
    const refused = await app.request(path, { headers });
    expect(refused.status).toBe(401);
    expect(await refused.json()).toMatchObject({ code: 401 });
  }
  for (const headers of [bearer(token), { cookie: session }]) {
    const answer = await app.request(path, { headers });
    expect(await answer.text()).toBe(openCopy);
  }
  const written = await app.request("/openapi.json", { method: "POST" });
  expect([written.status, written.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"]);
  expect(await written.json()).toMatchObject({ code: 405 });
});

it("Every operation in the OpenAPI document has an id of its own", () => {
  const names = operations.map(({ operation }) => operation.operationId);
  expect(new Set(names).size).toBe(names.length);
});

it("Every summary in the OpenAPI document begins with a verb, and every answer has a sentence", () => {
  const verbs =
    /^(Add|Append|Approve|Change|Check|Claim|Comment|Compare|Create|Delete|Draft|Edit|Expire|Forecast|Get|Import|List|Make|Mark|Send|Cancel|Pause|Resume|Take|Give|Propose|Accept|Search|Find|Read|Remove|Rename|Report|Save|Set|Start|Stop|Store|Stream|Download|Turn|Update|Upload|Waive) /;
  const wrong = operations.flatMap(({ operation: { operationId, summary, responses } }) => [
    ...(verbs.test(summary) ? [] : [`${operationId}: ${summary}`]),
    ...Object.entries(responses)
      .filter(([, { description }]) => !/^[A-Z].+\.$/.test(description))
      .map(([status, { description }]) => `${operationId} ${status}: ${description}`),
  ]);
  expect(wrong, "answers.ts beside the document has the sentences").toEqual([]);
});

it("Every JSON body in the OpenAPI document has an example that fits it", () => {
  const bodies = operations.flatMap(({ operation }) => {
    const body = operation.requestBody?.content["application/json"];
    return body ? [{ name: operation.operationId, ...body }] : [];
  });
  expect(bodies.length).toBeGreaterThan(25);
  const wrong = bodies.filter(
    ({ schema, example }) => example === undefined || !checkOf(schema).safeParse(example).success,
  );
  expect(
    wrong.map(({ name }) => name),
    "examples.ts beside the document has them",
  ).toEqual([]);
});

it("The OpenAPI document has every path and method of the specification", () => {
  const served = operations.map(({ method, path }) => `${method} ${path}`);
  expect(served).toEqual(
    expect.arrayContaining(
      `GET /api/health | GET /api/products | GET /api/products/{id}/agent-context |
      GET /api/products/{id}/next-story | GET /api/sprints/{id}/tasks | PATCH /api/tasks/{id} |
      GET /api/tasks/{id} | GET /api/products/{id}/backlog | GET /api/pbis/{id}/stories |
      GET /api/stories/{id}/tasks | POST /api/stories/{id}/log | POST /api/auth/pair/start |
      GET /api/auth/pair/stream/{pairingId} | POST /api/auth/pair/claim | GET /api/realtime/solo |
      GET /api/realtime/notifications | GET /api/realtime/backlog | POST /api/cron/expire-questions |
      POST /api/cron/cleanup-agent-artifacts`.split(/\s*\|\s*/),
    ),
  );
});

it.each(operations)("$method $path is served, with exactly the documented methods", async ({ path }) => {
  const response = await app.request(pathFor(path), { method: "OPTIONS" });
  const allowed = (response.headers.get("allow") ?? "").split(", ");
  const documented = Object.keys(document.paths[path] ?? {}).map((name) => name.toUpperCase());
  expect(allowed.filter((name) => name !== "OPTIONS" && name !== "HEAD").sort()).toEqual(documented.sort());
  const other = ["POST", "PUT", "DELETE"].find((method) => !documented.includes(method));
  const refused = await app.request(pathFor(path), { method: other, headers: bearer(token) });
  await expectRefusal(refused, 405);
});

it.each(operations.filter(({ operation }) => isForUsers(operation)))(
  "$method $path answers as documented",
  async ({ path, method, operation }) => {
    if ("text/event-stream" in (operation.responses["200"]?.content ?? {})) return;
    // Their files are sent in tests/api/api.products.import.test.ts and api.files.test.ts.
    if (["importBacklog", "addFile", "getFile"].includes(operation.operationId)) return;
    const body = bodies[operation.operationId];
    const response = await app.send(method, pathFor(path, method), body, credentialFor(operation));
    expect(response.status).toBeLessThan(300);
    expect(response.headers.get("cache-control")).toBe("no-store");
    if (response.status === 204) expect(await response.text()).toBe("");
    else {
      const answered: unknown = await response.json();
      checkOf(schemaOf(operation, response.status)).parse(answered);
      if (operation.operationId === "getOpenApi") return;
      expect(emptyLists(answered)).toEqual(mayBeEmpty[operation.operationId] ?? []);
    }
    if (body) {
      const bodySchema = operation.requestBody?.content["application/json"]?.schema ?? {};
      checkOf(bodySchema).parse(body);
    }
  },
);

it.each(operations)("$method $path refuses strangers as documented", async ({ path, method, operation }) => {
  if (operation.security.length === 0) return;
  const response = await app.request(pathFor(path), { method, headers: { cookie: "x=y" } });
  expect(Object.keys(operation.responses)).toContain(String(response.status));
  checkOf(schemaOf(operation, response.status)).parse(await response.json());
});

it("The OpenAPI document offers a session next to the token exactly where one is accepted", async () => {
  for (const { path, method, operation } of operations) {
    const isRead = method === "GET" && operation.security.some((way) => "token" in way);
    if (!isRead || "text/event-stream" in (operation.responses["200"]?.content ?? {})) continue;
    const headers = { cookie: session, authorization: "Basic cHJveHk6eA==" };
    const { status } = await app.request(pathFor(path), { headers });
    const isOffered = operation.security.some((way) => "session" in way);
    expect(`${path} ${status === 200}`).toBe(`${path} ${isOffered}`);
  }
});

it("The check of documented answers notices one that does not fit", () => {
  const operation = operations.find((each) => each.operation.operationId === "updateTask");
  const check = checkOf(operation ? schemaOf(operation.operation, 200) : {});
  const good = { id: "x", status: "done", implementation_plan: null };
  expect(check.safeParse(good).success).toBe(true);
  expect(check.safeParse({ ...good, status: "DONE" }).success).toBe(false);
  expect(check.safeParse({ ...good, extra: 1 }).success).toBe(false);
});
