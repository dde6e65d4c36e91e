import ts from "typescript";
import { expect, it } from "vitest";

/** What reads requests, jobs and files of others. The browser reads what its own user gives it. */
const texts = import.meta.glob<string>(
  ["../../{app,worker}/**/*.{ts,tsx}", "!../../app/{live,styles}/**", "!../../app/entry.client.tsx"],
  { query: "?raw", import: "default", eager: true },
);

/** Slow on purpose or never asked with long text; each says what bounds it. */
const bounded: Readonly<Record<string, string>> = { "/\\/+$/": "reads the environment, which the operator writes" };

type Literal = { file: string; literal: string };

const literals = Object.entries(texts).flatMap(([file, text]): Literal[] => {
  const found: Literal[] = [];
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, false, ts.ScriptKind.TSX);
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      found.push({ file: file.replace("../../", ""), literal: node.text });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
});
const repeating = literals.filter(({ literal }) => /[*+]|\{\d*,\}/.test(literal));

const sizes = [20, 300, 3_000, 30_000];
const tooLong = 100;

/** The repeated text on which the expression takes more than a linear time, if there is one. */
function attackOn(literal: string): string | undefined {
  const end = literal.lastIndexOf("/");
  const expression = new RegExp(literal.slice(1, end), literal.slice(end + 1).replace("y", ""));
  for (const pump of pumpsOf(literal)) {
    for (const suffix of ["\u0001", "a", ""]) {
      if (sizes.some((size) => isSlow(expression, pump.repeat(size / pump.length) + suffix))) {
        return pump;
      }
    }
  }
  return undefined;
}

/** Slow three times: once may be the machine. */
function isSlow(expression: RegExp, text: string): boolean {
  return [1, 2, 3].every(() => {
    expression.lastIndex = 0;
    const before = performance.now();
    expression.test(text);
    return performance.now() - before > tooLong;
  });
}

/** One and two characters of those that the expression names, and of those that classes stand for. */
function pumpsOf(literal: string): string[] {
  const own = [...new Set(literal.slice(1, literal.lastIndexOf("/")))].filter((sign) => !/[\w\\()[\]?|^$]/.test(sign));
  const signs = [...new Set([..."a0 \n", ...own])];
  return signs.flatMap((one) => [one, ...signs.filter((two) => two !== one).map((two) => one + two)]);
}

it("Regular expressions that repeat are found in the code", () => expect(repeating.length).toBeGreaterThan(10));

it("A regular expression that takes the square of a text's length is caught", { tags: "thorough" }, () => {
  expect(attackOn("/0+$/")).toBeDefined();
  expect(attackOn("/^0+/")).toBeUndefined();
});

it.each(repeating.filter(({ literal }) => !(literal in bounded)))(
  "The regular expression $literal in $file takes linear time",
  ({ literal }) => expect(attackOn(literal)).toBeUndefined(),
);

it("Every regular expression that is listed as bounded is still in the code", () => {
  const known = new Set(repeating.map(({ literal }) => literal));
  expect(Object.keys(bounded).filter((literal) => !known.has(literal))).toEqual([]);
});
