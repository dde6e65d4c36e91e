import fc from "fast-check";
import { expect, it } from "vitest";
import { errorBodySchema } from "~/wire/errors";
import { openBacklog } from "../setup/app";
import { bearer } from "../setup/world";

/** `FUZZ_RUNS=10000 npx vitest run tests/api/hostile-fuzz.test.ts` is the full run. */
const runs = Number(process.env.FUZZ_RUNS ?? 400);

const { t, app, token, backlog } = await openBacklog();
const foreign = await t.seedBacklog(await t.createUser());

const ids = [backlog, foreign].flatMap((each) => Object.values(each).map(({ id }) => id));
const anyId = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...ids) },
  { weight: 1, arbitrary: fc.uuid() },
  { weight: 2, arbitrary: fc.string({ unit: "binary", maxLength: 60 }).map(encodeSafely) },
);
const path = fc.oneof(
  { weight: 8, arbitrary: knownPath() },
  { weight: 1, arbitrary: fc.string({ unit: "grapheme-ascii", maxLength: 40 }).map((text) => `/api/${text}`) },
);

function knownPath(): fc.Arbitrary<string> {
  const templates =
    `/api/products /api/products/:id/agent-context /api/products/:id/next-story /api/products/:id/backlog
    /api/sprints/:id/tasks /api/pbis/:id/stories /api/stories/:id/tasks /api/stories/:id/log /api/tasks/:id
    /api/health /api/openapi.json /api/cron/expire-questions /api/auth/pair/start /api/auth/pair/claim`.split(/\s+/);
  return fc.tuple(fc.constantFrom(...templates), anyId).map(([template, id]) => template.replace(":id", id));
}

/** Percent-encodes what a URL cannot hold, lone surrogates too, which stay as broken codes. */
function encodeSafely(text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    return "%ED%A0%80";
  }
}

const value = fc.oneof(
  fc.constantFrom(
    "todo",
    "done",
    "review",
    "COMMIT",
    "TEST_RESULT",
    "IMPLEMENTATION_PLAN",
    "PASSED",
    "ANY",
    true,
    null,
    1e308,
    -1,
  ),
  fc.string({ unit: "binary", maxLength: 200 }),
  fc.jsonValue(),
);
const field = fc.constantFrom(
  ...`status implementation_plan verify_only verify_required type content commit_hash commit_message metadata
  pairingId __proto__ id`.split(/\s+/),
);
const body = fc.oneof(
  { weight: 6, arbitrary: fc.dictionary(field, value).map((object) => JSON.stringify(object)) },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 300 }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
);
const query = fc.oneof(
  fc.constant(""),
  fc.string({ unit: "binary", maxLength: 30 }).map((text) => `?limit=${encodeSafely(text)}`),
  fc.integer().map((limit) => `?limit=${limit}&db=1`),
  fc.webQueryParameters().map((text) => `?${text}`),
);
const method = fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");
const contentType = fc.constantFrom(
  "application/json",
  "application/json",
  "application/json",
  "text/plain",
  "application/json; charset=utf-16",
  "multipart/form-data; boundary=x",
);
const credential = fc.oneof(
  { weight: 4, arbitrary: fc.constant(bearer(token)) },
  { weight: 1, arbitrary: fc.constant<Record<string, string>>({}) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: "grapheme-ascii", maxLength: 80 }).map((text) => ({ authorization: text.trim() })),
  },
);

it(`None of ${runs} generated requests gets a 5xx, an error without JSON, or anything from the inside`, async () => {
  const request = fc.record({ method, path, query, body, contentType, credential });
  await fc.assert(
    fc.asyncProperty(request, async (each) => {
      const hasBody = !["GET", "HEAD"].includes(each.method);
      const response = await app.request(`${each.path}${each.query}`, {
        method: each.method,
        headers: { "content-type": each.contentType, ...each.credential },
        ...(hasBody ? { body: bodyOf(each.body) } : {}),
      });
      const text = await response.text();
      expect(response.status).toBeLessThan(500);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      if (response.status >= 400 && each.method !== "HEAD") {
        const { code, error } = errorBodySchema.parse(JSON.parse(text));
        expect(code).toBe(response.status);
        expect(error).not.toMatch(/node_modules|\bat \w+ \(|SQLSTATE|violates|relation "|public\./);
      }
    }),
    { numRuns: runs, endOnFailure: true },
  );
  expect(app.logLines.filter((line) => line.includes('"level":50'))).toEqual([]);
}, 600_000);

function bodyOf(given: string | Uint8Array): string | Blob {
  return typeof given === "string" ? given : new Blob([new Uint8Array(given)]);
}
