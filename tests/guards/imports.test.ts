import { posix } from "node:path";
import { expect, it } from "vitest";
import readme from "../../app/README.md?raw";

/** What each folder of app/ may import from the others, as the tables of app/README.md say; a folder may always import itself. */
const rows = [...readme.matchAll(/^\| `([\w/]+)\/` \|[^|]*\| ([^|]*) \|$/gm)].map(
  ([, folder = "", imports = ""]): [string, string[]] => [
    folder,
    imports.startsWith("nothing") ? [] : imports.split(", "),
  ],
);
const allowed: Record<string, string[]> = {
  ...Object.fromEntries(rows.filter(([folder]) => folder !== "routes" && !folder.includes("/"))),
  worker: ["command-args", "wire"],
};
const rooms = new Map(rows.filter(([folder]) => folder.startsWith("worker/")));

type Import = { from: string; file: string; to: string };

const texts = import.meta.glob<string>(["../../app/**/*.{ts,tsx}", "../../worker/**/*.ts"], {
  query: "?raw",
  import: "default",
  eager: true,
});
const sources = Object.entries(texts).map(([file, text]) => ({ file: file.replace("../../", ""), text }));
const imports = sources.flatMap(importsOf);

function importsOf({ file, text }: { file: string; text: string }): Import[] {
  const from = folderIn(file);
  return [...text.matchAll(/^(?:import|export)\s[^;]*?from "([^"]+)"/gm)].flatMap(([, target = ""]) => {
    const to = folderOf(file, target);
    return to === undefined ? [] : [{ from, file, to }];
  });
}

/** The folder of app/ that a file is in, or its own name there; the worker is one. */
function folderIn(path: string): string {
  const [top = "", folder = ""] = path.split("/");
  return top === "app" ? folder.replace(/\?.*$|\.tsx?$/, "") : top;
}

function folderOf(file: string, target: string): string | undefined {
  if (target.startsWith("~/")) return folderIn(target.replace("~/", "app/"));
  if (!target.startsWith(".")) return undefined;
  const path = posix.join(file, "..", target);
  return /^(app|worker)\//.test(path) ? folderIn(path) : undefined;
}

/** What each file of app/ imports of the others, types included: a circle of types is read as one, too. `import()` is left out. */
const graph = new Map(sources.map(({ file, text }) => [file.replace(/\.tsx?$/, ""), filesImportedBy(file, text)]));

function filesImportedBy(file: string, text: string): string[] {
  const targets = text.matchAll(/^(?:import|export)\s[^;]*?from "((?:~\/|\.)[^"?]+)"/gm);
  return [...targets].map(([, target = ""]) => {
    const path = target.startsWith("~/") ? target.replace("~/", "app/") : posix.join(file, "..", target);
    return path.replace(/\.tsx?$/, "");
  });
}

/** The first circle that is met from a file on, as the files in it; null when there is none. */
function circleFrom(file: string, way: readonly string[], isDone: Set<string>): string[] | null {
  if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
  if (isDone.has(file)) return null;
  for (const next of graph.get(file) ?? []) {
    const circle = circleFrom(next, [...way, file], isDone);
    if (circle) return circle;
  }
  isDone.add(file);
  return null;
}

it("No module imports another that leads back to it", () => {
  const isDone = new Set<string>();
  const circles = [...graph.keys()].flatMap((file) => {
    const circle = circleFrom(file, [], isDone);
    return circle ? [circle.join(" → ")] : [];
  });
  expect([...new Set(circles)]).toEqual([]);
  expect([...graph.values()].flat().length).toBeGreaterThan(1_000);
});

it("No folder imports another that leads back to it", () => {
  const folders = new Map(sources.map(({ file }) => [folderIn(file), new Set<string>()]));
  for (const { from, to } of imports) if (from !== to) folders.get(from)?.add(to);
  const reach = (folder: string, reached: Set<string>): Set<string> => {
    for (const next of folders.get(folder) ?? []) if (!reached.has(next)) reach(next, reached.add(next));
    return reached;
  };
  const circular = [...folders.keys()].filter((folder) => reach(folder, new Set()).has(folder));
  expect(circular).toEqual([]);
  expect(folders.get("mcp")).toContain("nouns");
});

it("Routes are imported by no other folder but the browser's entry", () => {
  const wrong = imports.filter(({ from, to }) => to === "routes" && !["routes", "entry.client"].includes(from));
  expect(wrong).toEqual([]);
});

it.each(Object.keys(allowed))("The folder %s imports only folders below it", (folder) => {
  const wrong = imports.filter(({ from, to }) => from === folder && to !== folder && !allowed[folder]?.includes(to));
  expect(wrong.map(({ file, to }) => `${file} → ${to}`)).toEqual([]);
});

it("A room of the worker imports only rooms below it, types included", () => {
  const roomOf = (file: string) => /^(worker\/\w+)\//.exec(file)?.[1] ?? "";
  const wrong = [...graph].flatMap(([file, targets]) => {
    const from = roomOf(file);
    const mayImport = [from, ...(rooms.get(from) ?? []).map((room) => `worker/${room}`)];
    return targets
      .filter((target) => from !== "" && target.startsWith("worker/"))
      .filter((target) => !mayImport.includes(roomOf(target)))
      .map((target) => `${file} → ${target}`);
  });
  expect(wrong).toEqual([]);
  const order = [...rooms.keys()];
  const found = new Set([...graph.keys()].map(roomOf).filter((room) => room !== ""));
  expect([...found].sort()).toEqual(order.toSorted());
  for (const [room, imports] of rooms) {
    const above = order.slice(0, order.indexOf(room));
    expect(above).toEqual(expect.arrayContaining(imports.map((one) => `worker/${one}`)));
  }
});

it("app/wire imports no package but zod", () => {
  const packages = sources
    .filter(({ file }) => file.startsWith("app/wire/"))
    .flatMap(({ file, text }) => [...text.matchAll(/from "([^"./~][^"]*)"/g)].map(([, name]) => `${file}: ${name}`));
  expect(packages.filter((line) => !/: zod(\/mini)?$/.test(line))).toEqual([]);
});

it("Every folder of app is in the list of allowed imports", () => {
  const known = new Set([...Object.keys(allowed), "routes", "styles"]);
  const folders = imports.filter(({ file }) => file.split("/").length > 2).map(({ from }) => from);
  expect([...new Set(folders)].filter((name) => !known.has(name))).toEqual([]);
});

it("Every reader of redirectTo checks that it is a path of this service", () => {
  const readers = sources.filter(({ text }) => /get\("redirectTo"\)/.test(text));
  expect(readers.filter(({ text }) => !text.includes("safeRedirect("))).toEqual([]);
  expect(readers.length).toBeGreaterThan(0);
});

it("Only app/env.server.ts and the programs read the environment", () => {
  const readers = sources.filter(({ text }) => /process\.env\b/.test(withoutComments(text))).map(({ file }) => file);
  const entries = /^(app\/(env\.server|server\/start|cli\/)|worker\/)/;
  expect(readers.filter((file) => !entries.test(file))).toEqual([]);
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
}
