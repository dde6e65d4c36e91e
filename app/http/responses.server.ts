import { ContractError } from "~/wire/errors";

type JsonInit = { status?: number; headers?: Readonly<Record<string, string>> };

/** A response whose text the front sends as it is. A body would be a stream, which costs more than the whole answer. */
class TextResponse extends Response {
  constructor(
    readonly content: string,
    init: ResponseInit,
  ) {
    super(null, init);
  }
}

/** JSON response from text, such as the database's answer, without parsing it. */
export function jsonText(text: string, { status = 200, headers }: JsonInit = {}): Response {
  return new TextResponse(text, {
    status,
    headers: { "content-type": "application/json; charset=utf-8", "cache-control": "no-store", ...headers },
  });
}

export const json = (value: unknown, init?: JsonInit): Response => jsonText(JSON.stringify(value), init);

/** Rows as a CSV file, with the columns of the first. A text that a spreadsheet would run gets an apostrophe. */
export function csv(
  name: string,
  rows: readonly Readonly<Record<string, string | number | boolean | null>>[],
): Response {
  const cell = (value: string | number | boolean | null) =>
    typeof value === "string" ? `"${value.replace(/^[=+\-@\t\r]/, "'$&").replaceAll('"', '""')}"` : String(value ?? "");
  const columns = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => columns.map((column) => cell(row[column] ?? null)).join(","));
  return jsonText([columns.join(","), ...lines, ""].join("\r\n"), {
    headers: { "content-type": "text/csv; charset=utf-8", "content-disposition": `attachment; filename="${name}"` },
  });
}

/** Error response of a refusal, with `Retry-After` for limits and `WWW-Authenticate` for 401. */
export function problem(error: ContractError, headers: Record<string, string> = {}): Response {
  const extra: Record<string, string> = { ...headers };
  if (error.status === 401) extra["www-authenticate"] ??= "Bearer";
  if (error.retryAfter !== undefined) extra["retry-after"] = String(error.retryAfter);
  return json({ ...error.detail, ...error.toBody() }, { status: error.status, headers: extra });
}

/** Placeholder that a stream's loader returns after it opened the sink. The front ignores it. */
export const streamStarted = (): Response => new Response(null);

export function noContent(headers: Readonly<Record<string, string>>): Response {
  return new Response(null, { status: 204, headers });
}

export function methodNotAllowed(allowed: readonly string[]): Response {
  const list = allowed.join(", ");
  return problem(new ContractError(405, `This address answers ${list} only.`), { allow: list });
}
