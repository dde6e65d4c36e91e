import { createHash, randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type BrowserContextOptions, expect } from "@playwright/test";
import { findingsInBothThemes } from "./axe";
import { test } from "./test";
import { newPerson, newWorld } from "./world";

/** A program that waits on this machine for the browser to come back to it. */
const program = createServer((_, response) => response.end("Back at the program"));
let redirect = "";
test.beforeAll(async () => {
  await new Promise<void>((listening) => program.listen(0, "127.0.0.1", listening));
  const { port } = program.address() as AddressInfo;
  redirect = `http://127.0.0.1:${port}/callback`;
});
test.afterAll(() => {
  program.closeAllConnections();
  program.close();
});

const devices: readonly [name: string, options: BrowserContextOptions][] = [
  ["desktop", { viewport: { width: 1280, height: 860 } }],
  ["phone", { viewport: { width: 390, height: 844 }, isMobile: true }],
];

for (const [device, options] of devices) {
  test(`The consent page passes axe, fits its window, and leads back to the program (${device}, light and dark)`, async ({
    browser,
  }) => {
    const owner = await newPerson(browser, { ...options, reducedMotion: "reduce" });
    await newWorld(owner.context);
    const registered = await owner.context.request.post("/register", {
      data: { client_name: "A program with a rather long name", redirect_uris: [redirect] },
    });
    const verifier = randomBytes(32).toString("base64url");
    const query = new URLSearchParams({
      response_type: "code",
      client_id: (await registered.json()).client_id,
      redirect_uri: redirect,
      code_challenge: createHash("sha256").update(verifier).digest("base64url"),
      code_challenge_method: "S256",
      state: "of the program",
    });
    const page = await owner.context.newPage();
    await page.goto(`/authorize?${query}`);
    expect(await findingsInBothThemes(page)).toEqual([]);
    const tooWide = await page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth);
    expect(tooWide, "wider than the window").toBe(false);
    await page.getByRole("checkbox", { name: /\(/ }).first().check();
    await page.getByRole("button", { name: "Allow" }).click();
    await expect(page.getByText("Back at the program")).toBeVisible();
    expect(page.url()).toMatch(/\/callback\?.*code=/);
    expect(page.url().startsWith(redirect)).toBe(true);
    const answer = new URL(page.url()).searchParams;
    expect(answer.get("state")).toBe("of the program");
    const tokens = await owner.context.request.post("/token", {
      form: {
        grant_type: "authorization_code",
        code: answer.get("code") ?? "",
        client_id: query.get("client_id") ?? "",
        code_verifier: verifier,
        redirect_uri: redirect,
      },
    });
    expect(tokens.status()).toBe(200);
  });
}
