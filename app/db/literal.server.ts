import pg from "pg";
import { CallFailure } from "./call-failure.server";

/** A text as a literal of SQL. NUL would end the statement for the server, so it is refused as Postgres refuses it. */
export function toLiteral(text: string): string {
  if (!text.includes("\u0000")) return pg.escapeLiteral(text);
  const message = "A text contains the character NUL, which Postgres cannot store";
  throw new CallFailure({ code: "22021", message, detail: null }, "nothing happened");
}
