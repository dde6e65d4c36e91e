import { describe, expect, it } from "vitest";
import { parseJsonBody } from "~/http/request-body.server";
import { ContractError } from "~/wire/errors";
import { busyMilliseconds } from "../setup/thread-work";

const json = new Headers({ "content-type": "application/json" });
const bytes = (text: string) => new TextEncoder().encode(text);

function statusOf(body: string | Uint8Array, headers = json): number {
  try {
    parseJsonBody(typeof body === "string" ? bytes(body) : body, headers);
    return 200;
  } catch (error) {
    return error instanceof ContractError ? error.status : 500;
  }
}

describe("A11 bodies", () => {
  it.each([
    ["nothing", ""],
    ["truncated", '{"a":'],
    ["a trailing comma", '{"a":1,}'],
    ["two documents", "{}{}"],
    ["a byte order mark", "\uFEFF{}"],
    ["no JSON", "status=done"],
    ["NaN", "NaN"],
    ["a raw control character", '"a\nb"'],
  ])("A JSON body with %s gets a 400", (_, body) => expect(statusOf(body)).toBe(400));

  it("A body of invalid UTF-8 gets a 400", () => {
    expect(statusOf(new Uint8Array([0x22, 0xff, 0x22]))).toBe(400);
    expect(statusOf(new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22]))).toBe(400);
  });

  it.each(["null", "[]", '"x"', "1", "{}"])("The body %s is taken for JSON: the schema decides", (body) => {
    expect(statusOf(body)).toBe(200);
  });

  it("The last of two equal keys in a JSON body counts", () => {
    expect(parseJsonBody(bytes('{"a":1,"a":2}'), json)).toEqual({ a: 2 });
  });

  it.each([
    [64, 200],
    [65, 422],
    [101, 422],
    [100_000, 422],
  ])("A JSON body of depth %i gets a %i", (depth, status) => {
    expect(statusOf("[".repeat(depth) + "]".repeat(depth))).toBe(status);
    expect(statusOf(`${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`)).toBe(status);
  });

  it("Brackets inside strings do not count for the depth of a JSON body", () => {
    expect(statusOf(JSON.stringify('[{"'.repeat(1_000)))).toBe(200);
    expect(statusOf(JSON.stringify("\\".repeat(999)))).toBe(200);
  });
});

describe("A12 values", () => {
  it.each([
    ["NUL", '{"a":"x\\u0000"}'],
    ["NUL in a key", '{"\\u0000":1}'],
    ["half a surrogate pair", '{"a":"\\ud800"}'],
    ["half a surrogate pair in a list", '["\\udc00x"]'],
    ["1e400", '{"a":1e400}'],
    ["2^53 + 1", '{"a":9007199254740993}'],
    ["more digits than a double has", '{"a":0.12345678901234567891}'],
    ["a number that underflows", '{"a":1e-400}'],
  ])("A JSON body with the value %s gets a 422", (_, body) => expect(statusOf(body)).toBe(422));

  it.each(["0", "-0", "1.50", "1e2", "0.1", "9007199254740991", "1.7976931348623157e308", "-1E-7"])(
    "The number %s in a JSON body is kept",
    (number) => expect(statusOf(`[${number}]`)).toBe(200),
  );

  it.each([
    ["many zeros between two digits", `[0.1${"0".repeat(60_000)}1]`],
    ["many digits", `[${"1".repeat(1_000_000)}]`],
    ["more values than anyone sends", `[${"0,".repeat(500_000)}0]`],
  ])("A JSON body with %s is refused at once", (_, body) => {
    const before = busyMilliseconds();
    expect(statusOf(body)).toBe(422);
    expect(busyMilliseconds() - before).toBeLessThan(2_000);
  });

  it("A string that never closes does not make the parser of JSON run on", () => {
    expect(statusOf(`"${'\\"'.repeat(400_000)}`)).toBe(400);
  });

  it("A JSON body keeps right-to-left text, emoji and a million characters", () => {
    const text = `\u202Eא😀${"x".repeat(1_000_000)}"\\`;
    expect(parseJsonBody(bytes(JSON.stringify([text])), json)).toEqual([text]);
  });

  it("A JSON body with __proto__ leaves Object.prototype alone", () => {
    parseJsonBody(bytes('{"__proto__":{"polluted":true},"constructor":{"prototype":{}}}'), json);
    expect({}).not.toHaveProperty("polluted");
  });

  it("The refusal of a JSON body names the place of what is wrong", () => {
    expect(() => parseJsonBody(bytes('{"a":[{"b":"\\u0000"}]}'), json)).toThrow(/a\.0\.b/);
  });
});

describe("A10 content types", () => {
  it.each([
    ["application/json", 200],
    ["application/json; charset=utf-8", 200],
    ['Application/JSON;charset="UTF-8"', 200],
    ["application/merge-patch+json", 200],
    ["application/json; charset=utf-16", 400],
    ["text/plain", 400],
    ["application/x-www-form-urlencoded", 400],
    ["multipart/form-data; boundary=x", 400],
    ["nonsense", 400],
  ])("A JSON body of content type %s gets a %i", (type, status) => {
    expect(statusOf("{}", new Headers({ "content-type": type }))).toBe(status);
  });

  it("Any content type is taken for JSON with a bearer token, and where no one signs in", () => {
    for (const type of ["text/plain;charset=UTF-8", "application/x-www-form-urlencoded"]) {
      const headers = new Headers({ "content-type": type });
      expect(() => parseJsonBody(bytes("{}"), headers, true)).not.toThrow();
      headers.set("authorization", "Bearer blm_x");
      expect([statusOf("{}", headers), statusOf("status=done", headers)]).toEqual([200, 400]);
    }
  });

  it("A body without a content type is taken for JSON, and a compressed one is refused", () => {
    expect(statusOf("{}", new Headers())).toBe(200);
    expect(statusOf("{}", new Headers({ "content-encoding": "gzip" }))).toBe(400);
  });
});
