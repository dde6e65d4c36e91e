/** One picture of a film: a still WebP, and how long it stays. */
export type Still = { webp: Buffer; milliseconds: number };

const number = (value: number, bytes: number) => {
  const buffer = Buffer.alloc(bytes);
  buffer.writeUIntLE(value, 0, bytes);
  return buffer;
};

function chunk(name: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const padding = Buffer.alloc(body.length % 2);
  return Buffer.concat([Buffer.from(name, "latin1"), number(body.length, 4), body, padding]);
}

/** The compressed picture of a still WebP, without what only its own file needs. */
function pictureOf(webp: Buffer): Buffer {
  const kept: Buffer[] = [];
  for (let at = 12; at < webp.length; ) {
    const name = webp.toString("latin1", at, at + 4);
    const length = 8 + webp.readUInt32LE(at + 4);
    const end = at + length + (length % 2);
    if (name === "VP8 " || name === "VP8L" || name === "ALPH") kept.push(webp.subarray(at, end));
    at = end;
  }
  return Buffer.concat(kept);
}

/** Stills of one size as one animated WebP that goes round and round (the container of RFC 9649). */
export function animatedWebp(stills: readonly Still[], width: number, height: number): Buffer {
  const size = Buffer.concat([number(width - 1, 3), number(height - 1, 3)]);
  const isAnimated = 0b10;
  const replacesAll = 0b10;
  const body = [
    chunk("VP8X", number(isAnimated, 4), size),
    chunk("ANIM", Buffer.alloc(6)),
    ...stills.map(({ webp, milliseconds }) =>
      chunk("ANMF", Buffer.alloc(6), size, number(milliseconds, 3), number(replacesAll, 1), pictureOf(webp)),
    ),
  ];
  return chunk("RIFF", Buffer.from("WEBP", "latin1"), ...body);
}
