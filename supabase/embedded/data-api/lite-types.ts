import pg from "pg";
import { z } from "zod";

const textsSchema = z.array(z.string().nullable());

/** Times stay the text that Postgres wrote, and numbers become numbers where none of their digits is lost. */
const parsers = new Map<number, (text: string) => unknown>([
  [20 /* int8 */, toNumberIfExact],
  [1700 /* numeric */, toNumberIfExact],
  [1082 /* date */, asItIs],
  [1083 /* time */, asItIs],
  [1266 /* timetz */, asItIs],
  [1114 /* timestamp */, asItIs],
  [1184 /* timestamptz */, asItIs],
  [1016 /* int8[] */, toNumbers],
  [1231 /* numeric[] */, toNumbers],
  [1182 /* date[] */, toTexts],
  [1183 /* time[] */, toTexts],
  [1270 /* timetz[] */, toTexts],
  [1115 /* timestamp[] */, toTexts],
  [1185 /* timestamptz[] */, toTexts],
  // The catalog speaks these two.
  [1002 /* "char"[] */, toTexts],
  [1003 /* name[] */, toTexts],
]);

/** How @supabase/lite expects the values of Postgres. */
export const typesOfLite: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    (format !== "binary" && parsers.get(oid)) || pg.types.getTypeParser(oid, format ?? "text"),
};

function asItIs(text: string): string {
  return text;
}

function toNumberIfExact(text: string): number | string {
  const value = Number(text);
  return String(value) === text ? value : text;
}

function toTexts(text: string): (string | null)[] {
  const oid: number = 1009; /* text[] */
  return textsSchema.parse(pg.types.getTypeParser(oid, "text")(text));
}

function toNumbers(text: string): (number | string | null)[] {
  return toTexts(text).map((entry) => (entry === null ? null : toNumberIfExact(entry)));
}
