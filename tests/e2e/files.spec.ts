import { expect } from "@playwright/test";
import { findingsInBothThemes } from "./axe";
import { openLive } from "./places";
import { test } from "./test";
import { letIn, newPerson, newWorld } from "./world";

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
const picture = { name: "shot.png", mimeType: "image/png", buffer: Buffer.from(png, "base64") };

/** What a drop or a paste of a file would bring. */
const carried = (name: string) => `(() => {
  const data = new DataTransfer();
  const bytes = Uint8Array.from(atob("${png}"), (sign) => sign.charCodeAt(0));
  data.items.add(new File([bytes], "${name}", { type: "image/png" }));
  return data;
})()`;

test("Files are attached to a story by keyboard, drop or description, seen live, and deleted", async ({ browser }) => {
  const ada = await newPerson(browser);
  const bob = await newPerson(browser);
  const world = await newWorld(ada.context);
  await letIn(ada, world.product, bob);
  const [page, other] = [await ada.context.newPage(), await bob.context.newPage()];
  await openLive(page, `/stories/${world.storyId}`);
  await openLive(other, `/stories/${world.storyId}`);
  const files = page.getByRole("region", { name: /^Files/ });
  const [chooser] = await Promise.all([
    page.waitForEvent("filechooser"),
    files
      .getByLabel("Add files")
      .focus()
      .then(() => page.keyboard.press("Enter")),
  ]);
  await chooser.setFiles(picture);
  await expect(files.getByRole("link", { name: "shot.png" })).toBeVisible();
  const seen = other.getByRole("region", { name: /^Files/ });
  await expect(seen.getByRole("link", { name: "shot.png" })).toBeVisible();
  await expect(seen.getByRole("button", { name: "Delete shot.png" })).toHaveCount(0);

  await files.dispatchEvent("drop", { dataTransfer: await page.evaluateHandle(carried("a.png")) });
  await expect(files.getByRole("link", { name: "a.png" })).toBeVisible();
  await page.getByRole("button", { name: "Edit description" }).click();
  const text = page.getByRole("textbox", { name: "Description" });
  await text.evaluate(
    (area, data) => area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true })),
    await page.evaluateHandle<DataTransfer>(carried("pasted.png")),
  );
  await expect(text).toHaveValue(/!\[pasted\.png\]\(\/api\/files\/[0-9a-f-]{36}\)/);
  await page.keyboard.press("ControlOrMeta+Enter");
  await expect(page.getByRole("img", { name: "pasted.png" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Files (3)" })).toBeVisible();
  expect(await findingsInBothThemes(page, "#files")).toEqual([]);

  await files.getByRole("button", { name: "Delete a.png" }).click();
  await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
  await expect(files.getByRole("link", { name: "a.png" })).toHaveCount(0);
  await expect(seen.getByRole("link", { name: "a.png" })).toHaveCount(0);

  await page.goto(`${world.product}/files`);
  const all = page.getByRole("region", { name: "All files" });
  await expect(all.getByRole("listitem")).toHaveCount(2);
  await expect(all).toContainText("of 1.0 GB used");
  expect(await findingsInBothThemes(page, "main")).toEqual([]);
});

test("On a phone without script a file is attached and deleted, and a refused one is reported", async ({ browser }) => {
  const viewport = { width: 390, height: 844 };
  const { context } = await newPerson(browser, { javaScriptEnabled: false, viewport });
  const world = await newWorld(context);
  const page = await context.newPage();
  for (const address of [`/stories/${world.storyId}`, `/tasks/${world.taskIds[0]}`]) {
    await page.goto(address);
    const files = page.getByRole("region", { name: /^Files/ });
    const attach = async (file: typeof picture) => {
      await files.getByLabel("File", { exact: true }).setInputFiles(file);
      await files.getByRole("button", { name: "Add file" }).click();
    };
    const large = Buffer.alloc(10 * 1024 * 1024 + 1, "a");
    await attach({ ...picture, buffer: large });
    await expect(files.getByRole("alert")).toContainText("larger than 10 MB");
    await attach({ ...picture, buffer: Buffer.from([0, 1, 2]) });
    await expect(files.getByRole("alert")).toContainText("not accepted");
    await expect(files.getByRole("listitem")).toHaveCount(0);
    await attach(picture);
    await expect(files.getByRole("link", { name: "shot.png" })).toBeVisible();
    const width = await page.locator("body").evaluate((body) => body.scrollWidth);
    expect(width).toBeLessThanOrEqual(viewport.width);
    await files.getByRole("button", { name: "Delete shot.png" }).click();
    await page.getByRole("alertdialog").getByRole("button", { name: "Delete" }).click();
    await expect(files.getByRole("listitem")).toHaveCount(0);
  }
});

test("A picture attached to a comment is shown in it, and a refused file is reported", async ({
  world,
  ownPage: page,
}) => {
  await openLive(page, `/tasks/${world.taskIds[0]}`);
  const box = page.getByRole("textbox", { name: "Add a comment" });
  await box.fill("See here:");
  await page.getByLabel("Attach files").setInputFiles(picture);
  await expect(box).toHaveValue(/^See here:\n!\[shot\.png\]\(\/api\/files\/[0-9a-f-]{36}\)\n$/);
  await page.getByLabel("Attach files").setInputFiles({ ...picture, buffer: Buffer.from([0, 1, 2]) });
  await expect(page.getByText("This type of file is not accepted.")).toBeVisible();
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  const shown = page.getByRole("img", { name: "shot.png" });
  await expect(shown).toBeVisible();
  await expect(page.getByText("Comment added")).toHaveCount(1);
  await expect.poll(() => shown.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(1);
});

test.describe("hostile files", () => {
  test.use({ expectedProblems: /api\/files|MIME type|frame/ });
  test("a file that holds a program is stored and never run, wherever it is opened or shown", {
    tag: "@thorough",
  }, async ({ owner, world, ownPage: page }) => {
    const program = "document.documentElement.dataset.ran = 'yes'; parent.ran = true; fetch('/ran')";
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${program}"><script>${program}</script></svg>`;
    const contents: [string, string][] = [
      ["a.html", `<!doctype html><script>${program}</script>`],
      ["a.svg", svg],
      ["a.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml"><script>${program}</script></html>`],
      ["a.gif", `GIF89a/*<script>${program}</script>*/=0;${program}`],
      ["a.pdf", `%PDF-1.4 <script>${program}</script>`],
      ["a.mp4", `\0\0\0\x18ftypmp42<html><script>${program}</script>`],
    ];
    const asked: string[] = [];
    owner.context.on("request", (request) => asked.push(new URL(request.url()).pathname));
    for (const [name, content] of contents) {
      const answer = await owner.context.request.post("/api/files", {
        multipart: {
          product_id: world.productId,
          file: { name, mimeType: "text/html", buffer: Buffer.from(content, "latin1") },
        },
      });
      expect(answer.status(), await answer.text()).toBe(201);
      const { url } = await answer.json();
      const isShown = /gif|mp4/.test(name);
      if (isShown) {
        expect((await page.goto(url))?.status()).toBe(200);
      } else {
        const [download] = await Promise.all([page.waitForEvent("download"), page.goto(url).catch(() => null)]);
        expect(download.suggestedFilename()).toBe(name);
      }
      await openLive(page, `/stories/${world.storyId}`);
      const kinds = ["img", "script", ...(isShown ? ["iframe"] : [])];
      const ran = await page.evaluate(
        async ([address, ...wanted]) => {
          const settled = wanted.map((kind) => {
            const element = document.createElement(kind);
            element.setAttribute("src", address ?? "");
            return new Promise((settle) => {
              element.onload = settle;
              element.onerror = settle;
              document.body.append(element);
            });
          });
          await Promise.all(settled);
          return "ran" in window || document.documentElement.dataset.ran !== undefined;
        },
        [url, ...kinds],
      );
      expect(ran, name).toBe(false);
    }
    expect(asked).not.toContain("/ran");
  });
});
