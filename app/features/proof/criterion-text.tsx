import { visible } from "./visible";

/** The words of a criterion as their writer meant them: what stands between backticks is code. All else stays text. */
export function CriterionText({ text }: { text: string }) {
  return piecesOf(visible(text)).map(({ at, words, isCode }) =>
    isCode ? (
      <code key={at} className="rounded bg-sunken px-1 font-mono text-xs">
        {words}
      </code>
    ) : (
      <span key={at}>{words}</span>
    ),
  );
}

interface Piece {
  at: number;
  words: string;
  isCode: boolean;
}

function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  for (const match of text.matchAll(/`([^`\n]+)`/g)) {
    if (match.index > at) pieces.push({ at, words: text.slice(at, match.index), isCode: false });
    pieces.push({ at: match.index, words: match[1] ?? "", isCode: true });
    at = match.index + match[0].length;
  }
  if (at < text.length) pieces.push({ at, words: text.slice(at), isCode: false });
  return pieces;
}
