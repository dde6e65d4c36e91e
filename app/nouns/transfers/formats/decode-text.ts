/** The text of a file; null where it is neither UTF-8 nor UTF-16, which Windows marks at its beginning. */
export function decodeText(bytes: Uint8Array): string | null {
  const mark = (bytes[0] ?? 0) * 256 + (bytes[1] ?? 0);
  const encoding = mark === 0xfffe ? "utf-16le" : mark === 0xfeff ? "utf-16be" : "utf-8";
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes).replaceAll("\r\n", "\n");
  } catch {
    return null;
  }
}
