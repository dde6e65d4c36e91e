import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { variableDefaults, variableNames } from "~/env.server";
import { allTools, mainTools, workerTools } from "~/mcp/offers.server";
import { tunnelPath } from "~/previews/tunnel.server";
import { webhookEvents } from "~/wire/notices/contract";
import { updateTaskBody } from "~/wire/tasks/contract";
import { readRulesOf } from "../../worker/git/rules";
import { makeRepository } from "../worker/fixture";

const page = readFileSync("docs/troubleshooting.md", "utf8");

/** Codes that the database gives as a reason, in a literal or as the branches of a case. */
function codesOf(sql: string): string[] {
  return [...sql.matchAll(/'code',\s*(case\b[\s\S]*?\bend\b|'[a-z_]+')/g)].flatMap(([, value = ""]) =>
    value.startsWith("case")
      ? [...value.matchAll(/(?:then|else)\s+'([a-z_]+)'/g)].map(([, code = ""]) => code)
      : [value.replaceAll("'", "")],
  );
}

const sources = readdirSync("supabase/schemas", { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".sql"))
  .flatMap((file) => readFileSync(`supabase/schemas/${file}`, "utf8").split(/^(?=create )/m))
  .filter((text) => /^create function \w+\.(\w+_reasons|nothing_to_claim|why_not_moving)\(/.test(text));

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

it("The check of reasons finds a code in each shape that the database writes", () => {
  expect(codesOf("jsonb_build_object('code', 'order', 'message', 'x')")).toEqual(["order"]);
  expect(codesOf("'code', case when a then 'budget'\n else 'finished' end, 'x'")).toEqual(["budget", "finished"]);
});

it("llms.txt names only tools and statuses that there are", () => {
  const words = readFileSync("public/llms.txt", "utf8");
  const listed = readdirSync("app/mcp/tools")
    .map((file) => readFileSync(`app/mcp/tools/${file}`, "utf8"))
    .flatMap((source) => [...source.matchAll(/name: "([a-z_]+)"/g)].map(([, name]) => name));
  const tools = [...words.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name = ""]) => name);
  expect(tools.length).toBeGreaterThan(4);
  const other = ["product_id"];
  expect(tools.filter((name) => !listed.includes(name) && !other.includes(name))).toEqual([]);
  const [, statuses = ""] = /"status": ([^}]*)\}/.exec(words) ?? [];
  const accepted = [...statuses.matchAll(/"([a-z_]+)"/g)].map(([, status]) => status);
  expect(accepted.length).toBeGreaterThan(2);
  for (const status of accepted) expect(updateTaskBody.safeParse({ status }).success).toBe(true);
});

const documents = [
  "README.md",
  "SECURITY.md",
  "CONTRIBUTING.md",
  "docs/README.md",
  ...readdirSync("docs")
    .filter((name) => name.endsWith(".md") && name !== "README.md")
    .map((name) => `docs/${name}`),
].map((file) => ({ file, text: readFileSync(file, "utf8") }));
const everything = documents.map(({ text }) => text).join("\n");

/** Names of other programs' pages and files, which the documents name too. */
const elsewhere = `APIs & Services | Actions: read | App registrations | App-Level Tokens | Apps | Backloom |
  Basic Information | Bot | Bot User OAuth Token | Client authentication | Clients | Create New App |
  Credentials | Disable | From a manifest | Given | Help & About | Install App | Interactions Endpoint URL |
  Internal | New | OAuth client ID | OAuth | Require branches to be up to date | Standard flow |
  Token configuration | Web | Web application`.split(/\s*\|\s*/);

/** What a document names on a page, without numbers: in italics, or in bold after a verb such as press. */
function namesIn(document: string): string[] {
  const marked = [
    ...document.matchAll(/(?<![*\w])\*([A-Z][^*\n]{1,60})\*(?![*\w])/g),
    ...document.matchAll(/\b(?:press|choose|open|set|under|with) \*\*([A-Z][^*\n]{1,60})\*\*/gi),
  ];
  return marked.flatMap(([, name = ""]) => name.split(/ → |…|\d+/).filter((part) => part !== ""));
}

