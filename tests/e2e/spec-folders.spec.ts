import { expect } from "@playwright/test";
import { beads, openspec, specKit, zipOf } from "../transfers/spec-shapes";
import { findingsInBothThemes } from "./axe";
import { test } from "./test";
import { newPerson, newWorld } from "./world";

/** The files of a folder whose path has these words. */
const part = (folder: Readonly<Record<string, string>>, words: RegExp) => {
  const files = Object.entries(folder).filter(([path]) => words.test(path));
  return Buffer.from(zipOf(Object.fromEntries(files)));
};

/** Of each tool, from the first form of its folders to the newest. */
const tools = {
  "spec-kit": [
    [
      "001-beds.zip",
      part(specKit, /001-beds|README/),
      "1 story, 5 tasks, 1 new PBI",
      "Plan the beds",
    ],
    ["002-water.zip", part(specKit, /002-water|\.specify/), "1 story, 2 tasks", "Water the beds"],
  ],
  openspec: [
    ["compost.zip", part(openspec, /compost|archive/), "1 story, 3 tasks", "Add a compost heap"],
    ["move-shed.zip", part(openspec, /move-shed|project/), "1 story, 2 tasks", "move-shed"],
  ],
  beads: [["issues.jsonl", Buffer.from(beads), "3 stories, 4 tasks, 2 new PBIs", "Pick"]],
} as const;

for (const [tool, folders] of Object.entries(tools))
  test(`${tool} comes in by the form, and a second time makes nothing`, async ({ browser }) => {
    const { context } = await newPerson(browser, { viewport: { width: 390, height: 800 } });
    const { product, productId } = await newWorld(context);
    const page = await context.newPage();
    const preview = async (name: string, buffer: Buffer) => {
      await page.goto(`/import?product=${productId}`);
      await page.getByLabel("From").selectOption(tool);
      const file = { name, mimeType: "application/octet-stream", buffer };
      await page.locator("input[type=file]").setInputFiles(file);
      await page.getByRole("button", { name: "Preview" }).click();
      return page.getByRole("region", { name: "Preview" });
    };
    for (const [name, buffer, counts] of folders) {
      const first = await preview(name, buffer);
      await expect(first).toContainText(counts);
      await expect(first.getByRole("heading", { name: "Preview" })).toBeInViewport();
      await first.getByRole("button", { name: "Import", exact: true }).click();
      await expect(page.getByRole("region", { name: "Imported" })).toContainText(counts);
      const again = await preview(name, buffer);
      await expect(again).toContainText("Nothing is new in this file");
      await expect(again.getByRole("button", { name: "Import", exact: true })).toHaveCount(0);
    }
    expect(await findingsInBothThemes(page)).toEqual([]);
    await page.goto(`${product}/backlog?done=1`);
    for (const [, , , title] of folders)
      await expect(page.getByRole("link", { name: title, exact: true })).toHaveCount(1);
    await context.close();
  });
