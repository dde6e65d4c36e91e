import { readFileSync } from "node:fs";
import ts from "typescript";
import { expect, it } from "vitest";

/** What runs in the browser. The module with the fallbacks is the one place for these names. */
const texts = import.meta.glob<string>(
  [
    "../../app/{wire,nouns,features,live,routes,ui}/**/*.{ts,tsx}",
    "../../app/{root,entry.client}.tsx",
    "!../../app/**/*.server.*",
  ],
  { query: "?raw", import: "default", eager: true },
);

const parse = (text: string) => ts.createSourceFile("a.tsx", text, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
const isMarked = (node: ts.Node) =>
  ts.getJSDocCommentsAndTags(node).some((note) => /secure contexts/.test(note.getText()));

/** What TypeScript's description of the browser marks: global names, and members of the objects behind them. */
function namesOfSecureContexts() {
  const library = parse(readFileSync("node_modules/typescript/lib/lib.dom.d.ts", "utf8"));
  const interfaces = library.statements.filter(ts.isInterfaceDeclaration);
  const marked = new Set(interfaces.filter(isMarked).map(({ name }) => name.text));
  // Browsers refuse these two on plain http, which is not marked.
  const globals = new Set(["Notification"]);
  const members = new Set(["geolocation"]);
  for (const statement of library.statements.filter(ts.isVariableStatement)) {
    for (const { name, type } of statement.declarationList.declarations) {
      const isSecure = [name, type].some((node) => node && marked.has(node.getText()));
      if (isSecure || isMarked(statement)) globals.add(name.getText());
    }
  }
  for (const face of interfaces) {
    if (!/^(Navigator|Crypto$)/.test(face.name.text)) continue;
    for (const member of face.members) {
      const type = ts.isPropertySignature(member) ? (member.type?.getText() ?? "") : "";
      const isSecure = isMarked(face) || isMarked(member) || marked.has(type);
      if (isSecure && member.name) members.add(member.name.getText());
    }
  }
  return { globals, members };
}

const { globals, members } = namesOfSecureContexts();

/** Types and strings (`"PushManager" in window`) are not uses. */
function usesIn(text: string): string[] {
  const uses: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (isUse(node)) uses.push(node.getText());
    ts.forEachChild(node, visit);
  };
  visit(parse(text));
  return uses;
}

function isUse(node: ts.Node): boolean {
  if (ts.isNewExpression(node) || ts.isCallExpression(node)) return globals.has(node.expression.getText());
  if (!ts.isPropertyAccessExpression(node)) return false;
  const [owner = "", name] = [node.expression.getText(), node.name.text];
  if (/^(window|self|globalThis)$/.test(owner)) return globals.has(name);
  return globals.has(owner) || (/\b(crypto|navigator)$/.test(owner) && members.has(name));
}

it("what runs in the browser uses nothing that plain http lacks, except through app/secure-only.ts", () => {
  expect(Object.keys(texts).length).toBeGreaterThan(400);
  const wrong = Object.entries(texts).flatMap(([file, text]) => usesIn(text).map((use) => `${file}: ${use}`));
  expect(wrong).toEqual([]);
});

it("The check for plain http sees each shape of a use of what it lacks", () => {
  const shapes = [
    "crypto.randomUUID()",
    "window.crypto.subtle.digest('SHA-1', a)",
    "navigator.clipboard.writeText(a)",
    "navigator.locks.request(a, b)",
    "new ClipboardItem({})",
    "caches.open(a)",
    "Notification.requestPermission()",
    "navigator.serviceWorker.ready",
    "window.cookieStore",
    "cookieStore.set(a, b)",
  ];
  const missed = shapes.filter((shape) => usesIn(`const x = ${shape};`).length === 0);
  expect(missed).toEqual([]);
  expect(usesIn("navigator.onLine; crypto.getRandomValues(a); let b: Lock;")).toEqual([]);
});
