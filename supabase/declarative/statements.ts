/** A statement of an SQL file and the line on which it starts. */
export interface Statement {
  text: string;
  line: number;
}

/** Tokens in which semicolons do not end a statement: comments, quoted text and dollar-quoted bodies. */
const hidden = /--[^\n]*|'(?:[^']|'')*'|"[^"]*"|\$(\w*)\$[\s\S]*?\$\1\$/y;

/** Splits a file into statements without their closing semicolons. Omits comments before a statement. */
export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = [];
  let start = -1;
  let at = 0;
  while (at < sql.length) {
    hidden.lastIndex = at;
    const match = hidden.exec(sql);
    const character = sql.charAt(at);
    const isComment = match?.[0].startsWith("--") ?? false;
    if (start < 0 && !isComment && !/[\s;]/.test(character)) start = at;
    if (!match && character === ";" && start >= 0) {
      statements.push({ text: sql.slice(start, at), line: lineOf(sql, start) });
      start = -1;
    }
    at = match ? hidden.lastIndex : at + 1;
  }
  if (start >= 0) {
    throw new Error(`Line ${lineOf(sql, start)}: this statement has no semicolon at its end.`);
  }
  return statements;
}

function lineOf(sql: string, at: number): number {
  return sql.slice(0, at).split("\n").length;
}
