import type { StatusTone } from "./status";

/** One shape per meaning, so that color is never the only cue. */
const shapes: Record<StatusTone, JSX.Element> = {
  todo: <circle cx="8" cy="8" r="5.75" strokeDasharray="2.6 1.9" />,
  progress: (
    <>
      <circle cx="8" cy="8" r="5.75" />
      <path d="M8 4.5a3.5 3.5 0 0 1 0 7z" fill="currentColor" stroke="none" />
    </>
  ),
  review: (
    <>
      <path d="M8 1.75 14.25 8 8 14.25 1.75 8z" strokeLinejoin="round" />
      <circle cx="8" cy="8" r="1.75" fill="currentColor" stroke="none" />
    </>
  ),
  done: (
    <>
      <circle cx="8" cy="8" r="6.5" fill="currentColor" stroke="none" />
      <path
        d="m5.2 8.2 2 2 3.7-4.2"
        className="stroke-raised"
        strokeWidth="1.75"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </>
  ),
  failed: (
    <>
      <rect x="2" y="2" width="12" height="12" rx="2.5" fill="currentColor" stroke="none" />
      <path d="m5.6 5.6 4.8 4.8m0-4.8-4.8 4.8" className="stroke-raised" strokeWidth="1.75" strokeLinecap="round" />
    </>
  ),
  waiting: (
    <>
      <path d="M8 1.9 14.7 13.5H1.3z" fill="currentColor" stroke="currentColor" strokeLinejoin="round" />
      <path d="M8 6.2v3.4m0 1.9v.1" className="stroke-raised" strokeWidth="1.75" strokeLinecap="round" />
    </>
  ),
  idle: <path d="M3 8h10" strokeLinecap="round" strokeWidth="2" />,
};

/** Icons that appear on many rows of a page. */
const glyphs = {
  fold: <path d="m9 18 6-6-6-6" />,
  add: <path d="M5 12h14M12 5v14" />,
  move: <path d="M18 8 22 12 18 16M2 12H22" />,
  pull: (
    <>
      <circle cx="18" cy="18" r="3" />
      <circle cx="6" cy="6" r="3" />
      <path d="M13 6h3a2 2 0 0 1 2 2v7M6 9v12" />
    </>
  ),
};

/** Defines every shape once, for `<use>`. Each page has it before anything that uses it. */
export const sprite = (
  <svg width="0" height="0" aria-hidden="true" className="absolute">
    {Object.entries(shapes).map(([tone, shape]) => (
      <symbol key={tone} id={`status-${tone}`} viewBox="0 0 16 16">
        {shape}
      </symbol>
    ))}
    {Object.entries(glyphs).map(([name, shape]) => (
      <symbol key={name} id={`glyph-${name}`} viewBox="0 0 24 24">
        {shape}
      </symbol>
    ))}
  </svg>
);

export function Glyph({ name }: { name: keyof typeof glyphs }) {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" className="glyph">
      <use href={`#glyph-${name}`} />
    </svg>
  );
}
