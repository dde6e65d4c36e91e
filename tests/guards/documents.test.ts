import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { updateTaskBody } from "~/nouns/tasks/contract";

const page = readFileSync("docs/troubleshooting.md", "utf8");

/** Codes that the database gives as a reason, in a literal or as the branches of a case. */
function codesOf(sql: string): string[] {
  return [...sql.matchAll(/'code',\s*(case\b[\s\S]*?\bend\b|'[a-z_]+')/g)].flatMap(
    ([, value = ""]) =>
      value.startsWith("case")
        ? [...value.matchAll(/(?:then|else)\s+'([a-z_]+)'/g)].map(([, code = ""]) => code)
        : [value.replaceAll("'", "")],
  );
}

/** The functions that say why something does not move. */
const sources = readdirSync("supabase/schemas", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".sql"))
  .flatMap((file) => readFileSync(`supabase/schemas/${file}`, "utf8").split(/^(?=create )/m))
  .filter((text) =>
    /^create function \w+\.(\w+_reasons|nothing_to_claim|why_not_moving)\(/.test(text),
  );

it("every reason why something does not move has a heading with its cause and cure", () => {
  const codes = new Set(sources.flatMap(codesOf));
  // The two that one expression gives: as 'code' of a row and as the column of a query.
  for (const text of sources) {
    const named = text.matchAll(/'([a-z_]+)' else '([a-z_]+)' end as code/g);
    for (const [, one = "", other = ""] of named) codes.add(one).add(other);
  }
  expect(codes.size).toBeGreaterThan(17);
  const headings = [...page.matchAll(/^### `([a-z_]+)`\n\n(\S.*)/gm)].map(([, code]) => code);
  expect([...codes].filter((code) => !headings.includes(code))).toEqual([]);
});

it("knows a code in each of the shapes in which the database writes one", () => {
  expect(codesOf("jsonb_build_object('code', 'order', 'message', 'x')")).toEqual(["order"]);
  expect(codesOf("'code', case when a then 'budget'\n else 'finished' end, 'x'")).toEqual([
    "budget",
    "finished",
  ]);
});

it("llms.txt names only tools and addresses that there are", () => {
  const words = readFileSync("public/llms.txt", "utf8");
  const listed = readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("tools.server.ts") || file.startsWith("mcp/tools/"))
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(`app/${file}`, "utf8"))
    .flatMap((source) => [...source.matchAll(/name: "([a-z_]+)"/g)].map(([, name]) => name));
  const tools = [...words.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name = ""]) => name);
  expect(tools.length).toBeGreaterThan(4);
  const other = ["product_id"];
  expect(tools.filter((name) => !listed.includes(name) && !other.includes(name))).toEqual([]);
  const [, statuses = ""] = /"status": ([^}]*)\}/.exec(words) ?? [];
  const accepted = [...statuses.matchAll(/"([a-z_]+)"/g)].map(([, status]) => status);
  expect(accepted.length).toBeGreaterThan(2);
  for (const status of accepted) expect(updateTaskBody.safeParse({ status }).success).toBe(true);
  const routes = readdirSync("app/routes");
  const addresses = [...words.matchAll(/(?:\]\(|(?:GET|POST|PATCH) )\/api\/([a-z]+)/g)];
  expect(addresses.length).toBeGreaterThan(4);
  for (const [, noun] of addresses) {
    expect(
      routes.some((route) => route.startsWith(`api.${noun}`)),
      noun,
    ).toBe(true);
  }
});

/** Names of other programs' pages, which the documents name too. */
const elsewhere = [
  "APIs & Services",
  "App registrations",
  "Client authentication",
  "Credentials",
  "OAuth client ID",
  "Require branches to be up to date",
  "Standard flow",
  "Token configuration",
  "Web application",
];

/** What a document sets in italics as the name of something on a page, without numbers. */
function namesIn(document: string): string[] {
  const marked = document.matchAll(/(?<![*\w])\*([A-Z][^*\n]{1,60})\*(?![*\w])/g);
  return [...marked].flatMap(([, name = ""]) =>
    name.split(/ → |…|\d+/).filter((part) => part !== ""),
  );
}

it("documents name only controls that there are", () => {
  const pages = readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(`app/${file}`, "utf8").replaceAll(/\s+/g, " "))
    .join("\n");
  const documents = ["SECURITY.md", ...readdirSync("docs").map((name) => `docs/${name}`)];
  const named = documents
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) =>
      namesIn(readFileSync(file, "utf8")).map((name) => ({ file, name: name.trim() })),
    );
  expect(named.length).toBeGreaterThan(120);
  const untrue = named.filter(({ name }) => !pages.includes(name) && !elsewhere.includes(name));
  expect(untrue).toEqual([]);
  expect(namesIn("Press *Keep the changes* of *Settings → Keys*; *not a name*.")).toEqual([
    "Keep the changes",
    "Settings",
    "Keys",
  ]);
});

it("sentences of the database name only buttons that there are", () => {
  const pages = readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".tsx"))
    .map((file) => readFileSync(`app/${file}`, "utf8"))
    .join("\n");
  const named = readdirSync("supabase/schemas", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".sql"))
    .flatMap((file) => [
      ...readFileSync(`supabase/schemas/${file}`, "utf8").matchAll(
        /\b(?:press|choose|switch on|turn on|set) "([^"]+)"/gi,
      ),
    ])
    .map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(1);
  expect(named.filter((name) => !pages.includes(name))).toEqual([]);
});
