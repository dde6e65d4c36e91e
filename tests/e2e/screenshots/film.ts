import type { Page } from "@playwright/test";
import { animatedWebp, type Still } from "./animated-webp";

/** In CSS pixels: about as wide as a README is shown, so that its text can be read. */
export const filmSize = { width: 960, height: 720 };
const strip = 44;
/** Pixels for each CSS pixel, so that it is sharp on dense screens too. */
export const filmScale = 1.5;

/** Gathers pictures of pages under a line of words, and makes one animated picture of them. */
export class Film {
  readonly #stills: Still[] = [];
  readonly #desk: Page;
  #first = 0;

  /** `desk` is a page of the application that stays open: its fonts, its colors and its browser's encoder draw. */
  constructor(desk: Page) {
    this.#desk = desk;
  }

  async take(page: Page, words: string, milliseconds: number): Promise<void> {
    const png = (await page.screenshot()).toString("base64");
    const drawn = await this.#desk.evaluate(draw, { png, words, ...filmSize, strip, scale: filmScale });
    this.#stills.push({ webp: Buffer.from(drawn, "base64"), milliseconds });
  }

  /** What is taken next is what it begins with: it goes round. */
  beginHere(): void {
    this.#first = this.#stills.length;
  }

  write(): Buffer {
    const stills = [...this.#stills.slice(this.#first), ...this.#stills.slice(0, this.#first)];
    return animatedWebp(stills, filmSize.width * filmScale, (filmSize.height + strip) * filmScale);
  }
}

interface Picture {
  png: string;
  words: string;
  width: number;
  height: number;
  strip: number;
  scale: number;
}

/** Runs in the browser. A phone's picture is in the middle. */
async function draw({ png, words, width, height, strip, scale }: Picture): Promise<string> {
  // The tokens hold both themes: an element says which of them it is, a new one without a transition on the way.
  const color = (name: string) => {
    const probe = document.createElement("span");
    probe.style.color = `var(${name})`;
    document.body.append(probe);
    const { color } = getComputedStyle(probe);
    probe.remove();
    return color;
  };
  const bytes = Uint8Array.from(atob(png), (letter) => letter.charCodeAt(0));
  const picture = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
  const font = '500 20px "Inter Variable"';
  await document.fonts.load(font);
  const canvas = new OffscreenCanvas(width * scale, (height + strip) * scale);
  const pen = canvas.getContext("2d");
  if (!pen) throw new Error("No canvas");
  pen.scale(scale, scale);
  pen.fillStyle = color("--sunken");
  pen.fillRect(0, 0, width, height + strip);
  const shown = picture.width / scale;
  const left = Math.round((width - shown) / 2);
  pen.drawImage(picture, left, 0, shown, picture.height / scale);
  if (left > 0) {
    pen.strokeStyle = color("--line-strong");
    pen.lineWidth = 2;
    pen.strokeRect(left - 1, -1, shown + 2, height + 2);
  }
  pen.fillStyle = color("--surface");
  pen.fillRect(0, height, width, strip);
  pen.fillStyle = color("--line");
  pen.fillRect(0, height, width, 1);
  pen.fillStyle = color("--ink");
  pen.font = font;
  pen.textAlign = "center";
  pen.fillText(words, width / 2, height + 29);
  const webp = await canvas.convertToBlob({ type: "image/webp", quality: 0.95 });
  const encoded = new Uint8Array(await webp.arrayBuffer());
  return btoa(Array.from(encoded, (byte) => String.fromCharCode(byte)).join(""));
}
