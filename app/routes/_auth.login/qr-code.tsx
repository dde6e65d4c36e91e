import { useEffect, useState } from "react";

const quietZone = 4;

/** A QR code, dark on light in every theme, because cameras want it so. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [code, setCode] = useState<{ size: number; path: string } | null>(null);
  useEffect(() => {
    let isCurrent = true;
    import("qrcode").then(({ create }) => {
      const { modules } = create(text, { errorCorrectionLevel: "M" });
      if (isCurrent) setCode({ size: modules.size, path: pathOf(modules) });
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  const size = (code?.size ?? 41) + 2 * quietZone;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="aspect-square w-full rounded"
    >
      <rect width={size} height={size} fill="#ffffff" />
      {code ? <path d={code.path} fill="#161412" /> : null}
    </svg>
  );
}

function pathOf(modules: { size: number; get(row: number, column: number): number }): string {
  let path = "";
  for (let row = 0; row < modules.size; row += 1) {
    for (let column = 0; column < modules.size; column += 1) {
      if (modules.get(row, column)) path += `M${column + quietZone} ${row + quietZone}h1v1h-1z`;
    }
  }
  return path;
}
