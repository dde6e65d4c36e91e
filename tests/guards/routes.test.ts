import { expect, it } from "vitest";
import { destinations, productPages, setupDestinations } from "~/routes/_app/navigation";
import { knownAdminPages, knownPages, knownProductPages } from "~/routes/_app/palette/known-pages";
import { sections } from "~/routes/_app.products.$productId.settings/product-fields";

const modules = import.meta.glob<Record<string, unknown>>([
  "../../app/routes/*.{ts,tsx}",
  "../../app/routes/*/route.{ts,tsx}",
]);
const files = Object.keys(import.meta.glob("../../app/routes/**"));
const tests = import.meta.glob<string>("../**/*.test.ts", { query: "?raw", import: "default", eager: true });
const nameOf = (file: string) => (file.split("/")[4] ?? "").replace(/\.tsx?$/, "");
const resourceRoutes = Object.entries(modules)
  .map(([file, load]) => ({ name: nameOf(file), load }))
  .filter(({ name }) => /^(api|mcp|openapi|oauth|token|revoke|hooks|\[\.\]well-known)(?!\w)/.test(name));

it("Every route is a file, or a folder with one route file and what only it uses", () => {
  const folders = [...new Set(files.map(nameOf))];
  expect(Object.keys(modules).map(nameOf).sort()).toEqual(folders.sort());
  const alone = folders.filter((name) => {
    const own = files.filter((file) => file.includes(`/routes/${name}/`));
    return own.length === 1;
  });
  expect(alone).toEqual([]);
});

it("Each page that needs no item in its address is in the palette", () => {
  const listed = [...destinations, ...setupDestinations(true), ...knownPages, ...knownAdminPages]
    .map(({ to }) => to.slice(1))
    .concat(knownProductPages.map(({ to }) => to))
    .concat(productPages.map(({ page }) => page))
    .map((to) => to.split("?")[0] ?? to);
  const pages = files
    .filter((file) => file.endsWith(".tsx"))
    .flatMap((file) => /^_app\.(.+)/.exec(nameOf(file))?.[1] ?? []);
  const missing = [...new Set(pages)]
    .map((page) =>
      page
        .replaceAll("_.", ".")
        .replace("._index", "")
        .replace(/^products\.\$productId\.?/, "")
        .replaceAll(".", "/"),
    )
    .flatMap((page) => (page === "settings/$section" ? sections.map(([name]) => `settings/${name}`) : [page]))
    .filter((page) => page !== "" && !page.includes("$") && !listed.includes(page));
  // What is created has lines of its own.
  expect(missing).toEqual(["products/new"]);
});

it.each(Object.keys(modules))("The route module %s can be loaded", async (file) => {
  expect(await modules[file]?.()).toBeTypeOf("object");
});

it.each(resourceRoutes)("The route $name handles every method through the route builder", async ({ load }) => {
  const { loader, action, default: page } = await load();
  expect(page).toBeUndefined();
  expect(loader).toHaveProperty("methods");
  const writes = ["POST", "PUT", "PATCH", "DELETE"];
  const isWritten = (loader as { methods: string[] }).methods.some((m) => writes.includes(m));
  expect(action).toBe(isWritten ? loader : undefined);
});

it.each(resourceRoutes)("The route $name has a test", ({ name }) => {
  const [start = "", end = ""] = name.replaceAll("[.]", "\0").split(/\.\$\w+/);
  const address = (part: string) => part.replaceAll(".", "/").replaceAll("\0", ".");
  const asks = ([file, text]: [string, string]) =>
    file.includes(name) || (text.includes(`/${address(start)}`) && text.includes(address(end)));
  expect(Object.entries(tests).some(asks)).toBe(true);
});