it("documents name only controls that there are", () => {
  const pages = ["app", "worker"]
    .flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: "utf8" })
        .filter((file) => /\.tsx?$/.test(file))
        .map((file) => readFileSync(`${folder}/${file}`, "utf8").replaceAll(/\s+/g, " ")),
    )
    .join("\n");
  const named = documents.flatMap(({ file, text }) => namesIn(text).map((name) => ({ file, name: name.trim() })));
  expect(named.length).toBeGreaterThan(120);
  // The whole of a text, or its beginning where a value follows.
  const texts = pages.matchAll(/["`>}] ?([A-Z][^"`<>{}$…“]*?) ?(?=["`<{$…“])/g);
  const made = pages.matchAll(/<CreateButtons [^>]*noun="(\w+)"/g);
  const shown = new Set([...texts].map(([, text = ""]) => text));
  for (const [, noun] of made) shown.add(`Create ${noun}`);
  const untrue = named.filter(({ name }) => !shown.has(name) && !elsewhere.includes(name));
  expect(untrue).toEqual([]);
  expect(namesIn("Press *Keep the changes* of *Settings → Keys*; *not a name*; press **Go**.")).toEqual([
    "Keep the changes",
    "Settings",
    "Keys",
    "Go",
  ]);
});

it("Documents of the code and comments of SQL name only files that exist", () => {
  const files = ["app", "worker", "docs", "supabase", "tests"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((file) => `/${folder}/${file}`),
  );
  const readMe = ["app", "supabase", "supabase/embedded", "tests"].map((at) => `${at}/README.md`);
  const rules = readdirSync("supabase/schemas", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".sql"))
    .map((file) => `supabase/schemas/${file}`);
  const named = [...readMe, "docs/architecture.md", ...rules].flatMap((document) =>
    [...readFileSync(document, "utf8").matchAll(/(?<![\w<>*…/.-])[\w$[\]./-]*\w\.(?:tsx?|sql)\b/g)].map(
      ([name]) => `/${name}`,
    ),
  );
  expect(named.length).toBeGreaterThan(60);
  const isExample = (name: string) => name === "/cart.test.ts";
  const isThere = (name: string) => files.some((file) => file.endsWith(name)) || existsSync(`.${name}`);
  expect(named.filter((name) => !isThere(name) && !isExample(name))).toEqual([]);
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

/** Paragraphs and list items of a document, without code, tables, headings and HTML. */
function paragraphsOf(document: string): string[] {
  return document
    .replaceAll(/```[\s\S]*?```/g, "")
    .replaceAll(/^(?:[#|<]| +<).*$/gm, "")
    .split(/\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )/)
    .map((paragraph) => paragraph.replaceAll(/\s+/g, " ").trim());
}

const countWords = (text: string) => text.split(" ").filter((word) => /\w/.test(word)).length;

it("no paragraph of a document has more than 80 words, and no sentence more than 35", () => {
  const paragraphs = documents.flatMap(({ file, text }) =>
    paragraphsOf(text).map((paragraph) => ({ file, paragraph })),
  );
  expect(paragraphs.length).toBeGreaterThan(500);
  expect(paragraphs.filter(({ paragraph }) => countWords(paragraph) > 80)).toEqual([]);
  const long = paragraphs.flatMap(({ file, paragraph }) =>
    paragraph
      .split(/(?<=[.!?:]) (?=[A-Z*`"([])/)
      .filter((sentence) => countWords(sentence) > 35)
      .map((sentence) => ({ file, sentence })),
  );
  expect(long).toEqual([]);
  expect(paragraphsOf("# A\n\nOne\nline.\n- two\n\n| a |\n```\ncode\n```")).toEqual(
    expect.arrayContaining(["One line.", "- two"]),
  );
});

it("no two documents say the same in the same twelve words", () => {
  const saidIn = new Map<string, Set<string>>();
  for (const { file, text } of documents) {
    for (const paragraph of paragraphsOf(text)) {
      const words = paragraph.split(" ").filter((word) => /\w/.test(word));
      for (const [place] of words.slice(11).entries()) {
        const run = words.slice(place, place + 12).join(" ");
        saidIn.set(run, (saidIn.get(run) ?? new Set<string>()).add(file));
      }
    }
  }
  expect(saidIn.size).toBeGreaterThan(10_000);
  const twice = [...saidIn].filter(([, files]) => files.size > 1);
  expect(twice.map(([run, files]) => [run, ...files])).toEqual([]);
});

/** The anchors that a Git host makes of a document's headings. */
function anchorsOf(text: string): string[] {
  const titles = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => title);
  return titles.map((title) =>
    title
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

it("links in documents lead to a file and a heading", () => {
  const links = documents.flatMap(({ file, text }) =>
    [...text.replaceAll(/`[^`\n]*`/g, "").matchAll(/(?:\]\(|src(?:set)?=")(?!https?:)([^)"\s]+)/g)].map(
      ([, link = ""]) => ({ file, link }),
    ),
  );
  expect(links.length).toBeGreaterThan(150);
  const broken = links.filter(({ file, link }) => {
    const [path = "", anchor] = link.split("#");
    const target = path === "" ? file : join(dirname(file), path);
    if (path.startsWith("/") || !existsSync(target)) return !path.startsWith("/api/");
    return anchor !== undefined && !anchorsOf(readFileSync(target, "utf8")).includes(anchor);
  });
  expect(broken).toEqual([]);
  expect(anchorsOf("## What was tried, and where\n### `.backloom.yml`")).toEqual([
    "what-was-tried-and-where",
    "backloomyml",
  ]);
});

it("The index of docs names every document", () => {
  const index = readFileSync("docs/README.md", "utf8");
  const missing = readdirSync("docs").filter(
    (name) => name.endsWith(".md") && name !== "README.md" && !index.includes(`(${name})`),
  );
  expect(missing).toEqual([]);
});

it("the page of MCP tools is the service's own list", () => {
  const page = readFileSync("docs/mcp.md", "utf8");
  const listed = (tools: readonly { name: string }[], name: string) =>
    tools.some((tool) => tool.name === name) ? "yes" : "";
  const rows = allTools.tools.map(({ name, description }) =>
    `| \`${name}\` | ${listed(mainTools.listed ?? [], name)} | ${listed(workerTools.tools, name)} | ${description} |`.replaceAll(
      /\| +\|/g,
      "|  |",
    ),
  );
  const written = page.split("\n").filter((line) => /^\| `[a-z_]+` \|/.test(line));
  expect(written, "replace the rows of docs/mcp.md by these").toEqual(rows);
  for (const text of [page, readFileSync("public/llms.txt", "utf8")]) {
    expect(text).toContain(`${mainTools.listed?.length} everyday tools`);
    expect(text).toContain(`the ${workerTools.tools.length} tools`);
  }
});

it("the page of configuration has every variable, and no other", () => {
  const page = readFileSync("docs/configuration.md", "utf8");
  const rows = [...page.matchAll(/^\| `([A-Z_]+)` \|/gm)].map(([, name = ""]) => name);
  const program = readdirSync("worker", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => [...readFileSync(`worker/${file}`, "utf8").matchAll(/\.(BACKLOOM_[A-Z_]+)/g)])
    .map(([, name = ""]) => name);
  const ofCommands = /`(BACKLOOM_\w+_FILE)`/g;
  const given = [...everything.matchAll(ofCommands)].map(([, name]) => name);
  const ofWorker = program.filter((name) => !given.includes(name));
  const read = [...variableNames, ...ofWorker, "BACKLOOM_FORGE_TOKEN"];
  expect([...new Set(rows)].sort()).toEqual([...new Set(read)].sort());
  const defaults = [...page.matchAll(/^\| `([A-Z_]+)` \| `([^`<]+)` \|/gm)].filter(([, name = ""]) =>
    ["number", "string"].includes(typeof variableDefaults[name]),
  );
  expect(defaults.length).toBeGreaterThan(12);
  for (const [row, name = "", value] of defaults) {
    expect(String(variableDefaults[name]), row).toBe(value);
  }
  const template = readFileSync(".env.example", "utf8");
  const inTemplate = [...template.matchAll(/^([A-Z_]+)=/gm)].map(([, name = ""]) => name);
  expect([...inTemplate, "NODE_ENV"].sort()).toEqual([...variableNames].sort());
});

it("the page of webhooks lists every event, and no other", () => {
  const page = readFileSync("docs/webhooks.md", "utf8");
  const rows = [...page.matchAll(/^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \|/gm)];
  const listed = rows.flatMap(([, names = ""]) => names.match(/[a-z_]+/g) ?? []);
  expect(listed.sort()).toEqual([...webhookEvents, "ping"].sort());
});

/** A key as the documents write it, in one spelling: `Ctrl Shift .` for `$mod+Shift+Period`. */
function keyOf(press: string): string {
  const caps: Record<string, string> = { Period: ".", Comma: ",", Escape: "Esc", "Shift+?": "?" };
  return (caps[press] ?? press)
    .replace("$mod", "Ctrl")
    .replace(/Period|Comma|Escape/, (name) => caps[name] ?? name)
    .replace(/\bKey([A-Z])$/, "$1")
    .replace(/ArrowUp$/, "↑")
    .replace(/ArrowDown$/, "↓")
    .replaceAll("+", " ")
    .toUpperCase();
}

it("every key of the key sheet is in a document, and the page of keys has no other", () => {
  const pages = readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => /\.tsx?$/.test(file))
    .map((file) => readFileSync(`app/${file}`, "utf8"))
    .join("\n");
  const actions = readFileSync("app/features/items/item-actions.ts", "utf8");
  const all = [
    ...pages.matchAll(/\bkeys: "([^"]+)"/g),
    ...actions.matchAll(/\bkey: "([^"]+)"/g),
    ...[...pages.matchAll(/\bletter: "([a-z])"/g)].map(([, letter]) => ["", `g ${letter}`]),
  ].map(([, press = ""]) => keyOf(press));
  expect(all.length).toBeGreaterThan(60);
  const quoted = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, key = ""]) => keyOf(key));
  const written = quoted(everything);
  expect(
    all.filter((key) => !written.includes(key)),
    "name them in docs/board.md",
  ).toEqual([]);
  const [, page = ""] = /^## Keys\n([\s\S]*?)^## /m.exec(readFileSync("docs/board.md", "utf8")) ?? [];
  // What forms and lists of the browser answer to themselves, and other names of the same keys.
  const others = ["ENTER", "CTRL ENTER", "CTRL SHIFT ENTER", "SHIFT", "G", "⌘", "⌘K", "⌘B"];
  expect(quoted(page).filter((key) => !all.includes(key) && !others.includes(key))).toEqual([]);
  expect(keyOf("$mod+Shift+Period")).toBe("CTRL SHIFT .");
});

it("every metric is in a document", () => {
  const sources = readdirSync("app/metrics", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(`app/metrics/${file}`, "utf8"))
    .join("\n");
  const metrics = new Set(sources.match(/\bbackloom_[a-z_]+[a-z]\b/g));
  expect(metrics.size).toBeGreaterThan(10);
  expect([...metrics].filter((name) => !everything.includes(name))).toEqual([]);
});

/** Names of other programs' functions and settings, and of a way to write names. */
const namesElsewhere = `env_key eventStream executablePath getClientIPAddress namedAction server_login_retry snake_case
  v3_lazyRouteDiscovery v3_singleFetch`.split(/\s+/);

it("documents name only functions, fields and codes that there are", () => {
  const sources = ["app", "worker", "supabase", "tests"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((file) => /^(?!migrations|guards).*\.(tsx?|mjs|sql)$/.test(file))
      .map((file) => readFileSync(`${folder}/${file}`, "utf8")),
  );
  const there = new Set(sources.join("\n").match(/\w+/g));
  const read = (file: string) => readFileSync(file, "utf8");
  const text = [everything, ...["app", "supabase", "tests"].map((of) => read(`${of}/README.md`))];
  const named = text.join("\n").match(/(?<=`)[a-z]\w*(?:_[a-z]|[A-Z])\w*(?=`)/g) ?? [];
  expect(named.length).toBeGreaterThan(500);
  const isUnknown = (name: string) => !there.has(name) && !namesElsewhere.includes(name);
  expect([...new Set(named)].filter(isUnknown)).toEqual([]);
});

const calls = `${everything}\n${readFileSync("public/llms.txt", "utf8")}`;

const apiFiles = readdirSync("app/routes").filter((name) => name.startsWith("api."));

function shapeOf(file: string): string {
  const path = file.replace(/\.ts$/, "").replaceAll(/(?<!\[)\.(?!\])/g, "/");
  return `/${path.replaceAll(/[[\]]/g, "").replaceAll(/\$\w+/g, "*")}`;
}

it("every endpoint of /api in a document exists, and every one is in a document", () => {
  const shapes = [...apiFiles.map(shapeOf), tunnelPath];
  const named = [...calls.matchAll(/(?<![\w}])\/api\/(?!v\d)[a-z][\w/:<>.*-]*[\w>*]/g)].map(([path]) =>
    path.replaceAll(/:\w+|<\w+>/g, "*").replace(/\.$/, ""),
  );
  const known = (path: string) =>
    shapes.some(
      (shape) =>
        shape === path || shape.startsWith(`${path}/`) || (path.endsWith("*") && shape.startsWith(path.slice(0, -1))),
    );
  expect([...new Set(named)].filter((path) => !known(path))).toEqual([]);
  expect(
    shapes.filter((shape) => !named.includes(shape)),
    "name them in the page of their subject in docs/",
  ).toEqual([]);
});

it("A method in front of an endpoint in a document is one that the endpoint takes", () => {
  const method = /\b(GET|POST|PUT|PATCH|DELETE) (\/api\/[\w/:<>.*-]*[\w>*])/g;
  const named = [...calls.matchAll(method)].map(([, verb = "", path = ""]) => ({
    verb,
    path: path.replaceAll(/:\w+|<\w+>/g, "*"),
  }));
  expect(named.length).toBeGreaterThan(60);
  // Routes that get their methods from a shared list name none themselves.
  const taken = new Map(
    apiFiles
      .filter((file) => file.endsWith(".ts"))
      .map((file) => [shapeOf(file), readFileSync(`app/routes/${file}`, "utf8").match(/(?<=^ {2})[A-Z]+(?=: )/gm)]),
  );
  const isWrong = ({ verb, path }: { verb: string; path: string }) => taken.get(path)?.includes(verb) === false;
  expect(named.filter(isWrong)).toEqual([]);
  expect(isWrong({ verb: "POST", path: "/api/pulls/observed" })).toBe(true);
});

const examplesOf = (kind: string) =>
  readdirSync("docs")
    .filter((file) => file.endsWith(".md"))
    .flatMap((file) =>
      [...readFileSync(`docs/${file}`, "utf8").matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
        .filter(([, found]) => found === kind)
        .map(([, , text = ""]) => ({ file, text })),
    );

it("An example in JSON in a document can be parsed", () => {
  const examples = examplesOf("json");
  expect(examples.length).toBeGreaterThan(1);
  for (const { text } of examples) JSON.parse(text.startsWith('"') ? `{${text}}` : text);
});

it("The worker takes an example of .backloom.yml in a document as a whole", async () => {
  const folder = mkdtempSync(join(tmpdir(), "documents-"));
  const git = makeRepository(folder);
  const examples = examplesOf("yaml").filter(({ file }) => /^(worker|forges)\.md$/.test(file));
  expect(examples.length).toBeGreaterThan(1);
  for (const { text } of examples) {
    writeFileSync(join(folder, ".backloom.yml"), text);
    git("add", ".");
    git("commit", "--quiet", "--message", "Rules");
    const rules = await readRulesOf(folder, "HEAD");
    const given = parse(text);
    expect(Object.keys(given).filter((key) => !(key in rules))).toEqual([]);
  }
  rmSync(folder, { recursive: true });
});

it("An example for a shell in a document is valid for bash", () => {
  const examples = examplesOf("sh");
  expect(examples.length).toBeGreaterThan(10);
  for (const { file, text } of examples) {
    const words = text.replace(/<[a-z][^<>\n]*>/g, "x").replaceAll("…", "x");
    const { status, stderr } = spawnSync("bash", ["-n"], { input: words, encoding: "utf8" });
    expect({ file, status, stderr }).toEqual({ file, status: 0, stderr: "" });
  }
});
