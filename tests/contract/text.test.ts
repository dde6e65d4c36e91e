import fc from "fast-check";
import { expect, it } from "vitest";
import {
  codeFromName,
  codeSchema,
  dateSchema,
  httpUrlSchema,
  idSchema,
  isStorable,
  repositoryUrlSchema,
  requiredText,
  text,
} from "~/wire/text";

const accepts = (schema: { safeParse(value: unknown): { success: boolean } }, value: unknown) =>
  schema.safeParse(value).success;

it.each(["  ", "\u200B\u2060", "\u2800", "\u3164\uFFA0\u115F", "\u00AD\uFEFF", "\u202E\u2066", "\u{E0041}\uFE0F"])(
  "Required text may not be %j, of which no one sees anything",
  (value) => {
    expect(accepts(requiredText(100), value)).toBe(false);
  },
);

it.each(["a", "\u200Ba", "\u202Eabc", "👩\u200D🔧", "한", "עברית", "\u2801"])("Required text may be %j", (value) => {
  expect(requiredText(100).parse(value)).toBe(value);
});

it.each(["", "plain", "😀", "\u202Eright to left", "a\nb\tc", "\u2028"])("Text is kept as it is: %j", (value) => {
  expect(text(100).parse(value)).toBe(value);
});

it.each(["\0", "a\0b", "\uD800", "\uDC00\uD800", "x".repeat(101), 5, null, true])("A text may not be %j", (value) => {
  expect(accepts(text(100), value)).toBe(false);
});

it("A text is refused as broken Unicode exactly where the platform would change it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (value) => {
      const wellFormed = Buffer.from(value, "utf8").toString("utf8") === value;
      return isStorable(value) === (wellFormed && !value.includes("\0"));
    }),
  );
});

it("Required text is neither empty nor blank", () => {
  expect(["", " ", "\n\t", "\u00A0"].filter((value) => accepts(requiredText(10), value))).toEqual([]);
  expect(accepts(requiredText(10), " a ")).toBe(true);
});

it("Codes, ids and dates keep their forms (J14, A3)", () => {
  expect(["ST-", "..", "x".repeat(30)].every((code) => accepts(codeSchema, code))).toBe(true);
  expect(["", "x".repeat(31), "ä", "a b", "a\n"].some((code) => accepts(codeSchema, code))).toBe(false);
  const id = "0b9f5c1e-6f0a-4b57-9d3e-2f8a5c7d1e90";
  expect(accepts(idSchema, id)).toBe(true);
  expect([id.toUpperCase(), `{${id}}`, `${id}\n`, "1", ""].some((value) => accepts(idSchema, value))).toBe(false);
  expect(["2026-02-28", "2024-02-29"].every((day) => accepts(dateSchema, day))).toBe(true);
  expect(["2026-02-29", "2026-2-1", "0000-01-01", "2026-01-01T00:00:00Z"].some((day) => accepts(dateSchema, day))).toBe(
    false,
  );
});

it.each([
  ["Paper planes", "PAPER-PLANES"],
  ["  Überprüfung & Zoë ", "UBERPRUFUNG-ZOE"],
  ["A very long name of many, many words", "A-VERY-LONG-NAME-OF-MANY-MANY"],
  ["Donaudampfschifffahrtsgesellschaft", "DONAUDAMPFSCHIFFFAHRTSGESELLSC"],
  ["日本 😀", "PRODUCT"],
])("The code of a product named %j is %s", (name, code) => {
  expect(codeFromName(name)).toBe(code);
});

it("An address is never something that a browser or Git would run, and a repository may be in a folder (W6)", () => {
  const hostile = ["javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "java script:x"];
  const run = ["ext::sh", "-uhelp", "a\u0001b", "a\u007f"];
  const good = ["https://example.com/a.git", "git@example.com:a/b.git", "ssh://git@[::1]/a", "/srv/a", "file:///srv/a"];
  expect(hostile.filter((url) => accepts(httpUrlSchema, url))).toEqual([]);
  expect([...hostile, ...run, ...good].filter((url) => accepts(repositoryUrlSchema, url))).toEqual(good);
});
