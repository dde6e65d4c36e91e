import { expect, type Page } from "@playwright/test";
import { beads, openspec, specKit, zipOf } from "../transfers/spec-shapes";
import { findingsInBothThemes } from "./axe";
import { test } from "./test";
import { newPerson, newWorld } from "./world";

/** The files of a folder whose path has these words. */
const part = (folder: Readonly<Record<string, string>>, words: RegExp) => {
  const files = Object.entries(folder).filter(([path]) => words.test(path));
  return Buffer.from(zipOf(Object.fromEntries(files)));
};

/** From the first form of each tool to its newest. */
const folders = [
  ["spec-kit", "001-beds.zip", part(specKit, /001-beds|README/), "1 story, 5 tasks, 1 new PBI"],
  ["spec-kit", "002-water.zip", part(specKit, /002-water|\.specify/), "1 story, 2 tasks"],
  ["openspec", "add-compost.zip", part(openspec, /add-compost|archive/), "1 story, 3 tasks"],
  ["openspec", "move-shed.zip", part(openspec, /move-shed|project/), "1 story, 2 tasks"],
  ["beads", "issues.jsonl", Buffer.from(beads), "3 stories, 3 tasks, 2 new PBIs"],
] as const;

async function preview(page: Page, format: string, name: string, buffer: Buffer) {
  await page.getByLabel("From").selectOption(format);
  await page
    .locator("input[type=file]")
    .setInputFiles({ name, mimeType: "application/octet-stream", buffer });
  await page.getByRole("button", { name: "Preview" }).click();
  return page.getByRole("region", { name: "Preview" });
}

test("spec folders of every age come in by the form, and a second time make nothing", async ({
  browser,
}) => {
  const { context } = await newPerson(browser, { viewport: { width: 390, height: 800 } });
  const { product, productId } = await newWorld(context);
  const page = await context.newPage();
  for (const [format, name, buffer, counts] of folders) {
    await page.goto(`/import?product=${productId}`);
    const first = await preview(page, format, name, buffer);
    await expect(first).toContainText(`${counts}`);
    await expect(first).toContainText("will go into");
    await first.getByRole("button", { name: "Import", exact: true }).click();
    const imported = page.getByRole("region", { name: "Imported" });
    await expect(imported).toContainText(`${counts}`);

    await page.goto(`/import?product=${productId}`);
    const again = await preview(page, format, name, buffer);
    await expect(again).toContainText("Nothing is new");
    await expect(again.getByRole("button", { name: "Import", exact: true })).toHaveCount(0);
  }
  expect(await findingsInBothThemes(page)).toEqual([]);
  await page.goto(`${product}/backlog?done=1`);
  for (const title of ["Plan the beds", "Water the beds", "Add a compost heap", "move-shed"])
    await expect(page.getByRole("link", { name: title })).toHaveCount(1);
  await context.close();
});
