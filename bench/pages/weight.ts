import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

export type Page = { html: string; status: number };

export async function open(port: number, path: string, cookie: string): Promise<Page> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { cookie }, redirect: "manual" });
  return { html: await response.text(), status: response.status };
}

/** What a first visit transfers: the page, the part of it that is its rows, and the script it names. */
export async function weigh(name: string, { html }: Page, client: string): Promise<string> {
  const rows = rowsOf(html);
  const size = rows.reduce((sum, row) => sum + row.length, 0);
  const script = await scriptWeight(html, client);
  return [
    `${name}: ${rows.length} rows, HTML ${kilobytes(html.length)} (${kilobytes(gzip(html))} gzip)`,
    `of which rows ${kilobytes(size)}: ${(html.length / size).toFixed(2)}x (goal: at most 2.2x)`,
    `JavaScript ${kilobytes(script)} gzip (goal: at most 130 KB)`,
  ].join(", ");
}

/** Cards and stories of the board are list items, lines of the tree are marked divisions that end where the next begins. */
export function rowsOf(html: string): string[] {
  const cards = html.match(/<li [^>]*data-(?:task|story)=[\s\S]*?<\/li>/g);
  if (cards) return cards;
  const [, tree = ""] = /aria-label="Backlog tree"[^>]*>([\s\S]*?)<\/section>/.exec(html) ?? [];
  return tree.split(/(?=<div [^>]*data-line)/).filter((row) => row.includes("data-line"));
}

async function scriptWeight(html: string, client: string): Promise<number> {
  const files = new Set(html.match(/\/assets\/[\w.$~-]+\.js/g));
  const sizes = await Promise.all([...files].map(async (file) => gzip(await readFile(join(client, file), "utf8"))));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function gzip(text: string): number {
  return gzipSync(text, { level: 9 }).length;
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1024).toFixed(1)} KB`;
}
